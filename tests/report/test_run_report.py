"""The report of a run as a value, merged from several runs, and plans as scripts for review."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.plan import TablePlan, TablePlanner
from pytest_delta_schema.report import plan_script
from pytest_delta_schema.report.html_report import html_page
from pytest_delta_schema.report.markdown import pull_request_comment
from pytest_delta_schema.report.run_report import Consents, RunReport, TableReport, merged_report
from pytest_delta_schema.state import TableState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import BOTH, INT
from support.models import NAME, catalog, column, table
from support.reports import BLOCKED, DRIFTED, IN_SYNC, RUN, UNJUDGED, UNMANAGED, sample_report
from support.snapshots import TextSnapshot

FAULT = Diagnostic(table="", message="the server does not answer")
INCOMPLETE = (replace(RUN, is_complete=False),)


VERDICTS: list[tuple[tuple[TableReport, ...], dict[str, Any], str]] = [
    ((DRIFTED, BLOCKED, IN_SYNC), {}, "2 of 3 tables fail"),
    ((DRIFTED,), {"runs": INCOMPLETE, "faults": (FAULT,)}, "1 of 1 table fails"),
    ((IN_SYNC,), {}, "The table is in order"),
    ((IN_SYNC, IN_SYNC), {}, "All 2 tables are in order"),
    ((IN_SYNC, UNJUDGED), {}, "1 of 2 tables is not judged"),
    ((UNJUDGED, UNJUDGED), {}, "2 of 2 tables are not judged"),
    ((IN_SYNC,), {"unmanaged": (UNMANAGED,)}, "The run fails; 1 table is in order"),
    ((IN_SYNC,), {"unmanaged": (replace(UNMANAGED, severity="note"),)}, "The table is in order"),
    ((IN_SYNC, IN_SYNC), {"faults": (FAULT,), "runs": INCOMPLETE}, "The run fails; 2 tables are in order"),
    ((IN_SYNC,), {"runs": INCOMPLETE}, "The run is incomplete; 1 table is in order"),
    ((), {}, "No table was checked"),
]


def test_every_report_begins_with_one_verdict():
    for tables, parts, verdict in VERDICTS:
        report = RunReport(**{"runs": (RUN,), "tables": tables, **parts})

        assert report.verdict() == verdict
        assert pull_request_comment(report).startswith(f"### Delta schema: {verdict}\n")
        assert f"<h1>{verdict}</h1>" in html_page(report)


OTHER_RUN = replace(RUN, mode="check", backend="", created="2026-01-31T13:00:00Z")
FAULT = replace(UNMANAGED, table="", message="no route to host")


def test_a_merged_report_has_each_part_once_and_all_runs_in_their_order():
    report = sample_report(faults=(FAULT,), tables=(BLOCKED, DRIFTED, IN_SYNC))

    assert merged_report([report, report]) == replace(report, runs=(RUN, RUN))
    assert merged_report([sample_report(), sample_report(runs=(OTHER_RUN,))]).runs == (RUN, OTHER_RUN)


TARGET = "c" * 16
EARLY, LATE = "2026-01-31T12:00:00Z", "2026-01-31T12:00:01Z"


def statuses(early, late):
    """Return the status of a table of two reports, merged in both orders of their files."""
    reports = [sample_report(early), sample_report(late)]
    return [merged_report(files).tables[0].status for files in (reports, reports[::-1])]


def test_the_later_run_counts_in_any_order_of_files_and_else_the_worse_status():
    drifted = replace(DRIFTED, target=TARGET)
    in_sync = replace(drifted, status=Status.IN_SYNC)
    cases = {
        (EARLY, LATE): Status.IN_SYNC,
        (LATE, EARLY): Status.DRIFTED,
        (EARLY, EARLY): Status.DRIFTED,
        ("", LATE): Status.DRIFTED,
        (LATE, ""): Status.DRIFTED,
        ("", ""): Status.DRIFTED,
    }

    assert {
        times: statuses(*(replace(table, created=time) for table, time in zip((drifted, in_sync), times, strict=True)))
        for times in cases
    } == {times: [status] * 2 for times, status in cases.items()}


def test_where_the_catalog_may_be_another_one_the_worse_status_counts():
    cases = {"session": Status.DRIFTED, "memory": Status.DRIFTED, "": Status.IN_SYNC}
    early = {backend: replace(DRIFTED, backend=backend, created=EARLY) for backend in cases}
    late = {backend: replace(table, created=LATE, status=Status.IN_SYNC) for backend, table in early.items()}

    assert {backend: statuses(early[backend], late[backend]) for backend in cases} == {
        backend: [status] * 2 for backend, status in cases.items()
    }


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
        [sample_report(replace(drifted, created=EARLY), BLOCKED), sample_report(applied, *elsewhere)],
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


def test_nothing_in_a_header_becomes_sql():
    plan = TablePlanner().plan(
        [table(column("a\nDROP TABLE x;--\u2028y"), comment="b\r\nDROP TABLE x")],
        catalog(TableState(name=NAME, exists=False)),
    )

    header = plan_script(plan).split("CREATE TABLE")[0]

    assert "DROP TABLE x" in header
    assert [line for line in header.split("\n") if "DROP" in line and not line.startswith("-- ")] == []


def test_every_table_of_a_plan_has_a_header_with_its_changes(snapshot):
    """A rewrite names the clients that the first clustering excludes."""
    legacy = table(column(), column("n", INT), column("legacy"))
    widened = table(column(is_nullable=False), column("N"), table_properties=BOTH)
    parted, clustered = (table(column(), column("d"), **{key: ["d"]}) for key in ("partitioned_by", "clustered_by"))
    plans = [
        TablePlanner().plan([after], catalog(desired_state(before)))
        for before, after in ((legacy, widened), (parted, clustered))
    ]

    assert "\n\n".join([*map(plan_script, [*plans, TablePlan()]), ""]) == snapshot(extension_class=TextSnapshot)
