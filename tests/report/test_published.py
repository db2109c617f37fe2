"""What a report does not show."""

from __future__ import annotations

from dataclasses import replace

from pytest_delta_schema.errors import Diagnostic, Location
from pytest_delta_schema.redaction import without_hosts
from pytest_delta_schema.report.published import published
from support.run_reports import BLOCKED, FILE, sample_report

CHECK = Diagnostic(
    rule="RowsViolateCheck",
    table="ci.silver.customers",
    message="check c cannot be added, because 1 row breaks it, of 2",
    samples="id = 7",
    remedy="ask https://u:p@lake.example:8080/x?token=1",
    location=Location(FILE, 1),
    concerns_run=True,
)
TABLE = replace(BLOCKED, diagnostics=(CHECK,), failure=f"first\n{CHECK}")


def _relative(location: Location) -> Location | None:
    return location._replace(file=f"sub/{location.file}") if location.line > 1 else None


def _published(*, with_samples):
    return published(
        sample_report(TABLE, faults=(CHECK,)), hide=without_hosts, relative=_relative, with_samples=with_samples
    )


def test_hosts_samples_and_other_files_are_left_out():
    report = _published(with_samples=False)

    [table], [fault] = report.tables, report.faults
    hidden = replace(
        CHECK, samples="", remedy="ask https://***@<server>/x?token=***", location=None, concerns_run=False
    )
    assert (table.diagnostics, fault) == ((hidden,), hidden)
    assert table.failure == f"first\n{hidden}"
    assert table.location == Location(f"sub/{FILE}", 30, 1, 40)
    assert [change.location for change in table.changes] == [Location(f"sub/{FILE}", 30, 1, 40)]
    assert report.unmanaged[0].location == Location(f"sub/{FILE}", 10)


def test_samples_are_shown_on_request():
    [table] = _published(with_samples=True).tables

    assert table.diagnostics[0].samples == "id = 7"
    assert "such as id = 7; ask" in table.failure
