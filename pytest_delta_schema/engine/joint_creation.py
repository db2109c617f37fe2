"""Create the missing tables of several applies at once, before the first of them that needs it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import CatalogReadError, ConvergenceError, DeltaSchemaError
from pytest_delta_schema.engine.entry_sync import sync_stale_entries
from pytest_delta_schema.engine.orchestrator import applying, require_empty
from pytest_delta_schema.engine.plan_outcomes import PlanOutcomes
from pytest_delta_schema.execute.concurrent_applies import read_completed
from pytest_delta_schema.execute.create_executor import CreateExecutor
from pytest_delta_schema.execute.interruption import ApplyInterrupted, with_running_outcome
from pytest_delta_schema.execute.lag import when_shown
from pytest_delta_schema.execute.table_creator import TableCreator
from pytest_delta_schema.execute.unproved_apply import unproved_action
from pytest_delta_schema.plan.table_plan import TablePlan
from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pytest_delta_schema.engine.apply_progress import ApplyProgress
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.outcome import TableOutcome
    from pytest_delta_schema.execute.table_creator import Creation
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.state.states import CatalogState


class JointCreation:
    """Applies tables one by one, and creates with the first missing one all others that can be created then.

    What each apply returns is the same as that of :meth:`Gate.apply`. A table is left to its own apply if a table that
    it references has to be changed first or was not created, if a rule or the catalog refuses its plan, and if its
    foreign keys form a circle.

    Args:
        gate: The gate over the catalog.
        models: The tables that are going to be applied, in this order: after those that they reference.
        progress: Records how far applies came, for the report of an interruption.
        created: Called with each table that was created before its turn, and the outcome of its apply.
    """

    def __init__(
        self,
        gate: Gate,
        models: Iterable[Table],
        progress: ApplyProgress,
        created: Callable[[Table, TableOutcome], None],
    ) -> None:
        self._gate = gate
        self._progress = progress
        self._created = created
        self._declarations = gate.declarations
        self._outcomes = PlanOutcomes(gate.catalog, gate.declarations)
        self._pending = {model.name: model for model in models}
        self._ready: dict[QualifiedName, TableOutcome] = {}

    def apply(self, table: Table) -> TableOutcome:
        """Return the outcome of an apply, which may have been made with that of an earlier table.

        Args:
            table: One of the models of the gate.
        """
        if table.name in self._pending.keys() - self._ready.keys() and self._is_missing(table):
            outcomes = self._create()
            self._ready |= outcomes
            for name, outcome in outcomes.items():
                if name != table.name:
                    self._created(self._pending[name], outcome)
        self._pending.pop(table.name, None)
        own = self._ready.pop(table.name, None)
        return self._gate.apply(table, self._progress) if own is None else own

    def _is_missing(self, table: Table) -> bool:
        """Whether a table may be created before its turn, as far as is known from the start of the run."""
        if table.convert_from is not None or self._declarations.violations(table) or self._gate.unreadable(table):
            return False
        if len(self._declarations.apply_group(table, self._gate.models)) > 1:
            return False
        return not self._gate.state().tables[self._name(table)].exists

    def _create(self) -> dict[QualifiedName, TableOutcome]:
        """Create the missing tables whose turn has not come, read them back, and return the outcomes of their applies.

        The outcomes are in the order of the tables.
        """
        waiting = [model for name, model in self._pending.items() if name not in self._ready]
        actions = self._actions([model for model in waiting if self._is_missing(model)])
        models = [model for model in waiting if self._name(model) in actions]
        if not models:
            return {}
        creator = TableCreator(CreateExecutor(self._gate.catalog))
        with self._progress.by(creator), step(applying(models)):
            try:
                creations = creator.create(list(actions.values()))
            except ApplyInterrupted as stop:
                raise with_running_outcome(stop, lambda: self._read_and_plan(models)) from None
            try:
                return self._read_back([model for model in models if self._name(model) in creations], creations)
            except KeyboardInterrupt:
                raise creator.interrupted() from None

    def _actions(self, models: Sequence[Table]) -> dict[QualifiedName, CreateTable]:
        """Read and plan tables again, and return the creations that nothing refuses, parents first.

        Those that are refused are applied in their turn, which reports the reason.
        """
        validator = self._declarations.validator
        valid = [model for model in models if not validator.model_violations([self._declarations.bound(model)])]
        try:
            _, plan = self._read_and_plan(valid)
        except DeltaSchemaError:
            return {}
        planned = {action.table: action for action in plan.create_tables}
        pending = {self._name(model): model for name, model in self._pending.items() if name not in self._ready}
        accepted: dict[QualifiedName, CreateTable] = {}
        for name in (self._name(model) for model in valid):
            if name in planned:
                parents = {change.key.parent for change in planned[name].foreign_keys} - accepted.keys() - {name}
                waits = any(parent in pending and not self._is_in_sync(pending[parent]) for parent in parents)
                if not waits and not validator.plan_violations(TablePlan(create_tables=(planned[name],))):
                    accepted[name] = planned[name]
        return accepted

    def _is_in_sync(self, model: Table) -> bool:
        """Whether a table, whose turn has not come, needs no change."""
        if self._declarations.violations(model) or self._gate.unreadable(model):
            return False
        return self._gate.plan(model).is_empty

    def _read(self, models: Sequence[Table]) -> CatalogState:
        others = self._gate.dependents(models)
        return self._gate.catalog.snapshot([self._declarations.bound(model) for model in (*models, *others)])

    def _plan(self, models: Sequence[Table], state: CatalogState) -> TablePlan:
        bound = self._declarations.bound
        others = map(bound, self._gate.dependents(models))
        return self._declarations.planner.plan(map(bound, models), state, other_models=others)

    def _read_and_plan(self, models: Sequence[Table]) -> tuple[CatalogState, TablePlan]:
        state = self._read(models)
        return state, self._plan([model for model in models if self._name(model) in state.tables], state)

    def _read_back(
        self, models: Sequence[Table], creations: Mapping[QualifiedName, Creation]
    ) -> dict[QualifiedName, TableOutcome]:
        """Read the tables that were created, and return the outcomes of their applies.

        Args:
            models: The tables whose creation was begun.
            creations: How that ended, by their names in the catalog.
        """
        read: CatalogState | DeltaSchemaError
        lag = self._gate.catalog.capabilities.lag
        if lag.seconds:
            made = [model for model in models if creations[self._name(model)].is_complete]
            with suppress(CatalogReadError, ConvergenceError):  # the outcome of each table has its own
                when_shown(lambda: require_empty(self._plan(made, self._read(made))), lag)
        try:
            there = [name for name, creation in creations.items() if creation.is_already_there]
            read, _ = read_completed(lambda: self._read_and_plan(models), there)
        except DeltaSchemaError as error:
            read = error
        return {model.name: self._outcome(model, creations[self._name(model)], read) for model in models}

    def _outcome(self, model: Table, creation: Creation, read: CatalogState | DeltaSchemaError) -> TableOutcome:
        """Return the outcome of one apply.

        Args:
            model: The table.
            creation: How its creation ended.
            read: What was read after it, or why that failed.
        """
        plan, state, name = self._gate.plan(model), self._gate.state(), self._name(model)
        there = {name} if creation.is_already_there else frozenset()
        error = creation.error or self._fault(model, read, there)
        if error is not None:
            if creation.is_complete and not isinstance(error, ConvergenceError):
                error = unproved_action(creation.action, error)
            return self._outcomes.not_applied(model, plan, error, state, creation.statements)
        made = TablePlan(create_tables=() if there else (creation.action,))
        return self._outcomes.applied(model, plan, made, creation.statements, state, there=there)

    def _fault(
        self, model: Table, read: CatalogState | DeltaSchemaError, there: Collection[QualifiedName]
    ) -> DeltaSchemaError | None:
        """Return why a table that was created is not as its model declares it; ``None`` if it is."""
        if isinstance(read, DeltaSchemaError):
            return read
        try:
            require_empty(self._plan([model], read), there)
            if not there:
                sync_stale_entries([self._declarations.bound(model)], self._gate.catalog, read)
        except DeltaSchemaError as error:
            return error
        return None

    def _name(self, model: Table) -> QualifiedName:
        """Return the name of the table that a model maps to."""
        return self._declarations.bound(model).name
