"""Remove from a report what does not leave the machine: hosts, samples of rows, and paths outside of the sources."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.escaping import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_delta_schema.engine.outcome import TableChange
    from pytest_delta_schema.errors import Diagnostic, Location
    from pytest_delta_schema.report.run_report import RunReport, TableReport

    _Located = TypeVar("_Located", TableChange, Diagnostic, TableReport)


def published(
    report: RunReport,
    *,
    hide: Callable[[str], str],
    relative: Callable[[Location], Location | None],
    with_samples: bool,
) -> RunReport:
    """Return a report that may be shown to everybody who may read the sources.

    Args:
        report: The report.
        hide: Returns a message without hosts and tokens.
        relative: Returns a location relative to the root of the sources; ``None`` outside of them.
        with_samples: Whether it names rows that fail data checks.
    """

    def located(part: _Located) -> _Located:
        return part if part.location is None else replace(part, location=relative(part.location))

    def diagnostics(parts: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(
            replace(
                located(part),
                message=hide(part.message),
                remedy=hide(part.remedy),
                samples=hide(part.samples) if with_samples else "",
                concerns_run=False,
            )
            for part in parts
        )

    def table(entry: TableReport) -> TableReport:
        failure = entry.failure
        if not with_samples:
            for diagnostic in entry.diagnostics:
                if diagnostic.samples:
                    failure = failure.replace(escaped(diagnostic.full_message), escaped(diagnostic.message))
        return replace(
            located(entry),
            changes=tuple(map(located, entry.changes)),
            diagnostics=diagnostics(entry.diagnostics),
            notes=diagnostics(entry.notes),
            background=diagnostics(entry.background),
            failure=hide(failure),
        )

    return replace(
        report,
        tables=tuple(map(table, report.tables)),
        unmanaged=diagnostics(report.unmanaged),
        faults=diagnostics(report.faults),
    )
