"""Make outcomes of checks from plans, statements and what was read of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_delta_schema import plan, sql
from pytest_delta_schema.delta.names import ENTRY_PATH
from pytest_delta_schema.diagnostics.errors import (
    ApplyError,
    DeltaSchemaError,
    Diagnostic,
    UnsafePlanError,
    diagnostic_of,
    diagnostics_of,
    first_line,
    note,
)
from pytest_delta_schema.diagnostics.faults import ColumnIntroduced, EntryCompared, SnapshotDiffers
from pytest_delta_schema.diagnostics.redaction import without_tokens
from pytest_delta_schema.engine.declarations import declared
from pytest_delta_schema.engine.outcomes import (
    CheckKind,
    DataChecks,
    OutcomeStatement,
    Status,
    TableChange,
    TableOutcome,
)
from pytest_delta_schema.execute.protocols import OFF
from pytest_delta_schema.plan.actions import AlignTable, CreateTable, change_lines, highest_risk
from pytest_delta_schema.plan.changes import ColumnDrop
from pytest_delta_schema.plan.planner import note_on_hidden
from pytest_delta_schema.rules.reported_rules import DATA_RULES
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from pytest_delta_schema.engine.declarations import BoundModel, Declarations
    from pytest_delta_schema.engine.orchestrator import SyncResult
    from pytest_delta_schema.execute.protocols import Capabilities, Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import TablePlan
    from pytest_delta_schema.plan.entry_comparison import EntryDifference
    from pytest_delta_schema.plan.kinds import ChangeLine
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import CatalogReader, CatalogState, IntroducedBy, TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedTable:
    """A table that is not compared."""

    model: BoundModel
    status: Status
    """``blocked`` if the model breaks a rule, ``unreadable`` if the table cannot be read."""
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTable:
    """A model compared with what was read of its table."""

    model: BoundModel
    desired: TableState
    observed: TableState
    plan: TablePlan
    """The plan of the table, with the foreign keys of other tables that depend on its keys."""
    own: CreateTable | AlignTable | None = None
    """The action of the plan on the table itself, if any."""
    changes: tuple[TableChange, ...] = ()
    """Every difference; those of the table itself come first."""
    statements: tuple[OutcomeStatement, ...] = ()
    """The SQL of ``own``."""
    notes: tuple[Diagnostic, ...] = ()
    """Remarks that do not fail a check."""
    entry_notes: tuple[Diagnostic, ...] = ()
    """How the catalog entry of a table with changes compares to its log."""


class PlanOutcomes:
    """Judges tables by their plans, and makes outcomes of what it knows of them."""

    def __init__(self, catalog: Catalog, declarations: Declarations) -> None:
        self._catalog = catalog
        self._declarations = declarations

    def judged(self, model: BoundModel, desired: TableState, plan: TablePlan, state: CatalogState) -> JudgedTable:
        """Judge a table by its plan, which may have dependent foreign keys of other tables, and what was read."""
        observed = state.others.get(model.name) or state.tables[model.name]
        table = JudgedTable(model=model, desired=desired, observed=observed, plan=plan)
        judged = self._judged(table, plan)
        if judged.own is None:
            return judged
        planned = planned_statements(sql.statements(judged.own), self._catalog.capabilities)
        return replace(judged, statements=planned, entry_notes=tuple(notes_of_entry(model.name, state)))

    def _judged(self, table: JudgedTable, plan: TablePlan) -> JudgedTable:
        """Return a table with a plan, its changes and its notes."""
        name = table.model.name
        own = next((action for action in plan.actions if action.table == name), None)
        notes = self._declarations.client_notes(table.desired, table.observed, own)
        return replace(table, plan=plan, own=own, changes=table_changes(plan, name), notes=(*plan.notes, *notes))

    def refused(self, table: RefusedTable, check: CheckKind) -> TableOutcome:
        """Return the outcome of a table that is not compared."""
        return table_outcome(table.model, self._declarations, check, table.status, diagnostics=table.diagnostics)

    def outcome(
        self,
        judged: JudgedTable,
        check: CheckKind,
        status: Status,
        *,
        violations: Iterable[Diagnostic] = (),
        **parts: Any,
    ) -> TableOutcome:
        """Return the outcome of one table."""
        background: list[Diagnostic] = []
        if status in {Status.DRIFTED, Status.BLOCKED}:
            for action in (*([] if judged.own is None else [judged.own]), *judged.plan.mismatches):
                background += notes_of_introduction(action, self._catalog)
            background += judged.entry_notes
        name = str(judged.model.name)
        known = {"statements": judged.statements, "observed_version": judged.observed.version}
        return table_outcome(
            judged.model,
            self._declarations,
            check,
            status,
            backend=self._catalog.name,
            changes=judged.changes,
            diagnostics=sorted(violations, key=lambda violation: violation.table != name),
            notes=judged.notes,
            background=background,
            **{**known, **parts},
        )

    def applied(self, judged: JudgedTable, result: SyncResult) -> TableOutcome:
        """Return the outcome of an apply."""
        from pytest_delta_schema.execute.concurrency import already_there
        from pytest_delta_schema.sql.renderers import restore_table

        if result.error is not None:
            return self.not_applied(judged, result.error, result.statements)
        name = judged.model.name
        carried_out = _carried_out(judged.plan, result.plan)
        if name in result.already_there:
            carried_out = replace(carried_out, notes=(*carried_out.notes, already_there(name)))
        aligned = next((action for action in result.plan.align_tables if action.table == name), None)
        version = None if aligned is None else aligned.observed.version
        is_checked = aligned is not None and self._declarations.settings.preflight != OFF
        done = planned_statements(result.statements, self._catalog.capabilities, has_run=True)
        hidden = next((table.unproven for table in result.tables if table.table == name), ())
        if hidden:
            carried_out = replace(carried_out, notes=(note_on_hidden(name, hidden), *carried_out.notes))
        changed = Status.UNPROVEN if hidden else Status.APPLIED
        return self.outcome(
            self._judged(judged, carried_out),
            CheckKind.APPLY,
            changed if done and name not in result.already_there else Status.IN_SYNC,
            statements=done,
            data_checks=DataChecks.PASSED if is_checked else DataChecks.NOT_RUN,
            observed_version=version,
            restore_sql="" if version is None else restore_table(name, version),
        )

    def not_applied(self, judged: JudgedTable, error: DeltaSchemaError, ran: Iterable[Statement] = ()) -> TableOutcome:
        """Return the outcome of an apply that was refused, or has failed."""
        if isinstance(error, UnsafePlanError):
            checks = _data_checks_of(error.diagnostics)
            violations = error.diagnostics
            return self.outcome(judged, CheckKind.APPLY, Status.BLOCKED, violations=violations, data_checks=checks)
        done = error.done if isinstance(error, ApplyError) else [statement.sql for statement in ran]
        return self.outcome(
            judged,
            CheckKind.APPLY,
            Status.FAILED,
            violations=diagnostics_of(error, str(judged.model.name)),
            statements=statements_after_failure(judged.statements, done),
            failure=str(error),
        )


def _carried_out(expected: TablePlan, made: TablePlan) -> TablePlan:
    """Return what an apply has changed: it may be less than expected, such as for a schema that exists by now."""
    names = {action.table for action in expected.actions}
    return replace(
        expected,
        create_tables=tuple(action for action in made.create_tables if action.table in names),
        align_tables=tuple(action for action in made.align_tables if action.table in names),
    )


def _data_checks_of(violations: Iterable[Diagnostic]) -> DataChecks:
    """Return how the data checks ended when an apply was refused for some violations."""
    return DataChecks.FAILED if any(violation.rule in DATA_RULES for violation in violations) else DataChecks.NOT_RUN


def table_outcome(  # noqa: PLR0913 - the parts of one outcome
    model: BoundModel,
    declarations: Declarations,
    check: CheckKind,
    status: Status,
    *,
    changes: Iterable[TableChange] = (),
    diagnostics: Iterable[Diagnostic] = (),
    notes: Iterable[Diagnostic] = (),
    background: Iterable[Diagnostic] = (),
    **parts: Any,
) -> TableOutcome:
    """Return the outcome of a check that looks at a catalog."""
    return TableOutcome(
        table=model.model.qualified_name,
        check=check,
        status=status,
        stored_as=str(model.name),
        changes=declarations.located(changes, passes=status.passes),
        diagnostics=declarations.located(dict.fromkeys(diagnostics), passes=status.passes),
        notes=declarations.located(dict.fromkeys(notes), passes=status.passes),
        background=declarations.located(dict.fromkeys(background), passes=status.passes),
        location=declarations.location(model.model, passes=status.passes),
        **parts,
    )


def failed_outcome(
    model: BoundModel, declarations: Declarations, check: CheckKind, error: DeltaSchemaError
) -> TableOutcome:
    """Return the outcome of a check that an error ended."""
    diagnostics = diagnostics_of(error, str(model.name))
    return table_outcome(model, declarations, check, Status.FAILED, diagnostics=diagnostics, failure=str(error))


def rules_outcome(table: Table, declarations: Declarations) -> TableOutcome:
    """Check that a declaration breaks no rule; no catalog is read."""
    violations = declarations.violations(table)
    notes: tuple[Diagnostic, ...] = ()
    if not violations:
        model = declared(table, declarations.settings)
        client_notes = declarations.client_notes(desired_state(model)) if model.clients else ()
        notes = (*client_notes, *declarations.creation_notes(table))
    return TableOutcome(
        table=table.qualified_name,
        check=CheckKind.RULES,
        status=Status.BLOCKED if violations else Status.VALID,
        diagnostics=declarations.located(violations, passes=not violations),
        notes=declarations.located(notes, passes=True),
        location=declarations.location(table, passes=not violations),
    )


def snapshot_outcome(table: Table, message: str, remedy: str) -> TableOutcome:
    """Return the outcome of a declaration that is not as it was reviewed."""
    name, location = table.qualified_name, table.origin.location
    fault = diagnostic_of(SnapshotDiffers, name, message, remedy=remedy, location=location)
    return TableOutcome(table=name, check=CheckKind.DDL, status=Status.FAILED, diagnostics=(fault,), location=location)


def table_changes(plan: TablePlan, name: QualifiedName) -> tuple[TableChange, ...]:
    """Return every difference of a plan; those of the table itself come first."""
    actions = sorted(plan.actions, key=lambda action: action.table != name)
    changes = [_table_change(action, line) for action in actions for line in change_lines(action)]
    return (*changes, *(change for action in plan.mismatches for change in _unmanaged_changes(action)))


def _table_change(action: CreateTable | AlignTable, line: ChangeLine, aspect: str = "") -> TableChange:
    return TableChange(
        table=str(action.table),
        marker=line.marker,
        path=line.path,
        before=line.before,
        after=line.after,
        risk=line.risk.label,
        loss=line.loss,
        aspect=aspect,
        code=line.code,
    )


def _unmanaged_changes(action: CreateTable | AlignTable) -> Iterator[TableChange]:
    """Yield the differences that no apply changes."""
    if isinstance(action, CreateTable):
        for line in change_lines(action):
            yield _table_change(action, line, "columns")
        return
    for change in action.changes:
        for line in change.lines(action.observed):
            yield _table_change(action, line, change.aspect)


def entry_changes(table: QualifiedName | str, differences: Iterable[EntryDifference]) -> tuple[TableChange, ...]:
    """Return the differences between a catalog entry and the Delta log."""
    return tuple(
        TableChange(
            table=str(table),
            marker="~",
            path=difference.path,
            before=without_tokens(difference.entry),
            after=without_tokens(difference.log),
            code=difference.drift.code,
        )
        for difference in differences
    )


def planned_statements(
    statements: Iterable[Statement], capabilities: Capabilities, *, has_run: bool = False
) -> tuple[OutcomeStatement, ...]:
    """Return statements with their risk."""
    return tuple(
        OutcomeStatement(
            sql=statement.sql,
            kind=statement.kind.value,
            risk=highest_risk(statement.changes).label,
            is_emulated=capabilities.is_emulated(statement),
            has_run=has_run,
        )
        for statement in statements
    )


def statements_after_failure(planned: Iterable[OutcomeStatement], ran: Iterable[str]) -> tuple[OutcomeStatement, ...]:
    """Return the statements of an apply that failed: all that ran, and those of the plan that did not.

    ``ran`` is the SQL of those that ran; also of other tables, and of the recovery.
    """
    ran = list(ran)
    known = tuple(replace(statement, has_run=statement.sql in ran) for statement in planned)
    names = {statement.sql for statement in known}
    return (*(OutcomeStatement(sql=sql, has_run=True) for sql in ran if sql not in names), *known)


WRITES = frozenset(
    {
        "COPY INTO",
        "CREATE OR REPLACE TABLE AS SELECT",
        "CREATE TABLE AS SELECT",
        "MERGE",
        "REPLACE TABLE AS SELECT",
        "STREAMING UPDATE",
        "UPDATE",
        "WRITE",
    }
)
"""Operations of commits in Delta's history that write rows, and can add columns with them (Delta 4.4.0)."""

