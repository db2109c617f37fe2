"""Starting Spark: what is used, what is made once, and what is reported when something is missing."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_delta_schema.backends.local import launch, start
from pytest_delta_schema.backends.local.launch import (
    LaunchResources,
    delta_jars,
)
from pytest_delta_schema.backends.local.start import start_session
from pytest_delta_schema.backends.local.warehouse import prepare_warehouse
from pytest_delta_schema.backends.spark.compat import spark_home
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from support.covering import ALL
from support.installed import shared_cache
from support.models import NAME

FOREIGN = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
from pytest_delta_schema import Orchestrator
from pytest_delta_schema.backends.local.catalog import LocalCatalog
from pytest_delta_schema.backends.local.launch import delta_jars
from pytest_delta_schema.backends.local.start import open_session
from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
from pytest_delta_schema.diagnostics.errors import StatementError
sys.path.insert(0, sys.argv[2])
from support.models import orders
warehouse = Path(sys.argv[1])
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.jars", ",".join(map(str, delta_jars())))
builder = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
builder = builder.config("spark.sql.shuffle.partitions", "1").config("spark.databricks.delta.snapshotPartitions", "1")
builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
builder = builder.config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
builder = builder.config("spark.sql.warehouse.dir", str(warehouse / "own"))
spark = builder.getOrCreate()
session = open_session(warehouse)
assert session.spark is spark and not session.owned
catalog = LocalCatalog(spark, warehouse=warehouse)
orchestrator = Orchestrator.over(catalog)
print("RAN", len(orchestrator.sync_tables([orders()]).statements))
print("LEFT", len(orchestrator.plan_tables([orders()]).actions))
session.close()
print("COLUMNS", spark.sql("SELECT * FROM dev.silver.orders").columns)
spark.stop()
for attempt in (lambda: catalog.snapshot([orders()]), lambda: catalog.create_schema("dev", "x"), lambda: SessionCatalog(spark).version(orders().name)):
    try:
        print(attempt())
    except StatementError as error:
        print(error.condition)
"""


def run(script, *args, **env):
    return python("-c", script, *map(str, args), **env)


def python(*args, **env):
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        check=False,
    )


@pytest.mark.spark
@pytest.mark.own_jvm
def test_a_session_of_the_project_that_knows_nothing_of_us_is_enough(tmp_path):
    answer = run(FOREIGN, tmp_path, Path(__file__).parents[2])

    assert "RAN 3\nLEFT 0\nCOLUMNS ['id', 'created_ts', 'amount']" in answer.stdout, answer.stderr
    assert "SESSION_STOPPED\n" * 2 + f"{NAME}: the Spark session was stopped" in answer.stdout, answer.stderr


@pytest.mark.spark
@pytest.mark.own_jvm
@pytest.mark.skipif(
    not ALL, reason="an archive takes half a minute, and a start without it is slower only: make test-all"
)
def test_the_archive_is_written_once(tmp_path):
    cache = shared_cache(tmp_path)
    env = {"XDG_CACHE_HOME": str(cache.parent)}

    first = python("-m", "pytest_delta_schema", "prepare", **env)

    assert first.returncode == 0, first.stderr
    assert "Dynamic dump" not in first.stderr
    assert first.stderr.count("writing an archive of the JVM's classes, once; later starts are faster: done") == 1
    (archive,) = (cache / "archives").glob("*.jsa")
    assert archive.stat().st_size > 1e6
    assert not [path for path in (cache / "archives").iterdir() if path.suffix not in (".jsa", ".lock")]


def test_a_session_that_does_not_start_is_reported_in_one_line(monkeypatch):
    def refuse():
        raise ValueError("Master must be local\nand more")

    monkeypatch.setattr(start, "new_builder", lambda _: SimpleNamespace(getOrCreate=refuse))

    with pytest.raises(BackendUnavailableError) as caught:
        start.start_spark({})

    assert str(caught.value) == "the local Spark did not start: Master must be local; look at its log above"


@pytest.mark.parametrize(
    ("conf", "file_system"),
    [({}, "pytest_delta_schema.NioFileSystem"), ({"spark.hadoop.fs.file.impl": "shop.Files"}, "shop.Files")],
    ids=["default", "replaced"],
)
def test_local_files_are_written_by_classes_that_a_project_can_replace(tmp_path, monkeypatch, conf, file_system):
    started: dict[str, str] = {}
    monkeypatch.setattr(start, "start_spark", started.update)
    needs = LaunchResources(class_path=(), options="", archive=None)
    monkeypatch.setattr(start, "resources_for_start", lambda _conf, **_: needs)

    start_session(tmp_path, conf)

    assert started["spark.hadoop.fs.file.impl"] == file_system
    assert started["spark.hadoop.fs.AbstractFileSystem.file.impl"] == "pytest_delta_schema.NioFs"


def test_spark_submit_is_told_what_it_would_look_for(monkeypatch):
    names = ("PYSPARK_PYTHON", "SPARK_HOME", "SPARK_LAUNCHER_OPTS")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    defaults = {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(spark_home()),
        "SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1",
    }
    builder = SimpleNamespace(getOrCreate=lambda: {name: os.environ[name] for name in names})
    monkeypatch.setattr(start, "new_builder", lambda _: builder)
    for own in ({}, {"PYSPARK_PYTHON": "python3.12", "SPARK_LAUNCHER_OPTS": "-Xmx64m"}):
        with monkeypatch.context() as patch:
            for name, value in own.items():
                patch.setenv(name, value)

            environment: Any = start.start_spark({})

            assert environment == {**defaults, **own}
            assert {name: os.environ[name] for name in names if name in os.environ} == own


def test_the_warehouse_keeps_itself_out_of_git(tmp_path):
    prepare_warehouse(tmp_path / "w")
    (tmp_path / "w" / ".gitignore").write_text("mine\n")

    prepare_warehouse(tmp_path / "w")

    assert (tmp_path / "w" / ".gitignore").read_text() == "mine\n"


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "pytest_delta_schema"


@pytest.mark.usefixtures("empty_cache")
def test_a_download_is_reported_and_is_done_once(monkeypatch, caplog):
    caplog.set_level(logging.INFO, "pytest_delta_schema")
    script = (
        "import pathlib, sys, zipfile\n"
        "folder = pathlib.Path(sys.argv[1], 'jars'); folder.mkdir(exist_ok=True)\n"
        "for name in ('io.delta_delta-spark.jar', 'org.other_thing.jar'):\n"
        "    with zipfile.ZipFile(folder / name, 'w') as jar: jar.writestr('a', b'x' * 3_000_000)\n"
    )
    calls = []

    def command(wanted, folder):
        calls.append(wanted)
        return [sys.executable, "-c", script, str(folder)]

    monkeypatch.setattr(launch, "_resolve_command", command)

    first, second = delta_jars(), delta_jars()

    assert [path.name for path in first] == ["io.delta_delta-spark.jar"]
    assert (first, len(calls)) == (second, 1)
    assert caplog.messages[0] == f"downloading {calls[0]} and what it needs, once for this machine"
    assert caplog.messages[-1] == "downloaded 6 MB"

    first[0].unlink()
    delta_jars()
    assert len(calls) == 2
