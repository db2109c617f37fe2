"""Whom a change of a contract breaks."""

from dataclasses import replace

from models import orders
from pytest_delta_schema import Column
from pytest_delta_schema.compatibility import CompatibilityFinding, judge_change, worst_verdict


def test_judge_change():
    renamed = [
        replace(column, name="state", renamed_from="status") if column.name == "status" else column
        for column in orders.columns
    ]
    changed = replace(orders, columns=[*renamed, Column("note", "string")])

    findings = judge_change(orders, changed, roles=["readers", "writers"])

    assert all(isinstance(finding, CompatibilityFinding) for finding in findings)
    assert worst_verdict(findings) == "breaking"
    assert {finding.rule: finding.verdict for finding in findings if finding.role == "readers"} == {
        "ColumnRenamed": "breaking",
        "NullableColumnAdded": "safe",
    }
    assert findings[0].upgrade_first == "upgrade readers with this release"
