"""The report of a run as one value, from which every report in a file is made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pytest_delta_schema.engine.outcomes import CheckKind, DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.report.findings import findings, fingerprints
from pytest_delta_schema.settings.table import RISKS, CheckMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.report.findings import Finding, ReportFingerprints


ReportMode = Literal["check", CheckMode]
"""What a run did: ``check`` needs no catalog."""

CheckOutcome = Literal["passed", "failed", "error", "skipped"]
"""How pytest reports a check; ``error`` is one in set-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """One test item of a table.

    Args:
        node_id: Its id in pytest, such as ``shop/models.py::dev.silver.orders::drift``.
        check: Its last part, such as ``drift``.
        outcome: How it ended.
    """

    node_id: str
    check: str
    outcome: CheckOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReport:
    """Everything that the checks of one table in one mode have shown.

    Args:
        name: Dotted name of the model.
        stored_as: Dotted name of the table in the catalog; ``""`` if no catalog was needed.
        mode: The mode of the run.
        backend: Name of the backend; ``""`` if no catalog was needed.
        target: A digest of where the catalog is, such as the address of a server or the path of a warehouse; ``""`` if
            that is not known, or no catalog was needed.
        created: When its run ended, in UTC; ``""`` if that is not known.
        status: The worst status of its checks.
        location: The declaration, its file relative to the root of the sources; ``None`` if it lies outside of them.
        checks: Its test items, in the order in which they ran.
        observed_version: Delta version that was read; ``None`` for a new table, and without a catalog.
        changes: Every difference; those of the table itself come first.
        diagnostics: Why the table fails; those of the table itself come first.
        notes: Remarks that do not fail it.
        background: Where the differences come from, such as the commits that added columns.
        statements: The SQL of the plan, in order.
        data_checks: Whether data checks ran.
        restore_version: The version before an apply; ``None`` if there was none, or nothing ran.
        restore_sql: The SQL that restores it; ``""`` for none.
        failure: The text of an error of the catalog; ``""`` if there was none.
        declared: The state that the model wants, as JSON values; ``None`` if it was not asked for.
        observed: The state that the catalog holds, as JSON values; ``None`` if it was not asked for or not read.
    """

    name: str
    stored_as: str = ""
    mode: ReportMode
    backend: str = ""
    target: str = ""
    created: str = ""
    status: Status
    location: Location | None = None
    checks: tuple[CheckReport, ...] = ()
    observed_version: int | None = None
    changes: tuple[TableChange, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    background: tuple[Diagnostic, ...] = ()
    statements: tuple[OutcomeStatement, ...] = ()
    data_checks: DataChecks = DataChecks.NOT_RUN
    restore_version: int | None = None
    restore_sql: str = ""
    failure: str = ""
    declared: Mapping[str, Any] | None = None
    observed: Mapping[str, Any] | None = None

    @property
    def risk(self) -> str:
        """The highest risk of its changes; ``""`` for none."""
        return max((change.risk for change in self.changes if change.risk), key=RISKS.index, default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of pytest.

    Args:
        mode: What it did.
        backend: Name of the backend; ``""`` if no catalog was needed.
        against: The commits and folders with which contracts were compared, such as ``main: merge base 1a2b3c4d5e6f, 3
            commits before HEAD``.
        bindings: Names in models, each with the name in the catalog to which it is mapped.
        commit: The commit of the sources; ``""`` outside of a git repository.
        source_url: The address at which the sources of that commit can be read, up to the path of a file, such as
            ``https://github.com/acme/shop/blob/<commit>``; ``""`` if it is not known.
        created: When it ended, in UTC, such as ``2026-01-31T12:00:00Z``.
        seconds: How long it took.
        is_complete: Whether every selected check has ended, and no worker crashed.
        tool_version: The version of this package.
    """

    mode: ReportMode
    backend: str = ""
    against: tuple[str, ...] = ()
    bindings: tuple[tuple[str, str], ...] = ()
    commit: str = ""
    source_url: str = ""
    created: str = ""
    seconds: float = 0.0
    is_complete: bool = True
    tool_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consents:
    """The consents of the project, as they are written.

    Args:
        used: Those that a plan needed.
        unused: Those that no plan needed.
        expired: Those that have expired.
    """

    used: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    expired: tuple[str, ...] = ()


REPORT_VERSION = 1
"""The version of the JSON form. It grows when a key changes its meaning or is removed; a new key leaves it as it is."""


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """Everything that one run has shown, or several merged ones.

    It has no slots, because it keeps what all formats need once that is computed.

    Args:
        runs: The runs; at least one.
        tables: One entry for each table and mode, sorted by name.
        unmanaged: Schemas with tables that no model declares; an error fails the run, a note does not.
        faults: Faults of the whole run, such as a server that cannot be reached.
        consents: Which consents were used.
    """

    runs: tuple[Run, ...]
    tables: tuple[TableReport, ...] = ()
    unmanaged: tuple[Diagnostic, ...] = ()
    faults: tuple[Diagnostic, ...] = ()
    consents: Consents = Consents()

    @property
    def is_complete(self) -> bool:
        """Whether every run is complete."""
        return all(run.is_complete for run in self.runs)

    @cached_property
    def fingerprints(self) -> ReportFingerprints:
        """The fingerprint of each change and each diagnostic."""
        return fingerprints(self)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that is wrong, worst first."""
        return findings(self)

    def has_several_targets(self) -> bool:
        """Whether it joins runs on catalogs at several addresses or paths."""
        return len({table.target for table in self.tables if table.target}) > 1

    def counts(self) -> dict[str, int]:
        """Return how many tables have each status, by its text; only those that occur, in the order of the statuses."""
        numbers = Counter(table.status for table in self.tables)
        return {status.value: numbers[status] for status in Status if numbers[status]}

    def risks(self) -> dict[str, int]:
        """Return how many changes have each risk; only those that occur, from the lowest to the highest."""
        numbers = Counter(change.risk for table in self.tables for change in table.changes)
        return {risk: numbers[risk] for risk in RISKS if numbers[risk]}


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
    """Return an entry for each table, sorted by name; a table whose checks were all skipped has none."""
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


_T = TypeVar("_T")

_STATUSES_BY_RANK = list(Status)
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
    return max(second, first, key=lambda table: _STATUSES_BY_RANK.index(table.status))


def _once(items: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))
