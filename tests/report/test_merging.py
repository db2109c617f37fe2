"""Joining the reports of several runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.report.run_report import Consents, RunReport, merged_report
from support.reports.run_reports import BLOCKED, DRIFTED, IN_SYNC, RUN, UNMANAGED, sample_report

OTHER_RUN = replace(RUN, mode="check", backend="", created="2026-01-31T13:00:00Z")
FAULT = replace(UNMANAGED, table="", message="no route to host")


def test_the_runs_of_all_reports_are_in_their_order():
    assert merged_report([sample_report(), sample_report(runs=(OTHER_RUN,))]).runs == (RUN, OTHER_RUN)


def test_a_report_merged_with_itself_has_each_part_once():
    report = sample_report(faults=(FAULT,), tables=(BLOCKED, DRIFTED, IN_SYNC))

    assert merged_report([report, report]) == replace(report, runs=(RUN, RUN))


TARGET = "c" * 16
EARLY, LATE = "2026-01-31T12:00:00Z", "2026-01-31T12:00:01Z"


@pytest.mark.parametrize(
    ("drifted", "in_sync", "expected"),
    [
        (EARLY, LATE, Status.IN_SYNC),
        (LATE, EARLY, Status.DRIFTED),
        (EARLY, EARLY, Status.DRIFTED),
        ("", LATE, Status.DRIFTED),
        (LATE, "", Status.DRIFTED),
        ("", "", Status.DRIFTED),
    ],
)
def test_the_later_run_counts_in_any_order_of_files_and_else_the_worse_status(drifted, in_sync, expected):
    reports = [
        sample_report(replace(DRIFTED, target=TARGET, created=drifted)),
        sample_report(replace(DRIFTED, target=TARGET, created=in_sync, status=Status.IN_SYNC)),
    ]

    statuses = [[table.status for table in merged_report(files).tables] for files in (reports, reports[::-1])]

    assert statuses == [[expected], [expected]]


@pytest.mark.parametrize(
    ("backend", "expected"), [("session", Status.DRIFTED), ("memory", Status.DRIFTED), ("", Status.IN_SYNC)]
)
def test_where_the_catalog_may_be_another_one_the_worse_status_counts(backend, expected):
    early = replace(DRIFTED, backend=backend, created=EARLY)
    late = replace(early, created=LATE, status=Status.IN_SYNC)

    merged = [
        merged_report([sample_report(first), sample_report(second)]) for first, second in ((early, late), (late, early))
    ]

    assert [[table.status for table in report.tables] for report in merged] == [[expected], [expected]]


def test_tables_of_two_targets_stay_apart():
    prod = replace(DRIFTED, target="a" * 16, created=EARLY)
    staging = replace(DRIFTED, target="b" * 16, created=LATE, status=Status.IN_SYNC)

    assert merged_report([sample_report(staging), sample_report(prod)]).tables == (prod, staging)


def test_of_two_entries_for_one_table_the_later_one_counts():
    drifted = replace(DRIFTED, target=TARGET)
    applied = replace(drifted, status=Status.IN_SYNC, changes=(), created=LATE)
    elsewhere = [
        replace(drifted, mode="apply"),
        replace(drifted, backend="local"),
        replace(drifted, stored_as="prod.silver.orders"),
    ]

    merged = merged_report(
        [sample_report(replace(drifted, created=EARLY), BLOCKED), sample_report(applied, *elsewhere)]
    )

    assert merged.tables == (BLOCKED, elsewhere[0], elsewhere[1], applied, elsewhere[2])
    again = replace(drifted, created="2026-02-01T00:00:00Z")
    assert merged_report([sample_report(applied), sample_report(again)]).tables == (again,)


def test_a_consent_that_one_run_has_used_is_used():
    reports = [
        sample_report(consents=Consents(used=("a",), unused=("b", "c"), expired=("e",))),
        sample_report(consents=Consents(used=("b",), unused=("a", "c", "d"), expired=("e", "f"))),
    ]

    assert merged_report(reports).consents == Consents(used=("a", "b"), unused=("c", "d"), expired=("e", "f"))


def test_what_several_runs_say_of_the_whole_is_there_once():
    other = replace(UNMANAGED, message="holds 2 tables")

    merged = merged_report(
        [sample_report(faults=(FAULT,)), sample_report(faults=(FAULT,), unmanaged=(UNMANAGED, other))]
    )

    assert (merged.faults, merged.unmanaged) == ((FAULT,), (UNMANAGED, other))


def test_it_is_complete_if_all_runs_are():
    cut = RunReport(runs=(replace(RUN, is_complete=False),))

    assert merged_report([sample_report()]).is_complete
    assert not merged_report([sample_report(), cut]).is_complete
