"""The report of a run as one value, with its findings and fingerprints, from which every report in a file is made."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_args

from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.diagnostics.text import counted
from pytest_delta_schema.engine.outcomes import (
    CheckKind,
    CheckOutcome,
    DataChecks,
    OutcomeStatement,
    Status,
    TableChange,
    status_text,
    worst,
)
from pytest_delta_schema.report.text import is_creation
from pytest_delta_schema.settings.table import RISKS, CheckMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic, Severity
    from pytest_delta_schema.engine.outcomes import CheckResult, TableOutcome

    _T = TypeVar("_T")


ReportMode = Literal["check", CheckMode]
"""What a run did: ``check`` needs no catalog."""


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
    def label(self) -> str:
        """The status as texts show it, with what was not compared."""
        return status_text(self.status, self.notes)

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
        plan: The name of the plan file that it wrote or applied, and its digest; ``""`` for none.
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
    plan: str = ""


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

    def verdict(self) -> str:
        """Return in one line whether the run or its tables fail."""
        count = len(self.tables)
        number, are = counted(count, "table"), "is" if count == 1 else "are"
        failing = sum(table.status.fails for table in self.tables)
        undecided = [table.status for table in self.tables if not (table.status.passes or table.status.fails)]
        if not count:
            return "No table was checked"
        if failing:
            return f"{failing} of {number} {'fails' if failing == 1 else 'fail'}"
        if undecided:
            words = " or ".join(dict.fromkeys(status.value for status in undecided))
            return f"{len(undecided)} of {number} {'is' if len(undecided) == 1 else 'are'} {words}"
        if self.faults or any(diagnostic.severity == "error" for diagnostic in self.unmanaged):
            return f"The run fails; {number} {are} in order"
        if not self.is_complete:
            return f"The run is incomplete; {number} {are} in order"
        return f"{'The table' if count == 1 else f'All {number}'} {are} in order"

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
    CheckKind.ODCS,
]
"""The checks in the order in which a run without workers runs them."""

_STATUSES, _DATA_CHECKS = list(Status), list(DataChecks)
"""From the best to the worst."""


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
        status=worst(outcomes).status,
        location=max((outcome.location for outcome in outcomes), key=_precision),
        checks=tuple(
            CheckReport(node_id=check.node_id, check=check.check.value, outcome=check.outcome or "error")
            for check in checks
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


def merged_report(reports: Sequence[RunReport]) -> RunReport:
    """Return one report for several runs.

    Of two entries for one table, mode, backend, target and name in the catalog the one of the later run counts, as for
    a job that ran again. The worse one counts if it is not known which one is later, or whether both are of one
    catalog, as for a Spark session. A consent that one run has used is used. The report is complete if all runs are.
    """
    entries: dict[tuple[str, ...], TableReport] = {}
    for table in (table for report in reports for table in report.tables):
        known = entries.setdefault(_merge_key(table), table)
        entries[_merge_key(table)] = _counting(known, table)
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


def _merge_key(table: TableReport) -> tuple[str, ...]:
    return (table.name, table.mode, table.backend, table.stored_as, table.target)


def _counting(first: TableReport, second: TableReport) -> TableReport:
    """Return which one of two entries for one table counts."""
    is_one_catalog = first.target or not first.backend
    if is_one_catalog and first.created and second.created and first.created != second.created:
        return max(first, second, key=lambda table: table.created)
    return max(second, first, key=lambda table: _STATUSES.index(table.status))


def _once(items: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))


PROJECT_FILE = Location("pyproject.toml", 1)
"""Where a fault is shown that is in no declaration, such as a server that does not answer, because formats of code
reviews need a file, and a fault that was left out would be shown as corrected."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the worst."""

FindingKind = Literal["fault", "unreadable", "diagnostic", "change", "consent"]

_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault, or one remark that should be acted on."""

    kind: FindingKind
    """``fault`` concerns the whole run; ``consent`` is one that nothing needed. They are ordered."""
    severity: Severity
    """Whether the run fails for it."""
    code: str
    table: str
    """Dotted name of the model; ``""`` for none."""
    path: str
    """The part of the table; ``""`` for the table itself."""
    message: str
    """The fact, its reason and its remedy, on one line, without the table's name."""
    risk: str
    location: Location
    fingerprint: str
    """The same in every run in which the same thing is wrong."""

    @property
    def text(self) -> str:
        """The message with the table's name."""
        return f"{self.table}: {self.message}" if self.table else self.message


