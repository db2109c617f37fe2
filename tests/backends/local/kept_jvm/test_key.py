"""The key of a kept JVM: what differs between two runs that must not share one."""

from __future__ import annotations

import os
import sys

import pytest

from pytest_delta_schema.backends.local import kept_jvm
from pytest_delta_schema.backends.local.kept_jvm import key_of

CONF = {"spark.sql.warehouse.dir": "/w/spark_catalog", "spark.sql.catalog.spark_catalog": "Delta", "a": "1"}
ENVIRONMENT = {"HOME": "/home/me", "TZ": "UTC", "COLUMNS": "80"}


@pytest.fixture
def jar(tmp_path):
    path = tmp_path / "delta.jar"
    path.write_bytes(b"1")
    os.utime(path, (1, 1))
    return path


def key(jar, *, conf=None, options="-Xmx1g", environment=None):
    return key_of({**CONF, **(conf or {})}, [jar], options, {**ENVIRONMENT, **(environment or {})})


def test_what_a_session_gets_anew_and_what_no_program_reads_share_a_jvm(jar):
    assert key(jar) == key(
        jar,
        conf={"spark.sql.catalog.dev": "Delta", "spark.sql.catalog.dev.warehouse": "/w"},
        environment={"COLUMNS": "120", "PYTEST_CURRENT_TEST": "test_it.py::test (setup)", "SHLVL": "2"},
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"conf": {"spark.sql.warehouse.dir": "/other/spark_catalog"}},
        {"conf": {"spark.sql.catalog.spark_catalog": "Other"}},
        {"conf": {"a": "2"}},
        {"conf": {"b": "1"}},
        {"options": "-Xmx2g"},
        {"environment": {"TZ": "Europe/Berlin"}},
        {"environment": {"AWS_PROFILE": "shop"}},
    ],
    ids=str,
)
def test_a_changed_setting_flag_or_variable_is_another_jvm(jar, changed):
    assert key(jar) != key(jar, **changed)


def test_a_changed_jar_is_another_jvm(jar):
    before = key(jar)

    jar.write_bytes(b"12")
    os.utime(jar, (1, 1))
    longer = key(jar)
    os.utime(jar, (2, 2))

    assert len({before, longer, key(jar)}) == 3


def test_another_python_or_pair_is_another_jvm(jar, monkeypatch):
    keys = [key(jar)]
    monkeypatch.setattr(sys, "version", "3.99")
    keys.append(key(jar))
    monkeypatch.setattr(sys, "executable", "/other/python")
    keys.append(key(jar))
    monkeypatch.setattr(kept_jvm, "installed", lambda: {"pyspark": "9.9"})
    keys.append(key(jar))

    assert len(set(keys)) == 4
