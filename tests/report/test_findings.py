"""What a report finding wrong, worst first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.engine.outcomes import Status, TableChange
from pytest_delta_schema.report.run_report import PROJECT_FILE, Consents, findings
from support.reports.run_reports import BLOCKED, DRIFTED, IN_SYNC, UNREADABLE, sample_report

FAULT = Diagnostic(table="", message="the server does not answer", remedy="start it", concerns_run=True)


def test_worst_first():
    shown = [(finding.kind, finding.text) for finding in findings(sample_report(faults=(FAULT,)))]

    assert shown == [
        ("fault", "the server does not answer; start it"),
        ("unreadable", "dev.silver.broken: the log ends in the middle of a line"),
        ("diagnostic", "dev.silver: holds 1 table that no model declares: ci.silver.tmp"),
        (
            "diagnostic",
            (
                "dev.silver.customers: column legacy would be dropped; consent with allow = ['drop-column"
                " dev.silver.customers.legacy']"
            ),
        ),
        ("change", "dev.silver.customers: columns.legacy: string -> (absent) [destructive]"),
        (
            "change",
            "dev.silver.orders: columns.amount.type: int -> bigint [feature: readers without type widening]",
        ),
        ("change", "dev.silver.orders: columns.note: (absent) -> string 'free text'"),
        ("consent", "the consent 'drop-column dev.silver.orders.old' is not needed; remove it"),
    ]


def test_the_order_of_the_tables_does_not_matter():
    tables = (UNREADABLE, BLOCKED, DRIFTED, IN_SYNC)

    assert findings(sample_report(*tables)) == findings(sample_report(*reversed(tables)))


def test_places():
    shown = {finding.message: finding.location for finding in findings(sample_report(faults=(FAULT,)))}

    assert shown["columns.note: (absent) -> string 'free text'"] == Location("shop/models.py", 14, 9, 14)
    assert shown["the server does not answer; start it"] == PROJECT_FILE


def test_a_table_whose_declaration_is_not_known():
    table = replace(DRIFTED, location=None, changes=(replace(DRIFTED.changes[0], location=None),))

    (finding,) = findings(sample_report(table, unmanaged=(), consents=Consents()))

    assert finding.location == PROJECT_FILE


def test_a_table_that_does_not_exist_is_one_finding():
    creation = TableChange(
        table="ci.silver.orders",
        marker="+",
        path="table",
        before="(absent)",
        after="created with 1 column",
        code="DD101",
    )
    column = replace(creation, path="columns.id", after="int")
    child = replace(column, table="ci.silver.items", path="foreign_keys.fk", after="(order_id)")
    table = replace(DRIFTED, changes=(creation, column, child))

    assert [finding.message for finding in findings(sample_report(table, unmanaged=(), consents=Consents()))] == [
        "table: (absent) -> created with 1 column",
        "ci.silver.items foreign_keys.fk: (absent) -> (order_id)",
    ]


@pytest.mark.parametrize("status", [status for status in Status if status.passes])
def test_changes_of_a_table_that_passes_are_no_findings(status):
    table = replace(DRIFTED, status=status)

    assert findings(sample_report(table, unmanaged=(), consents=Consents())) == ()


def test_only_warnings_of_the_remarks():
    notes = (
        Diagnostic(severity="note", table="t", message="only a remark"),
        Diagnostic(severity="warning", table="t", message="act on it"),
    )
    table = replace(IN_SYNC, notes=notes)

    (finding,) = findings(sample_report(table, unmanaged=(), consents=Consents()))

    assert (finding.severity, finding.text) == ("warning", "dev.silver.regions: act on it")


def test_what_no_apply_changes():
    change = replace(DRIFTED.changes[0], aspect="comments")
    table = replace(DRIFTED, changes=(change,))

    (finding,) = findings(sample_report(table, unmanaged=(), consents=Consents()))

    assert finding.message == (
        "columns.note: (absent) -> string 'free text'; no apply changes it, because the model does not manage comments"
    )


def test_fingerprints_are_unique():
    twice = replace(DRIFTED, changes=DRIFTED.changes * 2)
    shown = findings(sample_report(twice))

    assert len({finding.fingerprint for finding in shown}) == len(shown)
