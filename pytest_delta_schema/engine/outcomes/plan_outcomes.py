"""The outcomes of tables that were compared with their models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import ApplyError, UnsafePlanError, diagnostics_of
from pytest_delta_schema.engine.outcomes.catalog_notes import notes_of_entry, notes_of_introduction
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
    from pytest_delta_schema.engine.outcomes.outcome import OutcomeStatement, TableOutcome
    from pytest_delta_schema.engine.sync_result import SyncResult
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import CatalogState


class PlanOutcomes:
    """Makes outcomes from plans."""

    def __init__(self, catalog: Catalog, declarations: Declarations) -> None:
        self._catalog = catalog
        self._declarations = declarations

    def statements(self, model: BoundModel, plan: TablePlan) -> tuple[OutcomeStatement, ...]:
        """Return the statements of one table of a plan, which may have further tables."""
        planned = [
            statement for action in plan.actions if action.table == model.name for statement in statements(action)
        ]
        return planned_statements(planned, self._catalog.capabilities)

    def outcome(  # noqa: PLR0913 - the parts of an outcome
        self,
        model: BoundModel,
        check: CheckKind,
        status: Status,
        plan: TablePlan,
        state: CatalogState,
        *,
        violations: Iterable[Diagnostic] = (),
        **parts: Any,
    ) -> TableOutcome:
        """Return the outcome of one table.

        The plan may have further tables, and ``state`` is what was read before it. The statements are those of the
        plan, and the version that of ``state``, unless they are given.
        """
        name = model.name
        own = [action for action in plan.actions if action.table == name]
        background: list[Diagnostic] = []
        if status in {Status.DRIFTED, Status.BLOCKED}:
            for action in (*own, *plan.mismatches):
                background += notes_of_introduction(action, self._catalog)
            background += notes_of_entry(name, state) if own else ()
        client_notes = self._declarations.client_notes(model.table, state.tables[name], next(iter(own), None))
        if "statements" not in parts:
            parts["statements"] = self.statements(model, plan)
        parts.setdefault("observed_version", state.tables[name].version)
        return table_outcome(
            model,
            self._declarations,
            check,
            status,
            backend=self._catalog.name,
            changes=table_changes(plan, name),
            diagnostics=sorted(violations, key=lambda violation: violation.table != str(name)),
            notes=(*plan.notes, *client_notes),
            background=background,
            **parts,
        )

    def applied(self, model: BoundModel, plan: TablePlan, result: SyncResult, state: CatalogState) -> TableOutcome:
        """Return the outcome of an apply.

        Plan and state are those of the start of the run; the result may be that of further tables, too.
        """
        if result.error is not None:
            return self.not_applied(model, plan, result.error, state, result.statements)
        name = model.name
        carried_out = _carried_out(plan, result.plan)
        if name in result.already_there:
            carried_out = replace(carried_out, notes=(*carried_out.notes, already_there(name)))
        version = next((action.observed.version for action in result.plan.align_tables if action.table == name), None)
        done = planned_statements(result.statements, self._catalog.capabilities, has_run=True)
        return self.outcome(
            model,
            CheckKind.APPLY,
            Status.APPLIED if done and name not in result.already_there else Status.IN_SYNC,
            carried_out,
            state,
            statements=done,
            observed_version=version,
            restore_sql="" if version is None else restore_table(name, version),
        )

    def not_applied(
        self,
        model: BoundModel,
        plan: TablePlan,
        error: DeltaSchemaError,
        state: CatalogState,
        ran: Iterable[Statement] = (),
    ) -> TableOutcome:
        """Return the outcome of an apply that was refused, or has failed.

        Plan and state are those of the start of the run. The statements that ran are not needed for an
        :class:`ApplyError`, which has them.
        """
        if isinstance(error, UnsafePlanError):
            return self.outcome(
                model,
                CheckKind.APPLY,
                Status.BLOCKED,
                plan,
                state,
                violations=error.diagnostics,
                data_checks=_data_checks_of(error.diagnostics),
            )
        return self.outcome(
            model,
            CheckKind.APPLY,
            Status.FAILED,
            plan,
            state,
            violations=diagnostics_of(error, str(model.name)),
            statements=statements_after_failure(
                self.statements(model, plan),
                error.done if isinstance(error, ApplyError) else [statement.sql for statement in ran],
            ),
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
