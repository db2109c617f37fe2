"""The JVM of a run is killed: every table is reported with its progress, and nothing of py4j is shown."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.own_jvm]

MODELS = """
a = table("dev.silver.a", Column("id", LongType()))
b = table("dev.silver.b", Column("id", LongType(), is_nullable=False), primary_key=["id"])
c = table("dev.silver.c", Column("id", LongType()))
"""
CONFTEST = """
import os, signal
import pytest
from pytest_delta_schema import LocalCatalog
from pytest_delta_schema.sql import StatementKind

class Killed(LocalCatalog):
    def run(self, statement):
        if statement.kind is StatementKind.ADD_PRIMARY_KEY:
            process = self.spark.sparkContext._gateway.proc
            process.send_signal(signal.SIGKILL)
            process.wait()
        super().run(statement)

@pytest.fixture(scope="session")
def delta_catalog(delta_spark, delta_warehouse):
    return Killed(delta_spark, warehouse=delta_warehouse)
"""
GONE = (
    "the JVM of Spark has ended, so nothing more can be read or run: it was killed, by the system if memory was"
    " short, or has crashed and left a file hs_err_pid*.log; run again"
)


def test_a_killed_jvm_is_an_error_of_each_table_and_no_traceback(project):
    project.models(MODELS)
    project.pytester.makeconftest(CONFTEST)

    result = project.run("--delta-apply", "-m", "delta_apply", subprocess=True)

    result.assert_outcomes(failed=3)  # the first table is complete, but cannot be read back
    result.stdout.fnmatch_lines(
        [
            f"dev.silver.b: statement 2 of 2 failed: {GONE}",
            "*to restore:  unknown, because the table cannot be read now: the JVM of Spark has ended*",
            f"*{GONE}",
        ],
    )
    shown = result.stdout.str() + result.stderr.str()
    assert not [word for word in ("Traceback", "py4j", "ConnectionRefused", "Errno") if word in shown]
