"""Turn plans, statements and notes into the parts of an outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.diagnostic_builders import diagnostic_of, diagnostics_of
from pytest_delta_schema.diagnostics.faults import SnapshotDiffers
from pytest_delta_schema.engine.bound_model import declared
from pytest_delta_schema.engine.outcomes.outcome import CheckKind, OutcomeStatement, Status, TableChange, TableOutcome
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes.kind import kind_of
from pytest_delta_schema.plan.describe import change_lines, highest_risk, lines_of
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, Diagnostic
    from pytest_delta_schema.engine.bound_model import BoundModel
    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.execute.protocols.catalog import Capabilities
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.changes.lines import ChangeLine
    from pytest_delta_schema.plan.entry_comparison import EntryDifference
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.sql.statement import Statement


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
    changes = [_change(action, line) for action in actions for line in change_lines(action)]
    return (*changes, *(change for action in plan.mismatches for change in _unmanaged(action)))


def entry_changes(table: QualifiedName | str, differences: Iterable[EntryDifference]) -> tuple[TableChange, ...]:
    """Return the differences between a catalog entry and the Delta log."""
    return tuple(
        TableChange(
            table=str(table),
            marker="~",
            path=difference.path,
            before=difference.entry,
            after=difference.log,
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


def _change(action: CreateTable | AlignTable, line: ChangeLine, aspect: str = "") -> TableChange:
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


def _unmanaged(action: CreateTable | AlignTable) -> Iterator[TableChange]:
    """Yield the differences that no apply changes."""
    if isinstance(action, CreateTable):
        for line in change_lines(action):
            yield _change(action, line, "columns")
        return
    for change in action.changes:
        aspect = kind_of(change).aspect
        for line in lines_of(change, action):
            yield _change(action, line, aspect)
