"""The private names of Spark, py4j and Delta: where they are used, and in which versions they were tried."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from pytest_delta_schema.backends.spark import compat

VERSIONS = {**compat.PYSPARK_VERSIONS, **compat.PY4J_VERSIONS, **compat.DELTA_VERSIONS}


@pytest.mark.parametrize("distribution", VERSIONS)
def test_the_installed_version_is_one_in_which_they_were_tried(distribution):
    assert version(distribution) in SpecifierSet(VERSIONS[distribution])


def test_a_client_without_spark_has_no_active_session(monkeypatch):
    import pyspark  # noqa: PLC0415 - a second to import

    monkeypatch.delattr(pyspark, "SparkContext")
    monkeypatch.delitem(sys.modules, "pyspark.sql.connect.session", raising=False)

    assert compat.active_spark() is None


@pytest.mark.parametrize(("connection", "code"), [(None, -signal.SIGKILL), (object(), None)], ids=["before", "after"])
def test_a_jvm_whose_launch_is_interrupted_ends_unless_pyspark_is_connected(monkeypatch, connection, code):
    from pyspark import SparkContext, java_gateway  # noqa: PLC0415 - a second to import

    gateway: Any = java_gateway
    monkeypatch.setattr(SparkContext, "_gateway", connection)

    processes: list[subprocess.Popen[bytes]] = []

    def launch():
        with compat.end_interrupted_launch():
            processes.append(gateway.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        launch()

    assert gateway.Popen is subprocess.Popen
    with processes[0] as process:
        assert process.poll() == code
