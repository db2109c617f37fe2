"""The orchestrator: the engine without pytest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar, cast

from pytest_delta_schema.configuration.settings import Settings, current_catalog, current_settings
from pytest_delta_schema.diagnostics.errors import (
    CatalogReadError,
    ConvergenceError,
    DeclarationError,
    DeltaSchemaError,
    MetadataSyncError,
    UnsafePlanError,
)
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.engine.declarations import BoundModel, planner_of, runner_of, validator_of
from pytest_delta_schema.execute.concurrency import each_schema_once, read_completed, unfinished_creation
from pytest_delta_schema.execute.interruption import ApplyInterrupted, with_running_outcome
from pytest_delta_schema.execute.protocols import SyncsEntries, when_shown
from pytest_delta_schema.execute.runner import TableResult, combined_error, statements_of, with_errors
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.table import required_tables
from pytest_delta_schema.plan.actions import TablePlan, change_lines
from pytest_delta_schema.plan.difference import unproven
from pytest_delta_schema.plan.entry_comparison import stale_entries
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.progress import step
from pytest_delta_schema.rules.validator import PlanValidator
from pytest_delta_schema.state.states import CatalogState, require_reader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.execute.runner import ActionRunner
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import CatalogReader


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncResult:
    """The result of an apply.

    Args:
        plan: The changes; empty if the catalog had no drift.
        tables: How the apply of each table ended.
    """

    plan: TablePlan
    tables: tuple[TableResult, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements that ran, in order."""
        return statements_of(self.tables)

    @property
    def already_there(self) -> frozenset[QualifiedName]:
        """New tables that another apply has created meanwhile; ``plan`` is without them."""
        return frozenset(result.table for result in self.tables if result.is_already_there)

    @property
    def error(self) -> DeltaSchemaError | None:
        """The errors of all tables as one; ``None`` if all are aligned."""
        return combined_error(self.tables)

    def for_table(self, table: QualifiedName) -> SyncResult:
        """Return the part that is about one table.

        Args:
            table: Its name in the catalog.
        """
        creations = tuple(action for action in self.plan.create_tables if action.table == table)
        alignments = tuple(action for action in self.plan.align_tables if action.table == table)
        return SyncResult(
            plan=replace(self.plan, create_tables=creations, align_tables=alignments),
            tables=tuple(result for result in self.tables if result.table == table),
        )


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
        *,
        planner: TablePlanner | None = None,
        validator: PlanValidator | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.reader = reader
        self.runner = runner
        self.planner = planner or TablePlanner()
        self.validator = validator or PlanValidator()
        self._settings = settings or Settings()

    @classmethod
    def over(cls, catalog: Catalog, *, settings: Settings | None = None) -> Orchestrator:
        """Build an orchestrator over one catalog.

        Args:
            catalog: Read and changed.
            settings: How tables are compared, validated and changed; by default the settings in force.

        Raises:
            DeclarationError: If a rule of the project cannot be loaded, or an argument is something else.
        """
        require_reader(catalog, "Orchestrator.over")
        settings = settings_or_current(settings, "Orchestrator.over")
        return cls(
            catalog,
            runner_of(catalog, settings),
            planner=planner_of(settings).over(checks_follow=catalog.capabilities.checks_follow),
            validator=validator_of(settings),
            settings=settings,
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
        state, plan = self._read_and_plan(tables, others)
        state.require_all(tables)
        return plan

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
            MetadataSyncError: If there was nothing to change in a table, but its catalog entry could not be
                synchronised. None is deleted for it.
            ApplyInterrupted: If a ``KeyboardInterrupt`` ended it after the plan was made; nothing more is written then.
        """
        tables, others = self._resolved(models, "sync_tables"), self._resolved(other_models, "sync_tables")
        with step(applying(tables)):
            result = self._apply(tables, others)
            if result.error is not None:
                raise result.error
            return result

    def apply(
        self, models: Iterable[Table], *, other_models: Iterable[Table] = (), independently: bool = False
    ) -> SyncResult:
        """Align the catalog with ``models`` like :meth:`sync_tables`, and return how that ended for each table.

        Args:
            models: Declared tables, each name once.
            other_models: As in :meth:`sync_tables`.
            independently: Whether only tables that do not exist are created, each by itself. ``models`` have parents
                before the tables that reference them. A plan that breaks rules is an error of its table alone. A table
                that cannot be read, or whose parent was not created, has no result.

        Raises:
            DeclarationError: If ``models`` is something else than a list of tables.
            InvalidModelError: If declarations break rules; nothing is read.
            CatalogReadError: If tables cannot be read; nothing is changed.
            UnsafePlanError: If the plan breaks rules, and tables are not created independently; nothing is changed.
            ApplyInterrupted: If a ``KeyboardInterrupt`` ended it after the plan was made; nothing more is written then.
        """
        tables, others = self._resolved(models, "apply"), self._resolved(other_models, "apply")
        with step(applying(tables)):
            return self._apply(tables, others, independently=independently)

    def _apply(self, tables: Sequence[Table], others: Sequence[Table], *, independently: bool = False) -> SyncResult:
        self.validator.validate_models(tables)
        state, plan = self._read_and_plan(tables, others)
        plan, refused = self._creations(plan, tables) if independently else self._validated(plan, state, tables)
        results = self._run(plan, refused, tables, others, independently=independently)
        try:
            state, results = self._read_back(state, results, tables, others)
            results = self._synchronise(state, results, tables)
        except KeyboardInterrupt:
            raise self.runner.interrupted() from None
        made = {result.table for result in results if not result.is_already_there}
        creations = tuple(action for action in plan.create_tables if action.table in made)
        return SyncResult(plan=replace(plan, create_tables=creations), tables=results)

    def _resolved(self, models: Iterable[Table], caller: str) -> list[Table]:
        """Return the tables that models map to in the catalog."""
        return [BoundModel.of(model, self._settings).table for model in required_tables(models, caller)]

    def _read_and_plan(self, tables: Sequence[Table], others: Sequence[Table]) -> tuple[CatalogState, TablePlan]:
        """Read tables, and plan those that can be read."""
        state = self.reader.snapshot([*tables, *others])
        readable = [table for table in tables if state.observed(table.name, read_only=table.read_only) is not None]
        return state, self.planner.plan(readable, state, other_models=others)

    def _validated(
        self, plan: TablePlan, state: CatalogState, tables: Iterable[Table]
    ) -> tuple[TablePlan, Mapping[QualifiedName, UnsafePlanError]]:
        """Return the plan, if all tables could be read and no rule refuses it."""
        state.require_all(tables)
        self.validator.validate_plan(plan)
        return plan, {}

    def _creations(
        self, plan: TablePlan, tables: Iterable[Table]
    ) -> tuple[TablePlan, Mapping[QualifiedName, UnsafePlanError]]:
        """Return the plan of the new tables, in the order of ``tables``, and why rules refuse some of them."""
        new = {action.table: action for action in plan.create_tables}
        actions = [new[table.name] for table in tables if table.name in new]
        violations = {
            action.table: self.validator.plan_violations(TablePlan(create_tables=(action,))) for action in actions
        }
        refused = {name: UnsafePlanError(faults) for name, faults in violations.items() if faults}
        allowed = each_schema_once(action for action in actions if action.table not in refused)
        return TablePlan(create_tables=(*map(new.__getitem__, refused), *allowed)), refused

    def _run(
        self,
        plan: TablePlan,
        refused: Mapping[QualifiedName, UnsafePlanError],
        tables: Sequence[Table],
        others: Sequence[Table],
        *,
        independently: bool,
    ) -> tuple[TableResult, ...]:
        """Run a plan; if that is interrupted, find out what became of the statement that was running."""
        try:
            results = self.runner.run(plan, refused=refused, independently=independently)
        except ApplyInterrupted as stop:
            raise with_running_outcome(stop, lambda: self._read_and_plan(tables, others)) from None
        known = {action.table for action in plan.actions}
        unchanged = (
            [] if independently else [TableResult(table=table.name) for table in tables if table.name not in known]
        )
        return (*results, *unchanged)

    def _read_back(
        self, state: CatalogState, results: tuple[TableResult, ...], tables: Iterable[Table], others: Sequence[Table]
    ) -> tuple[CatalogState, tuple[TableResult, ...]]:
        """Read the tables that were changed, and prove that nothing is left to change."""
        already_there = {result.table for result in results if result.is_already_there}
        changed = {result.table for result in results if result.is_complete} | already_there
        if not changed:
            return state, results
        good = {result.table for result in results if result.error is None}
        read = [table for table in tables if table.name in good & changed]
        others = [table for table in others if table.name in changed]

        def look() -> tuple[CatalogState, dict[QualifiedName, DeltaSchemaError]]:
            try:
                seen, left = read_completed(lambda: self._read_and_plan(read, others), already_there)
            except DeltaSchemaError as error:
                return CatalogState(tables={}), dict.fromkeys(changed, error)
            return seen, _faults(seen, left, read, already_there)

        seen, faults = when_shown(look, _is_shown, self.runner.lag)
        results = tuple(_with_unproven(result, seen) for result in results)
        known = {result.table for result in results}
        further = [TableResult(table=name) for name in faults if name not in known]
        return _renewed(state, seen), with_errors([*results, *further], faults)

    def _synchronise(
        self, state: CatalogState, results: tuple[TableResult, ...], tables: Iterable[Table]
    ) -> tuple[TableResult, ...]:
        """Synchronise the catalog entries of the tables that are aligned, but for those that another apply creates."""
        aligned = {result.table for result in results if result.error is None and not result.is_already_there}
        try:
            sync_stale_entries([table for table in tables if table.name in aligned], self.reader, state)
        except MetadataSyncError as error:
            faults = {name: [fault for fault in error.diagnostics if fault.table == str(name)] for name in aligned}
            return with_errors(results, {name: MetadataSyncError(own) for name, own in faults.items() if own})
        except DeltaSchemaError as error:
            return with_errors(results, dict.fromkeys(aligned, error))
        return results


def _renewed(before: CatalogState, after: CatalogState) -> CatalogState:
    """Return what was read before an apply, with the tables that were read again after it."""
    return CatalogState(
        tables={**before.tables, **after.tables},
        problems={
            **{name: problem for name, problem in before.problems.items() if name not in after.tables},
            **after.problems,
        },
        entries={**before.entries, **after.entries},
        logs={**before.logs, **after.logs},
        others={**before.others, **after.others},
    )


def _with_unproven(result: TableResult, seen: CatalogState) -> TableResult:
    """Return a result with what its statements have changed and the catalog does not show."""
    action, observed = result.action, seen.tables.get(result.table)
    if action is None or observed is None or not result.is_complete:
        return result
    return replace(result, unproven=unproven(action, observed))


def _faults(
    state: CatalogState, left: TablePlan, tables: Iterable[Table], already_there: Collection[QualifiedName]
) -> dict[QualifiedName, DeltaSchemaError]:
    """Return why tables are not as their models declare them."""
    lost = [table.name for table in tables if state.observed(table.name, read_only=table.read_only) is None]
    faults: dict[QualifiedName, DeltaSchemaError] = {name: CatalogReadError([state.problem(name)]) for name in lost}
    for action in left.actions:
        lines = [f"{action.table}: {line}" for line in change_lines(action)]
        faults[action.table] = unfinished_creation(action) if action.table in already_there else ConvergenceError(lines)
    return faults


def _is_shown(seen: tuple[CatalogState, Mapping[QualifiedName, DeltaSchemaError]]) -> bool:
    """Whether a catalog that may be behind shows what was applied."""
    return not any(isinstance(error, (CatalogReadError, ConvergenceError)) for error in seen[1].values())


def applying(tables: Sequence[Table]) -> str:
    """Return the text of the step that applies tables."""
    return f"applying {escaped(tables[0].name) if len(tables) == 1 else f'{len(tables)} tables'}"


def sync_stale_entries(tables: Iterable[Table], catalog: CatalogReader, state: CatalogState) -> bool:
    """Write the metadata of Delta logs to the catalog entries that were read to differ from them."""
    if not isinstance(catalog, SyncsEntries):
        return False
    stale = stale_entries(state)
    differing = [table for table in tables if table.name in stale]
    return bool(differing) and bool(catalog.sync_entries(differing, recreates=False))


_C = TypeVar("_C", bound="CatalogReader")


def catalog_or_current(catalog: _C | None, function: str) -> _C:
    """Return the catalog that was given, or that of the pytest run."""
    chosen = cast("_C | None", current_catalog()) if catalog is None else catalog
    if chosen is None:
        msg = f"{function} needs a catalog, and no test of pytest runs that has one; give catalog=..."
        raise DeclarationError(msg)
    require_reader(chosen, function)
    return chosen


def settings_or_current(value: object, subject: str) -> Settings:
    """Return settings; those in force for ``None``."""
    if value is None:
        return current_settings()
    if not isinstance(value, Settings):
        remedy = "give Settings(...), or Settings.from_project(folder)"
        refuse_kind(subject, "settings of the kind Settings", value, remedy)
    return value
