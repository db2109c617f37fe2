"""Join the outcomes of the checks of each table to one entry of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.engine.outcomes.outcome import CheckKind, DataChecks, Status
from pytest_delta_schema.report.report_entries import CheckReport, TableReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.diagnostics.errors import Location
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome
    from pytest_delta_schema.report.report_entries import CheckOutcome, ReportMode

_CHECKS = [
    CheckKind.RULES,
    CheckKind.DDL,
    CheckKind.DRIFT,
    CheckKind.APPLY,
    CheckKind.METADATA,
    CheckKind.UNMANAGED,
    CheckKind.ENFORCES,
    CheckKind.COMPAT,
]
"""The checks in the order in which a run without workers runs them."""

_STATUSES, _DATA_CHECKS = list(Status), list(DataChecks)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """How one test item ended."""

    node_id: str
    table: str
    """Dotted name of the model, or of the schema."""
    check: CheckKind
    """Its last part, such as ``drift``."""
    outcome: CheckOutcome
    result: TableOutcome | None
    """The outcome of the check; ``None`` for an item that was skipped before it ran."""
    declared: Mapping[str, Any] | None = None
    """The state that the model wants, as JSON values; ``None`` if it is not known."""
    observed: Mapping[str, Any] | None = None
    """The state that the catalog holds, in the same form."""


def table_reports(
    results: Iterable[CheckResult], *, mode: ReportMode, backend: str, bound: Callable[[str], str]
) -> tuple[TableReport, ...]:
    """Return an entry for each table, sorted by name; a table whose checks were all skipped has none.

    ``bound`` returns the dotted name in the catalog of a model.
    """
    tables: dict[str, list[CheckResult]] = {}
    for result in sorted(results, key=lambda result: (result.table, _CHECKS.index(result.check), result.node_id)):
        tables.setdefault(result.table, []).append(result)
    entries = []
    for name, checks in tables.items():
        outcomes = [result.result for result in checks if result.result is not None]
        if outcomes:
            stored = next((outcome.stored_as for outcome in outcomes if outcome.stored_as), "") or bound(name)
            entries.append(_entry(checks, outcomes, mode, backend, stored if backend else ""))
    return tuple(entries)


def _entry(
    checks: Sequence[CheckResult], outcomes: Sequence[TableOutcome], mode: ReportMode, backend: str, stored_as: str
) -> TableReport:
    restorable = next((outcome for outcome in outcomes if outcome.restore_sql), None)
    versions = (outcome.observed_version for outcome in outcomes)
    return TableReport(
        name=checks[0].table,
        stored_as=stored_as,
        mode=mode,
        backend=backend,
        status=max(outcomes, key=_severity).status,
        location=max((outcome.location for outcome in outcomes), key=_precision),
        checks=tuple(
            CheckReport(node_id=check.node_id, check=check.check.value, outcome=check.outcome) for check in checks
        ),
        observed_version=next((version for version in versions if version is not None), None),
        changes=_joined(outcome.changes for outcome in outcomes),
        diagnostics=_joined(outcome.diagnostics for outcome in outcomes),
        notes=_joined(outcome.notes for outcome in outcomes),
        background=_joined(outcome.background for outcome in outcomes),
        statements=_joined(outcome.statements for outcome in outcomes),
        data_checks=max((outcome.data_checks for outcome in outcomes), key=_DATA_CHECKS.index),
        restore_version=None if restorable is None else restorable.observed_version,
        restore_sql="" if restorable is None else restorable.restore_sql,
        declared=next((check.declared for check in checks if check.declared is not None), None),
        observed=next((check.observed for check in checks if check.observed is not None), None),
        failure="\n\n".join(dict.fromkeys(outcome.failure for outcome in outcomes if outcome.failure)),
    )


def _severity(outcome: TableOutcome) -> float:
    """Return how bad an outcome is; what a catalog shows tells more about a table than a snapshot does."""
    return 0.5 + _STATUSES.index(Status.SYNCED if outcome.check is CheckKind.DDL else outcome.status)


def _precision(location: Location | None) -> int:
    """Return how much is known about a location: the lines of a declaration, one line, or nothing."""
    return 0 if location is None else 1 + (location.end_line is not None)


def _joined(parts: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Join what several checks have shown; what an earlier one has shown is left out."""
    joined: list[Any] = []
    for part in parts:
        known = set(joined)
        joined += [item for item in part if item not in known]
    return tuple(joined)