_WAYS = 'declare it, drop it, or accept such columns with Table(evolution="additive")'


def notes_of_introduction(action: CreateTable | AlignTable, catalog: CatalogReader) -> list[Diagnostic]:
    """Return a note for each column that an action would drop, with the commit that added it.

    A history that cannot be read is a note as well, and never hides the drift.
    """
    paths = [change.path for change in action.all(ColumnDrop)] if isinstance(action, AlignTable) else []
    if not paths or (isinstance(action, AlignTable) and action.observed.kind):
        return []
    try:
        return [introduction_note(action.table, commit) for commit in catalog.introduced_by(action.table, paths)]
    except DeltaSchemaError as error:
        columns = ", ".join(map(str, paths))
        message = f"the commit that added {columns} is not known: {first_line(error)}"
        return [note(ColumnIntroduced, action.table, columns, message)]


def introduction_note(table: QualifiedName, commit: IntroducedBy) -> Diagnostic:
    """Return the note about one column."""
    metadata = f" ({commit.user_metadata!r})" if commit.user_metadata else ""
    version = f"version {commit.version}, {commit.operation} of {commit.time} UTC{metadata}"
    name = str(commit.path)
    message = f"column {name} came with {version}"
    if commit.operation in WRITES:
        message = f"column {name} was appended by a writer, in {version}: {_WAYS}"
    return note(ColumnIntroduced, table, name, message)


def notes_of_entry(table: QualifiedName, state: CatalogState) -> list[Diagnostic]:
    """Return a note that says which differ: the model, the Delta log, and the catalog's entry, where there is one."""
    entry, log = state.entries.get(table), state.logs.get(table)
    if entry is None or isinstance(entry, Diagnostic) or log is None:
        return []
    number = len(plan.entry_differences(entry, log))
    message = "the model and the Delta log differ; the catalog entry equals the log"
    if number:
        points = "1 point" if number == 1 else f"{number} points"
        message = (
            "the model and the Delta log differ, and the catalog entry differs from the log"
            f" in {points}: see {table}::metadata"
        )
    return [note(EntryCompared, table, ENTRY_PATH, message)]
