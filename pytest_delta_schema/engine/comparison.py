"""The declared tables of a run, compared with the contracts of the past."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.compatibility.judging import decided, joined_diagnostic, judge_change, needed_consent
from pytest_delta_schema.diagnostics.errors import diagnostic_of
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.engine.outcomes import CheckKind, Status, TableOutcome
from pytest_delta_schema.execute.protocols import Capabilities
from pytest_delta_schema.history.contracts import UnreadableContract
from pytest_delta_schema.rules.consent import BREAK, breakable_parts, consent_entry, quoted_consent
from pytest_delta_schema.rules.policy import compatibility_of
from pytest_delta_schema.settings.table import NOTED_ROLES, ROLES
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from pytest_delta_schema.compatibility.judging import CompatibilityFinding, Decision, DecisionResult
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic, Severity
    from pytest_delta_schema.diagnostics.faults import Witness
    from pytest_delta_schema.history.contracts import Announcements, PastContract, PastContracts, PastFault
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.rules.consent import Consent, NeededConsent

_NOT_IN_SQL = ("ownership", "evolution")
"""What a contract that was read from SQL does not hold."""

_NONE: tuple[Diagnostic, ...] = ()
_SEVERITIES: Mapping[DecisionResult, Severity] = {
    "fails": "error",
    "not judged": "warning",
    "tolerated": "warning",
    "allowed": "note",
    "other role": "note",
}


class ContractComparison:
    """The declared tables of a run and the contracts of the past."""

    def __init__(  # noqa: PLR0913 - what a run knows
        self,
        past: PastProjects,
        declarations: Declarations,
        *,
        today: date,
        is_complete: bool,
        shows_every_role: bool = False,
        witness: Callable[[CompatibilityFinding, TableState, TableState | None], Witness | None] | None = None,
    ) -> None:
        self.past = past
        self.is_complete = is_complete
        self.used: set[Consent] = set()
        self._declarations = declarations
        self._today = today
        self._shows_every_role = shows_every_role
        self._witness = witness

    def outcome(self, table: Table) -> TableOutcome:
        """Return whom the change of a declared table breaks."""
        declarations = self._declarations
        status, diagnostics, notes = Status.BLOCKED, declarations.violations(table), _NONE
        if not diagnostics:
            status, diagnostics, notes = self._judged(table.name, declarations.contract_state(table))
        return TableOutcome(
            table=table.qualified_name,
            check=CheckKind.COMPAT,
            status=status,
            diagnostics=declarations.located(diagnostics, passes=status.passes),
            notes=declarations.located(notes, passes=status.passes and not notes),
            location=declarations.location(table, passes=status.passes),
        )

    def outcome_of_gone(self, name: QualifiedName) -> TableOutcome:
        """Return whom it breaks that a table is not declared any more."""
        status, diagnostics, notes = self._judged(name, None)
        return TableOutcome(
            table=str(name), check=CheckKind.COMPAT, status=status, diagnostics=diagnostics, notes=notes
        )

    def contracts(self) -> dict[QualifiedName, frozenset[ColumnPath]]:
        """Return the parts that each table has or had, and that a consent can name."""
        parts: dict[QualifiedName, frozenset[ColumnPath]] = {}
        for name in (*self._declarations.tables, *self.past.gone()):
            states = [past.contract.state for past in self.past.of(name) if past.contract is not None]
            if name in self._declarations.tables:
                states.append(self._declarations.contract_state(self._declarations.tables[name]))
            parts[name] = frozenset(path for state in states for path in breakable_parts(state))
        return parts

    def needed_breaks(self, name: QualifiedName) -> list[NeededConsent]:
        """Return the consents that the change of a table needs."""
        table = self._declarations.tables.get(name)
        new = None if table is None else self._declarations.contract_state(table)
        decisions = (decision for _, decision in self._all_decisions(name, new))
        return [*dict.fromkeys(needed_consent(one.finding) for one in decisions if one.result in _UNCONSENTED)]

    @cached_property
    def released(self) -> Gate:
        """The gate that compares the declared tables with their released contracts, as if these were tables."""
        from pytest_delta_schema.backends.memory.catalog import MemoryCatalog  # noqa: PLC0415 - plan files only

        declarations, states = self._declarations, list[TableState]()
        for name in declarations.tables:
            contract = next(iter(self.past.of(name))).contract
            if contract is not None:
                properties = contract.state.table_properties.items()
                held = MappingProxyType({key: value for key, value in properties if value is not None})
                states.append(replace(contract.state, table_properties=held))
        catalog = MemoryCatalog(states)
        catalog.capabilities = Capabilities(checks_follow=declarations.settings.checks_follow)
        settings = replace(declarations.settings, bindings=(), preflight=None)
        tables = declarations.tables
        return Gate(catalog, tables.values(), declarations=Declarations(settings, tables))

    def planned(self, table: Table) -> Mapping[str, Any]:
        """Return the plan from the released contract of a table to its model, as a plan file holds it."""
        faults = [fault.message for fault in next(iter(self.past.of(table.name))).faults]
        faults += [violation.fact for violation in self.released.drift(table).diagnostics]
        return {"refused": faults} if faults else {**self.released.planned(table), "capabilities": None}

    def _judged(
        self, name: QualifiedName, new: TableState | None
    ) -> tuple[Status, tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
        """Return the status of a table, why it does not pass, and what else is to be known."""
        refs: dict[Decision, list[str]] = {}
        witnesses: dict[Decision, Witness | None] = {}
        for past, decision in self._all_decisions(name, new):
            refs.setdefault(decision, []).append(past.ref)
            if self._witness and past.contract is not None and decision not in witnesses:
                witnesses[decision] = self._witness(decision.finding, past.contract.state, new)
        of_roles: dict[tuple[object, ...], list[Decision]] = {}
        for decision, given in refs.items():
            of_roles.setdefault((decision.change, *given), []).append(decision)
        parts = {}
        for decisions in of_roles.values():
            decision, *_ = decisions
            compared = refs[decision] if self.past.has_several_refs else []
            played = [witness for one in decisions if (witness := witnesses.get(one)) is not None]
            parts[decision] = _diagnostic(decisions, compared, played, self._today)
        self.used.update(decision.consent for decision in refs if decision.consent is not None)
        unread = tuple(_unreadable(str(name), fault) for past in self.past.of(name) for fault in past.faults)
        failing = tuple(part for decision, part in parts.items() if decision.result == "fails")
        unjudged = (*unread, *(part for decision, part in parts.items() if decision.result == "not judged"))
        notes = tuple(part for decision, part in parts.items() if decision.result not in {"fails", "not judged"})
        if failing:
            return Status.INCOMPATIBLE, (*failing, *unjudged), notes
        return (Status.UNJUDGED, unjudged, notes) if unjudged else (Status.COMPATIBLE, (), notes)

    def _all_decisions(self, name: QualifiedName, new: TableState | None) -> Iterator[tuple[PastTable, Decision]]:
        """Yield what the change of a table means, compared with each contract that can be read."""
        for past in self.past.of(name):
            if not past.faults and not (past.contract is None and new is None):
                yield from ((past, decision) for decision in self._decisions(name, past, new))

    def _decisions(self, name: QualifiedName, past: PastTable, new: TableState | None) -> Iterator[Decision]:
        settings = self._declarations.settings
        policy = compatibility_of(settings.compatibility, name)
        old = None if past.contract is None else past.contract.state
        findings = judge_change(
            old,
            new,
            roles=ROLES if self._shows_every_role else {*policy.roles, *NOTED_ROLES},
            clients=settings.clients,
            client_features=self._declarations.client_features,
            unknown=_NOT_IN_SQL if past.contract is not None and past.contract.from_sql else (),
            new_tables=self._introduced if new is None else (),
            released_on=None if past.announcements is None else past.announcements.released_on,
        )
        decisions = decided(
            findings,
            policy,
            consents=settings.consents,
            released=old,
            today=self._today,
            announced=past.announced,
        )
        breaking = [decision for decision in decisions if decision.finding.verdict == "breaking"]
        known = {decision.part for decision in breaking if decision.result != "other role"}
        noted = {decision for decision in breaking if decision.part not in known}
        for decision in decisions:
            if decision.result != "other role" or self._shows_every_role or decision in noted:
                yield decision

    @cached_property
    def _introduced(self) -> list[TableState]:
        """The tables that are declared and that no commit or folder has."""
        tables = self._declarations.tables
        new = [name for name in tables if all(past.contract is None and not past.faults for past in self.past.of(name))]
        return [self._declarations.contract_state(tables[name]) for name in new]


def unread_outcome(file: str, fault: PastFault) -> TableOutcome:
    """Return the outcome of a snapshot of which not even the table is known."""
    diagnostics = (_unreadable(file, fault),)
    return TableOutcome(table=file, check=CheckKind.COMPAT, status=Status.UNJUDGED, diagnostics=diagnostics)


def _unreadable(table: str, fault: PastFault) -> Diagnostic:
    """Return the diagnostic of a contract that cannot be read, and so is not judged."""
    return diagnostic_of(UnreadableContract, table, fault.message, remedy=fault.remedy, severity="warning")


_UNCONSENTED = frozenset({"fails", "not judged"})
_PROPOSED = timedelta(days=90)
"""How long a consent is valid that a message proposes."""


def _diagnostic(
    decisions: Sequence[Decision], refs: Sequence[str], witnesses: Sequence[Witness], today: date
) -> Diagnostic:
    """Return the diagnostic of one change, for the roles for which it has one meaning."""
    decision, plain = decisions[0], joined_diagnostic([one.finding for one in decisions])
    since = f" (compared with {', '.join(refs)})" if refs else ""
    allowed = "allowed " if decision.result == "allowed" else ""
    reason = f"; {allowed}{decision.reason}" if decision.reason else ""
    if decision.result == "other role":
        reason = f"; that fails nothing, as the setting roles does not list {', '.join(plain.roles)}"
    remedy, needed = plain.remedy, needed_consent(decision.finding)
    if decision.result in _UNCONSENTED:
        consent = quoted_consent(BREAK, needed.names)
        deprecate = "deprecate it first, or " if decision.needs_deprecation else ""
        remedy = "; or ".join([*([remedy] if remedy else []), f"{deprecate}consent with --delta-allow {consent}"])
    return replace(
        plain,
        severity=_SEVERITIES[decision.result],
        message=f"{plain.message}{since}{reason}",
        remedy=remedy,
        consent=consent_entry(needed, today + _PROPOSED) if decision.result == "fails" else "",
        witnesses=tuple(witnesses),
    )


class PastTable(NamedTuple):
    """The contract of one table at one commit, or in one folder."""

    ref: str
    contract: PastContract | None
    """``None`` if it has no contract, or none that can be read."""
    faults: tuple[PastFault, ...]
    """Why its contract cannot be read."""
    announcements: Announcements | None

    def announced(self, path: ColumnPath) -> date | str:
        """Return since when a deprecation is released, or why that is not known."""
        if self.announcements is None or self.contract is None:
            return "a folder does not tell since when it is announced; compare with a commit, such as last-release"
        return self.announcements.of(self.contract.file, path)


class PastProjects:
    """The contracts of the past: those of each project, for each commit or folder with which a run compares."""

    def __init__(self, pasts: Mapping[Path, Sequence[PastContracts]], homes: Mapping[QualifiedName, Path]) -> None:
        self._pasts = pasts
        self._homes = homes

    def of(self, name: QualifiedName) -> Iterator[PastTable]:
        """Yield what each commit or folder holds of a table, in the order in which they were given."""
        own = self._homes.get(name)
        projects = sorted(self._pasts, key=lambda project: project != own)
        for pasts in zip(*(self._pasts[project] for project in projects), strict=True):
            holder = next((past for past in pasts if name in past.tables), None)
            contract = None if holder is None else holder.tables[name]
            faults = tuple(fault for past in pasts for fault in past.faults if fault.table == name)
            if contract is None and not faults and own is not None:
                # It may have come from outside of all projects of the run.
                holder = pasts[0]
                contract = holder.moved.get(name)
                faults = tuple(fault for fault in holder.moved_faults if fault.table == name)
            is_readable = contract is not None and (name in pasts[0].tables or not faults)
            yield PastTable(
                pasts[0].ref,
                contract if is_readable else None,
                () if is_readable else faults,
                None if holder is None else holder.announcements,
            )

    def gone(self) -> dict[QualifiedName, Path]:
        """Return the tables that are not declared any more, by the project that had them, sorted."""
        projects: dict[QualifiedName, Path] = {}
        for project, pasts in self._pasts.items():
            for past in pasts:
                names = {*past.tables, *(fault.table for fault in past.faults if fault.table is not None)}
                projects |= dict.fromkeys(names - self._homes.keys() - projects.keys(), project)
        return dict(sorted(projects.items()))

    def unnamed(self) -> dict[str, tuple[Path, PastFault]]:
        """Return the snapshots of which not even the table is known, by their path, with their project."""
        return {
            fault.files[0]: (project, fault)
            for project, pasts in self._pasts.items()
            for past in pasts
            for fault in past.faults
            if fault.table is None
        }

    @property
    def has_several_refs(self) -> bool:
        """Whether there is more than one commit or folder."""
        return any(len(pasts) > 1 for pasts in self._pasts.values())