def findings(report: RunReport) -> tuple[Finding, ...]:
    """Return everything that is wrong in a report, worst first; nothing of a table that passes but its warnings."""
    numbers = report.fingerprints
    every = [
        *(
            _diagnostic_finding(fault, "", PROJECT_FILE, number, "fault")
            for fault, number in zip(report.faults, numbers.faults, strict=True)
        ),
        *map(_consent_finding, report.consents.unused),
        *(
            _diagnostic_finding(diagnostic, diagnostic.table, PROJECT_FILE, number)
            for diagnostic, number in zip(report.unmanaged, numbers.unmanaged, strict=True)
        ),
        *(
            finding
            for table, of_table in zip(report.tables, numbers.tables, strict=True)
            for finding in _table_findings(table, of_table)
        ),
    ]
    return tuple(sorted(every, key=_finding_order))


def _consent_finding(consent: str) -> Finding:
    return Finding(
        kind="consent",
        severity="error",
        code="",
        table="",
        path="",
        message=f"the consent '{consent}' is not needed; remove it",
        risk="",
        location=PROJECT_FILE,
        fingerprint=fingerprint("", "", f"consent {consent}", ""),
    )


def _table_findings(table: TableReport, numbers: TableFingerprints) -> Iterator[Finding]:
    location = table.location or PROJECT_FILE
    kind: FindingKind = "unreadable" if table.status is Status.UNREADABLE else "diagnostic"
    for diagnostic, number in zip(table.diagnostics, numbers.diagnostics, strict=True):
        yield _diagnostic_finding(diagnostic, table.name, location, number, kind)
    for remark, number in zip(table.notes, numbers.notes, strict=True):
        if remark.severity != "note":
            yield _diagnostic_finding(remark, table.name, location, number)
    if table.status.passes or table.status is Status.UNPROVEN:
        return
    created = {change.table for change in table.changes if is_creation(change)}
    for change, number in zip(table.changes, numbers.changes, strict=True):
        if change.table not in created or is_creation(change):
            yield Finding(
                kind="change",
                severity="error",
                code=change.code,
                table=table.name,
                path=change.path,
                message=_change_text(change, table),
                risk=change.risk,
                location=change.location or location,
                fingerprint=number,
            )


def _change_text(change: TableChange, table: TableReport) -> str:
    where = "" if change.table == table.stored_as else f"{change.table} "
    risk = f" [{change.risk}{f': {change.loss}' if change.loss else ''}]" if change.risk not in ("", RISKS[0]) else ""
    owner = f"; no apply changes it, because the model does not manage {change.aspect}" if change.aspect else ""
    return f"{where}{change.path}: {change.before} -> {change.after}{risk}{owner}"


def _diagnostic_finding(
    diagnostic: Diagnostic, table: str, location: Location, number: str, kind: FindingKind = "diagnostic"
) -> Finding:
    return Finding(
        kind=kind,
        severity=diagnostic.severity,
        code=diagnostic.code,
        table=table,
        path=diagnostic.path,
        message=diagnostic.fact,
        risk="",
        location=diagnostic.location or location,
        fingerprint=number,
    )


def _finding_order(finding: Finding) -> tuple[int, int, int, str]:
    risk = -RISKS.index(finding.risk) if finding.risk else 1
    return (SEVERITIES.index(finding.severity), _KINDS.index(finding.kind), risk, finding.table)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFingerprints:
    """The fingerprints of one entry of a report, in the order of what they belong to."""

    changes: tuple[str, ...] = ()
    diagnostics: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    background: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFingerprints:
    """The fingerprints of a whole report; no two are equal."""

    tables: tuple[TableFingerprints, ...] = ()
    unmanaged: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def fingerprints(report: RunReport) -> ReportFingerprints:
    """Return the fingerprint of each change and each diagnostic of a report."""
    names = _LogicalNames(report)
    groups: list[list[_FingerprintParts]] = []
    for table in report.tables:
        groups.append([names.of_change(change, table) for change in table.changes])
        groups += (
            [names.of_diagnostic(part, table) for part in parts]
            for parts in (table.diagnostics, table.notes, table.background)
        )
    groups += ([names.of_diagnostic(part) for part in parts] for parts in (report.unmanaged, report.faults))
    *of_tables, unmanaged, faults = _numbered(groups)
    columns = iter(of_tables)
    return ReportFingerprints(
        tables=tuple(
            TableFingerprints(changes=changes, diagnostics=next(columns), notes=next(columns), background=next(columns))
            for changes in columns
        ),
        unmanaged=unmanaged,
        faults=faults,
    )


