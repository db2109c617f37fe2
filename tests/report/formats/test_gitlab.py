"""The Code Quality report of GitLab."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.report.ci_formats import gitlab_json
from pytest_delta_schema.report.run_report import Consents, findings
from support.reports.run_reports import BLOCKED, DRIFTED, IN_SYNC, UNREADABLE, sample_report

NOTHING = {"unmanaged": (), "consents": Consents()}


def test_one_table():
    report = sample_report(DRIFTED, **NOTHING)

    first, second = json.loads(gitlab_json(report))

    assert first == {
        "description": "dev.silver.orders: columns.amount.type: int -> bigint [feature: readers without type widening]",
        "check_name": "DD104",
        "fingerprint": findings(report)[0].fingerprint,
        "severity": "major",
        "location": {"path": "shop/models.py", "lines": {"begin": 13}},
    }
    assert (second["severity"], second["location"]["lines"]) == ("minor", {"begin": 14})


def test_nothing_is_wrong():
    assert gitlab_json(sample_report(IN_SYNC, **NOTHING)) == "[]\n"


@pytest.mark.parametrize(
    ("risk", "severity"),
    [
        ("metadata", "minor"),
        ("feature", "major"),
        ("scan", "major"),
        ("rewrite", "critical"),
        ("destructive", "blocker"),
        ("", "minor"),
    ],
)
def test_severities_of_changes(risk, severity):
    table = replace(DRIFTED, changes=(replace(DRIFTED.changes[0], risk=risk),))

    assert [issue["severity"] for issue in json.loads(gitlab_json(sample_report(table, **NOTHING)))] == [severity]


def test_other_severities():
    warned = replace(IN_SYNC, notes=(Diagnostic(severity="warning", table="t", message="act on it"),))
    report = sample_report(UNREADABLE, replace(BLOCKED, changes=()), warned, **NOTHING)

    assert [issue["severity"] for issue in json.loads(gitlab_json(report))] == ["critical", "critical", "minor"]


def test_a_snapshot_that_nobody_has_accepted_is_less_than_a_changed_type():
    snapshot = Diagnostic(code="DS127", table="dev.silver.orders", message="its SQL is not the one in the snapshot")
    report = sample_report(replace(DRIFTED, diagnostics=(snapshot,)), **NOTHING)

    issues = {issue["check_name"]: issue["severity"] for issue in json.loads(gitlab_json(report))}

    assert issues == {"DS127": "minor", "DD104": "major", "DD102": "minor"}


def test_what_gitlab_requires_of_each_issue():
    hostile = Diagnostic(table="t", message='"\\\n\x00</script>::error::x', path="columns.ä\u202e")
    twice = replace(BLOCKED, diagnostics=(hostile, hostile))
    issues = json.loads(gitlab_json(sample_report(UNREADABLE, twice, DRIFTED, faults=(hostile,))))

    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["check_name"]
        assert issue["description"].isprintable()
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert not issue["location"]["path"].startswith(("/", "./"))
        assert issue["location"]["lines"]["begin"] >= 1
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
