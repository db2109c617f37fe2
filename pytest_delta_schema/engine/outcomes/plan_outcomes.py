"""The outcomes of tables that were compared with their models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.diagnostic_builders import diagnostics_of
from pytest_delta_schema.diagnostics.errors import ApplyError, UnsafePlanError
from pytest_delta_schema.engine.outcomes.catalog_notes import notes_of_entry, notes_of_introduction
from pytest_delta_schema.engine.outcomes.judged_table import JudgedTable
from pytest_delta_schema.engine.outcomes.outcome import CheckKind, DataChecks, Status
from pytest_delta_schema.engine.outcomes.outcome_parts import (
    planned_statements,
    statements_after_failure,
    table_changes,
    table_outcome,
)
from pytest_delta_schema.execute.concurrent_applies import already_there
from pytest_delta_schema.execute.preflight import DATA_RULES
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.schemas_and_restores import restore_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, Diagnostic
    from pytest_delta_schema.engine.bound_model import BoundModel
    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.engine.outcomes.judged_table import RefusedTable
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome
    from pytest_delta_schema.engine.sync_result import SyncResult
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import CatalogState, TableState


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
        planned = planned_statements(statements(judged.own), self._catalog.capabilities)
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
        """Return the outcome of one table.

        The statements are those of the plan, and the version is the observed one, unless they are given.
        """
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
        """Return the outcome of an apply.

        The table is as it was at the start of the run; the result may be that of further tables, too.
        """
        if result.error is not None:
            return self.not_applied(judged, result.error, result.statements)
        name = judged.model.name
        carried_out = _carried_out(judged.plan, result.plan)
        if name in result.already_there:
            carried_out = replace(carried_out, notes=(*carried_out.notes, already_there(name)))
        version = next((action.observed.version for action in result.plan.align_tables if action.table == name), None)
        done = planned_statements(result.statements, self._catalog.capabilities, has_run=True)
        return self.outcome(
            self._judged(judged, carried_out),
            CheckKind.APPLY,
            Status.APPLIED if done and name not in result.already_there else Status.IN_SYNC,
            statements=done,
            observed_version=version,
            restore_sql="" if version is None else restore_table(name, version),
        )

    def not_applied(self, judged: JudgedTable, error: DeltaSchemaError, ran: Iterable[Statement] = ()) -> TableOutcome:
        """Return the outcome of an apply that was refused, or has failed.

        The table is as it was at the start of the run. An :class:`ApplyError` has the statements that ``ran`` itself.
        """
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
    """Return what an apply has changed, which may be less than was expected, such as for a schema that exists by now.

    ``expected`` was planned from what was read at the start of the run, and ``made`` from what the apply has read; it
    may have further tables.
    """
    names = {action.table for action in expected.actions}
    return replace(
        expected,
        create_tables=tuple(action for action in made.create_tables if action.table in names),
        align_tables=tuple(action for action in made.align_tables if action.table in names),
    )


def _data_checks_of(violations: Iterable[Diagnostic]) -> DataChecks:
    """Return how the data checks ended when an apply was refused for some violations."""
    return DataChecks.FAILED if any(violation.rule in DATA_RULES for violation in violations) else DataChecks.NOT_RUN
