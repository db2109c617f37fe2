"""Join the reports of several runs, such as those of the jobs of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.engine.outcomes.outcome import Status
from pytest_delta_schema.report.report_entries import Consents
from pytest_delta_schema.report.run_report import RunReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.report.report_entries import TableReport

_T = TypeVar("_T")

_STATUSES = list(Status)
"""From the best to the worst."""


def merged_report(reports: Sequence[RunReport]) -> RunReport:
    """Return one report for several runs.

    Of two entries for one table, mode, backend, target and name in the catalog the one of the later run counts, as for
    a job that ran again. The worse one counts if it is not known which one is later, or whether both are of one
    catalog, as for a Spark session. A consent that one run has used is used. The report is complete if all runs are.
    """
    entries: dict[tuple[str, ...], TableReport] = {}
    for table in (table for report in reports for table in report.tables):
        known = entries.setdefault(_key(table), table)
        entries[_key(table)] = _counting(known, table)
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
    return (table.name, table.mode, table.backend, table.stored_as, table.target)


def _counting(first: TableReport, second: TableReport) -> TableReport:
    """Return which one of two entries for one table counts."""
    is_one_catalog = first.target or not first.backend
    if is_one_catalog and first.created and second.created and first.created != second.created:
        return max(first, second, key=lambda table: table.created)
    return max(second, first, key=lambda table: _STATUSES.index(table.status))


def _once(items: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))
