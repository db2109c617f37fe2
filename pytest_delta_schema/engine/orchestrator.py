"""The orchestrator: the engine without pytest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.diagnostics.errors import ConvergenceError, DeltaSchemaError, UnfinishedCreationError
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.engine.assembly import bound, planner_of, runner_of, validator_of
from pytest_delta_schema.engine.entry_sync import sync_stale_entries
from pytest_delta_schema.engine.required_parts import required_settings
from pytest_delta_schema.execute.concurrent_applies import read_completed, require_completed
from pytest_delta_schema.execute.interruption import ApplyInterrupted, with_running_outcome
from pytest_delta_schema.execute.lag import when_shown
from pytest_delta_schema.execute.unproved_apply import unproved
from pytest_delta_schema.models.required_kinds import required_tables
from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.progress import step
from pytest_delta_schema.rules.validator import PlanValidator
from pytest_delta_schema.state.required_reader import require_reader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pytest_delta_schema.execute.action_runner import ActionRunner
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import CatalogReader, CatalogState


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncResult:
    """The result of an apply.

    Args:
        plan: The changes; empty if the catalog had no drift.
        statements: The statements that ran, in order.
        already_there: New tables that another apply has created meanwhile; ``plan`` is without them.
    """

    plan: TablePlan
    statements: tuple[Statement, ...]
    already_there: frozenset[QualifiedName] = frozenset()


class Orchestrator:
    """Aligns a catalog with models, and proves that their plan is empty after it.

    Args:
        reader: Reads the catalog.
        runner: Changes it.
        planner: Compares models with the catalog.
        validator: Runs the rules.
        settings: Default properties and bindings of the models; by default there are none.
    """

    def __init__(
        self,
        reader: CatalogReader,
        runner: ActionRunner,
        planner: TablePlanner | None = None,
        validator: PlanValidator | None = None,
        *,
        settings: Settings | None = None,
    ) -> None:
        self.reader = reader
        self.runner = runner
        self.planner = planner or TablePlanner()
        self.validator = validator or PlanValidator()
        self._settings = settings or Settings()

    @classmethod
    def over(cls, catalog: Catalog, settings: Settings | None = None) -> Orchestrator:
        """Build an orchestrator over one catalog.

        Args:
            catalog: Read and changed.
            settings: How tables are compared, validated and changed; by default the settings in force.

        Raises:
            DeclarationError: If a rule of the project cannot be loaded, or an argument is something else.
        """
        require_reader(catalog, "Orchestrator.over")
        settings = required_settings(settings, "Orchestrator.over")
        return cls(
            catalog, runner_of(catalog, settings), planner_of(settings), validator_of(settings), settings=settings
        )

    def plan_tables(self, models: Iterable[Table], *, other_models: Iterable[Table] = ()) -> TablePlan:
        """Read the catalog and plan what must change; nothing is changed.

        Args:
            models: Declared tables, each name once.
            other_models: Other declared tables, whose foreign keys are planned if they depend on a key that changes.

        Raises:
            DeclarationError: If ``models`` is something else than a list of tables.
            InvalidModelError: If declarations break rules; nothing is read then.
            CatalogReadError: If tables cannot be read.
        """
        tables, others = self._resolved(models, "plan_tables"), self._resolved(other_models, "plan_tables")
        self.validator.validate_models(tables)
        return self._read_and_plan(tables, others)[1]

    def sync_tables(self, models: Iterable[Table], *, other_models: Iterable[Table] = ()) -> SyncResult:
        """Align the catalog with ``models``: read, plan, validate, run the data checks and the statements, read back.

        Args:
            models: Declared tables, each name once.
            other_models: Other declared tables. Only foreign keys that reference a changed primary key are dropped, and
                added again if they are still wanted.

        Returns:
            The plan and the statements that ran; a new plan is empty after it.

        Raises:
            DeclarationError: If ``models`` is something else than a list of tables.
            InvalidModelError: If declarations break rules; nothing is read.
            CatalogReadError: If tables cannot be read; nothing is changed.
            UnsafePlanError: If the plan breaks rules, then nothing is changed; or if data checks fail, then
                those tables are unchanged.
            ApplyError: If a statement of one table failed; or if all ran, and then the table could not be read back, or
                its catalog entry not synchronised.
            StatementError: If the rows of a table cannot be read for its data checks; nothing was changed.
            ApplyErrors: If several tables failed; an exception group.
            ConvergenceError: If the catalog still differs after everything ran.
            UnfinishedCreationError: If another apply created tables meanwhile, and has not completed them in a minute.
            MetadataSyncError: If there was nothing to change, but a catalog entry could not be synchronised. None is
                deleted for it.
            ApplyInterrupted: If a ``KeyboardInterrupt`` ended it after the plan was made; nothing more is written then.
        """
        tables, others = self._resolved(models, "sync_tables"), self._resolved(other_models, "sync_tables")
        self.validator.validate_models(tables)
        with step(applying(tables)):
            return self._sync(tables, others)

    def _sync(self, tables: list[Table], others: list[Table]) -> SyncResult:
        state, plan = self._read_and_plan(tables, others)
        self.validator.validate_plan(plan)
        try:
            ran = self.runner.apply(plan)
        except ApplyInterrupted as stop:
            raise with_running_outcome(stop, lambda: self._read_and_plan(tables, others)) from None
        there = self.runner.already_there
        if not ran and not there:
            sync_stale_entries(tables, self.reader, state)
            return SyncResult(plan=plan, statements=ran)
        made = replace(plan, create_tables=tuple(new for new in plan.create_tables if new.table not in there))
        try:
            own = [table for table in tables if table.name not in there]
            sync_stale_entries(own, self.reader, self._require_no_drift(tables, others, there))
        except KeyboardInterrupt:
            raise ApplyInterrupted(self.runner.progress()) from None
        except (ConvergenceError, UnfinishedCreationError):
            raise
        except DeltaSchemaError as error:
            if made.is_empty:
                raise
            raise unproved(made, error) from error
        return SyncResult(plan=made, statements=ran, already_there=there)

    def _resolved(self, models: Iterable[Table], caller: str) -> list[Table]:
        """Return the tables that models map to in the catalog."""
        return [bound(model, self._settings) for model in required_tables(models, caller)]

    def _read_and_plan(self, tables: list[Table], others: list[Table]) -> tuple[CatalogState, TablePlan]:
        state = self.reader.snapshot([*tables, *others])
        return state, self.planner.plan(tables, state, other_models=others)

    def _require_no_drift(
        self, tables: list[Table], others: list[Table], there: Collection[QualifiedName]
    ) -> CatalogState:
        def prove() -> CatalogState:
            state, left = read_completed(lambda: self._read_and_plan(tables, others), there)
            require_empty(left, there)
            return state

        return when_shown(prove, self.runner.lag)


def require_empty(left: TablePlan, there: Collection[QualifiedName] = ()) -> None:
    """Make sure that an apply has left nothing to change.

    Args:
        left: The plan of what was read after it.
        there: New tables that another apply has created.

    Raises:
        ConvergenceError: If the plan has changes of other tables.
        UnfinishedCreationError: If it has changes of those only.
    """
    own = [action for action in left.actions if action.table not in there]
    if not own:
        require_completed(left, there)
    else:
        lines = [f"{action.table}: {line}" for action in own for line in change_lines(action)]
        raise ConvergenceError(
            "after the apply the catalog still differs, which is a defect of this tool or of the backend:\n  "
            + "\n  ".join(lines)
        )


def applying(tables: Sequence[Table]) -> str:
    """Return the text of the step that applies tables."""
    return f"applying {escaped(tables[0].name) if len(tables) == 1 else f'{len(tables)} tables'}"
