"""Join the reports of several runs, such as those of the jobs of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.report.run_report import Consents, RunReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.report.run_report import TableReport

_T = TypeVar("_T")


def merged_report(reports: Sequence[RunReport]) -> RunReport:
    """Return one report for several runs.

    Of two entries for one table, mode, backend and name in the catalog the later one counts, as for a job that ran
    again. A consent that one run has used is used. The report is complete if all runs are.

    Args:
        reports: At least one, the oldest first.
    """
    entries = {_key(table): table for report in reports for table in report.tables}
    used = _once(consent for report in reports for consent in report.consents.used)
    unused = _once(consent for report in reports for consent in report.consents.unused)
    return RunReport(
        runs=tuple(run for report in reports for run in report.runs),
        tables=tuple(entries[key] for key in sorted(entries)),
        unmanaged=_once(diagnostic for report in reports for diagnostic in report.unmanaged),
        faults=_once(diagnostic for report in reports for diagnostic in report.faults),
        consents=Consents(
            used=used,
            unused=tuple(consent for consent in unused if consent not in used),
            expired=_once(consent for report in reports for consent in report.consents.expired),
        ),
    )


def _key(table: TableReport) -> tuple[str, ...]:
    return (table.name, table.mode, table.backend, table.stored_as)


def _once(items: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))
