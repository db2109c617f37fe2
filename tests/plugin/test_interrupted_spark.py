"""Ctrl-C, SIGTERM and SIGKILL during a real statement: what is reported, what is left, and that the JVM has ended."""

from __future__ import annotations

import os
import signal
import time

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.own_jvm]

ENDS = 300
"""Seconds in which a JVM has to notice that its process has gone, on a busy machine."""

MODELS = """
orders = table("dev.silver.orders", Column("id", LongType()), Column("p", LongType()), {options})
"""
CONFTEST = """
import os, signal, threading, time
from functools import partial
from pathlib import Path
import pytest
from pytest_delta_schema import LocalCatalog
from pytest_delta_schema.backends.spark import errors as stopping
from pytest_delta_schema.execute import interruption
from pytest_delta_schema.plugin import interruption as interruption_report
from pytest_delta_schema.sql import StatementKind

# No time limit ends these runs, so they end by themselves also on a slow machine.
stopping.STOPPING = interruption.READING = interruption_report.LIMIT = 300
HERE = Path(__file__).parent

class Interrupted(LocalCatalog):
    def run(self, statement):
        if statement.kind is StatementKind.{kind}:
            threading.Thread(target=self.interrupt, daemon=True).start()
        super().run(statement)

    def interrupt(self):
        tracker = self.spark.sparkContext.statusTracker()
        while not tracker.getActiveJobsIds():
            time.sleep(0.01)
        {interrupt}

def endless_comment(sql, text):
    if text.startswith("COMMENT ON TABLE"):
        # It never ends, and what it writes belongs to nobody.
        text = (
            "CREATE TABLE dev.silver.endless USING delta AS"
            " SELECT id FROM range(100000000000000) WHERE sqrt(id) < 0"
        )
    return sql(text)

@pytest.fixture(scope="session")
def delta_catalog(delta_spark, delta_warehouse):
    (HERE / "jvm").write_text(str(delta_spark.sparkContext._gateway.proc.pid))
    catalog = Interrupted(delta_spark, warehouse=delta_warehouse)
    catalog.bridge.sql = partial(endless_comment, catalog.bridge.sql)
    catalog.create_schema("dev", "silver")
    delta_spark.sql("CREATE TABLE dev.silver.orders (id BIGINT, p BIGINT) USING delta")
    delta_spark.sql("INSERT INTO dev.silver.orders SELECT id, id % 5 FROM range({rows})")
    return catalog
"""


@pytest.fixture
def interrupted(project):
    """Run an apply that is interrupted when a job of the statement runs."""

    def run(*args, kind, interrupt, rows=1, options):
        project.models(MODELS.format(options=options))
        conftest = CONFTEST.format(kind=kind, interrupt=interrupt, rows=rows)
        project.pytester.makeconftest(f"{conftest}\n")
        return project.apply_in_new_session(*args)

    return run


def require_no_jvm(path):
    pid, deadline = int((path / "jvm").read_text()), time.monotonic() + ENDS
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    raise AssertionError("the JVM still runs")


def versions(warehouse):
    return sorted(path.name for path in (warehouse / "dev" / "silver" / "orders" / "_delta_log").glob("*.json"))


NAMES = ["00000000000000000000.json", "00000000000000000001.json"]


def test_ctrl_c_in_a_rewrite(interrupted, project):
    result = interrupted(
        "--delta-allow=rewrite dev.silver.orders",
        kind="REWRITE_LAYOUT",
        interrupt="os.kill(os.getpid(), signal.SIGINT)",
        rows=4_000_000,
        options='partitioned_by=["p"]',
    )

    assert result.returncode == 2, result.stdout + result.stderr
    assert "dev.silver.orders: interrupted in statement 1 of 1\n" in result.stdout
    assert "  running, not committed (the table is at version 1):\n" in result.stdout
    assert "  left behind: perhaps data files that belong to no version; VACUUM removes them\n" in result.stdout
    assert "  to restore:  nothing was changed\n" in result.stdout
    assert "pyspark" not in result.stdout
    assert "py4j" not in result.stdout
    assert versions(project.path / ".delta-warehouse") == NAMES
    require_no_jvm(project.path)


def test_sigterm_in_a_statement_that_never_ends(interrupted, project):
    interrupt = "os.kill(os.getpid(), signal.SIGTERM)"

    result = interrupted(kind="COMMENT_TABLE", interrupt=interrupt, options='comment="Orders"')

    assert result.returncode == -signal.SIGTERM, result.stdout + result.stderr
    assert "dev.silver.orders: interrupted in statement 1 of 1\n" in result.stdout
    assert "  running, not committed (the table is at version 1):\n" in result.stdout
    assert "  to restore:  nothing was changed\n" in result.stdout
    assert versions(project.path / ".delta-warehouse") == NAMES
    require_no_jvm(project.path)
