"""The report of a run as a value."""

from __future__ import annotations

import pytest

from pytest_delta_schema.report.run_report import Run, RunReport
from support.reports.run_reports import BLOCKED, DRIFTED, IN_SYNC, UNREADABLE, sample_report


def test_counts_and_risks():
    report = sample_report()

    assert report.counts() == {"in sync": 1, "drifted": 1, "blocked": 1, "unreadable": 1}
    assert report.risks() == {"metadata": 1, "feature": 1, "destructive": 1}


@pytest.mark.parametrize(
    ("table", "risk"), [(DRIFTED, "feature"), (BLOCKED, "destructive"), (UNREADABLE, ""), (IN_SYNC, "")]
)
def test_the_highest_risk_of_a_table(table, risk):
    assert table.risk == risk


def test_operations():
    assert [change.operation for change in (*DRIFTED.changes, *BLOCKED.changes)] == ["add", "change", "drop"]


def test_a_report_is_complete_if_all_runs_are():
    runs = (Run(mode="drift"), Run(mode="check", is_complete=False))

    assert not RunReport(runs=runs).is_complete
    assert RunReport(runs=runs[:1]).is_complete
