"""Colours on a terminal, what -q leaves out, and a run that a signal ends."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.spark.errors import STOPPING
from pytest_delta_schema.execute.interruption import READING
from pytest_delta_schema.plugin.interruption import LIMIT
from support.plugin_project import ORDERS

BEFORE = "MemoryCatalog([stored('dev.silver.orders', OLD, ColumnState('created_ts', 'timestamp', True, ''))])"
GREEN, RED, YELLOW = "\x1b[32m", "\x1b[31m", "\x1b[33m"


@pytest.fixture
def drifted(project):
    project.models(ORDERS)
    project.catalog(BEFORE)
    return project


def test_a_terminal_shows_changes_with_colours_and_other_texts_have_none(drifted):
    coloured = drifted.run("--delta-drift", "-m", "delta_drift", "--color=yes", "--junitxml=junit.xml")

    for start in (f"{GREEN}  + columns.", f"{YELLOW}  ~ columns.", f"{RED}  drifted     dev.silver.orders has drifted"):
        assert any(line.startswith(start) for line in coloured.outlines)
    assert "#x1B" not in (drifted.path / "junit.xml").read_text("utf-8")


def test_a_quiet_run_leaves_out_sql_and_a_quiet_apply_changes(drifted):
    drift = drifted.run("--delta-drift", "-m", "delta_drift", "-q").stdout.str()
    apply = drifted.run("--delta-apply", "-m", "delta_apply", "-q")

    assert "  + columns." in drift
    assert "ALTER TABLE" not in drift
    assert "to align the catalog: pytest --delta-apply" in drift
    apply.stdout.fnmatch_lines(["  applied     dev.silver.orders, *"])
    assert "columns.amount" not in apply.stdout.str()


def test_a_process_has_ended_five_seconds_after_sigterm():
    assert STOPPING + READING < LIMIT < 5
