"""The files of the page "A warm Spark" run as it says: one server for two runs, which share nothing else."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from importlib.util import find_spec

import pytest

from support.pages import ROOT, steps, write_file

pytestmark = [
    pytest.mark.spark,
    pytest.mark.own_jvm,
    pytest.mark.skipif(find_spec("grpc") is None, reason="Spark Connect needs grpc"),
]

MODELS = """
from pytest_delta_schema import Check

orders = Table(
    "dev",
    "silver",
    "orders",
    [Column("id", LongType(), is_nullable=False), Column("status", StringType())],
    checks=[Check("known", "status IN ('new', 'paid')")],
    primary_key=("id",),
)
"""
TESTS = """
import pytest
from models import orders

from pytest_delta_schema import assert_no_drift, breaking_rows
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError

BROKEN = [rows for rows in breaking_rows(orders) if rows.constraint.kind in ("not null", "check")]


def test_the_session_is_remote(delta_spark):
    assert type(delta_spark).__module__ == "pyspark.sql.connect.session"


def test_an_empty_table(make_delta_table, delta_spark, delta_catalog):
    table = make_delta_table(orders)

    assert delta_spark.table(table.qualified_name).count() == 0
    assert_no_drift(table, catalog=delta_catalog)


def test_rows(make_delta_table, delta_spark):
    table = make_delta_table(orders, rows=[{"id": 1, "status": "new"}])

    assert [tuple(row) for row in delta_spark.table(table.sql_name).collect()] == [(1, "new")]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda rows: rows.constraint.kind)
def test_rows_that_break_a_constraint(make_delta_table, delta_catalog, broken):
    table = make_delta_table(orders)

    with pytest.raises(DeltaSchemaError, match=broken.constraint.name):
        delta_catalog.insert(table.name, broken.rows)
"""


def test_two_runs_use_one_server(project):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    page = (ROOT / "docs/guides/spark.md").read_text("utf-8")
    for step in steps(page[page.index("\n## Spark Connect\n") :]):
        if step.kind == "file":
            write_file(step, project.path)
    script = project.path / "warm_spark.py"
    script.write_text(script.read_text("utf-8").replace("15002", port), "utf-8")
    project.models(MODELS)
    (project.path / "test_orders.py").write_text(TESTS, "utf-8")
    remote = {**os.environ, "SPARK_REMOTE": f"sc://127.0.0.1:{port}"}
    command = [sys.executable, "-m", "pytest", "-q", "--snapshot-update", "--delta-backend", "session"]
    with subprocess.Popen(
        [sys.executable, script], cwd=project.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout.readline() == f"SPARK_REMOTE={remote['SPARK_REMOTE']} - press Enter to stop the server\n"
        runs = [
            subprocess.run(
                [*command, *more],
                cwd=project.path,
                env=remote,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            for more in ([], ["test_orders.py::test_rows"])
        ]
        server.communicate("\n", timeout=60)

    assert [re.findall(r"^E  .*|\d+ passed(?= in )", run.stdout, re.MULTILINE) for run in runs] == [
        ["7 passed"],
        ["1 passed"],
    ]
    assert [run.returncode for run in runs] == [0, 0]
    assert server.returncode == 0