class _FingerprintParts(NamedTuple):
    """The parts of a fingerprint, and whether it is about the table of its entry."""

    code: str
    table: str
    path: str
    after: str
    is_own: bool = True


def _numbered(groups: list[list[_FingerprintParts]]) -> Iterator[tuple[str, ...]]:
    """Yield the fingerprints of each group; those of the tables themselves are numbered first."""
    counts: Counter[_FingerprintParts] = Counter()
    digits: dict[tuple[int, int], str] = {}
    for is_own in (True, False):
        for row, group in enumerate(groups):
            for column, key in enumerate(group):
                if key.is_own is is_own:
                    plain = key._replace(is_own=True)
                    counts[plain] += 1
                    digits[row, column] = fingerprint(*plain[:-1], occurrence=counts[plain])
    for row, group in enumerate(groups):
        yield tuple(digits[row, column] for column in range(len(group)))


_DIGITS = 32


def fingerprint(code: str, table: str, path: str, after: str, *, occurrence: int = 1) -> str:
    """Return 32 hexadecimal digits that are the same in every run, wherever the declaration moves.

    The table is the name of the model, so bindings do not matter, and ``after`` is ``""`` for a diagnostic. The
    occurrence counts equal findings of one report from one.
    """
    parts: list[str | int] = [code, table, path, after]
    if occurrence > 1:
        parts.append(occurrence)
    # JSON keeps the parts apart, whatever they hold, and writes each character as ASCII.
    return sha256(json.dumps(parts).encode("ascii")).hexdigest()[:_DIGITS]


_REFERENCES = ") references "
_SCHEMA_PATH = "schema "


def _referenced(text: str) -> str:
    """Return the name of the table that a foreign key points at; its columns and RELY may follow."""
    table = text.removesuffix(" rely") or text
    end = table.find(" (", 1) if table.endswith(")") else -1
    return table if end < 0 else table[:end]


class _LogicalNames:
    """The names that models have, for those of tables in the catalog."""

    def __init__(self, report: RunReport) -> None:
        self._names = {table.stored_as: table.name for table in reversed(report.tables) if table.stored_as}
        self._bindings = [tuple(_reversed_bindings(run)) for run in report.runs]

    def of_change(self, change: TableChange, table: TableReport) -> _FingerprintParts:
        """Return what the fingerprint of a change is made from."""
        name = self._name(change.table, table)
        path, after = change.path, change.after
        if path.startswith(_SCHEMA_PATH):
            path = _SCHEMA_PATH + name.rpartition(".")[0]
        columns, reference, rest = after.partition(_REFERENCES)
        if path.startswith("foreign_keys.") and columns.startswith("(") and rest:
            parent = _referenced(rest)
            after = f"{columns}{reference}{self._name(parent, table)}{rest[len(parent) :]}"
        return _FingerprintParts(change.code, name, path, after, name == table.name)

    def of_diagnostic(self, diagnostic: Diagnostic, table: TableReport | None = None) -> _FingerprintParts:
        """Return what the fingerprint of a diagnostic is made from; its message may change."""
        name = self._name(diagnostic.table, table)
        is_own = table is None or name == table.name
        return _FingerprintParts(diagnostic.code or diagnostic.rule, name, diagnostic.path, "", is_own)

    def _name(self, stored: str, table: TableReport | None) -> str:
        if table is not None and stored in {table.name, table.stored_as}:
            return table.name
        if stored in self._names:
            return self._names[stored]
        possible = {name for bindings in self._bindings for name in _unbound(stored, bindings)}
        return possible.pop() if len(possible) == 1 else stored


def _reversed_bindings(run: Run) -> Iterable[tuple[str, str]]:
    return ((f"{target}.", f"{prefix}.") for prefix, target in run.bindings)


def _unbound(stored: str, bindings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the names that bindings may have mapped to a stored name."""
    for target, prefix in bindings:
        if f"{stored}.".startswith(target):
            yield f"{prefix}{stored[len(target) :]}".rstrip(".")
