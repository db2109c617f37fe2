"""The gate: reads a catalog once, and compares each table with its model."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.settings import current_settings
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, UnsafePlanError, diagnostic_of, note
from pytest_delta_schema.diagnostics.faults import AlreadyApplied, UnreachableCatalog
from pytest_delta_schema.diagnostics.text import counted
from pytest_delta_schema.engine.declarations import Declarations, preflight_of, runner_of, validator_of
from pytest_delta_schema.engine.outcomes import CheckKind, DataChecks, Status
from pytest_delta_schema.engine.plan_outcomes import JudgedTable, PlanOutcomes, RefusedTable, failed_outcome
from pytest_delta_schema.execute.protocols import OFF, StartsLazily, unsupported_statements
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.progress import step
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.engine.apply_progress import ApplyProgress
    from pytest_delta_schema.engine.declarations import BoundModel
    from pytest_delta_schema.engine.orchestrator import SyncResult
    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.engine.plan_file import PlanFile, PlannedTable
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import CreateTable, TablePlan
    from pytest_delta_schema.plan.planner import TablePlanner
    from pytest_delta_schema.rules.validator import PlanValidator
    from pytest_delta_schema.state.states import CatalogState, TableState


class Gate:
    """Compares models with a catalog that is read once, and applies them one by one.

    Args:
        catalog: The catalog.
        models: The tables to check, each name once.
        settings: How tables are compared, validated and changed; by default the settings in force.
        declarations: All declared tables under these settings, ``models`` among them, for the foreign keys that depend
            on keys of ``models``; by default ``models`` alone.
        reviewed: The only plan that an apply may run; ``None`` for any plan.
    """

    def __init__(
        self,
        catalog: Catalog,
        models: Iterable[Table] = (),
        *,
        settings: Settings | None = None,
        declarations: Declarations | None = None,
        reviewed: PlanFile | None = None,
    ) -> None:
        self.catalog = catalog
        self.reviewed = reviewed
        self.models = tuple(models)
        if declarations is None:
            tables = {model.name: model for model in self.models}
            declarations = Declarations(current_settings() if settings is None else settings, MappingProxyType(tables))
        self.declarations = declarations
        self._outcomes = PlanOutcomes(catalog, declarations)
        self._plans: dict[QualifiedName, tuple[TableState, TablePlan]] = {}
        self._seen: CatalogState | DeltaSchemaError | None = None

    @cached_property
    def starts_later(self) -> StartsLazily | None:
        """The catalog, if it starts a session when it is first needed; asked once, because every check needs it."""
        return self.catalog if isinstance(self.catalog, StartsLazily) else None

    @cached_property
    def _planner(self) -> TablePlanner:
        return self.declarations.planner.over(checks_follow=self.catalog.capabilities.checks_follow)

    @cached_property
    def _validator(self) -> PlanValidator:
        """The rules for an apply, which may run reviewed statements only."""
        declarations = self.declarations
        if self.reviewed is None:
            return declarations.validator
        from pytest_delta_schema.engine.plan_file import OnlyReviewed

        rule = OnlyReviewed(self.reviewed, declarations.model_name)
        return validator_of(replace(declarations.settings, plan_rules=(*declarations.settings.plan_rules, rule)))

    @property
    def is_read(self) -> bool:
        """Whether the catalog was read without an error."""
        return self._seen is not None and not isinstance(self._seen, DeltaSchemaError)

    def state(self) -> CatalogState:
        """Return the state of the tables of all models, which are read together when it is first needed.

        Other declared tables are read, too, if their foreign keys point at one of the models.

        Raises:
            DeltaSchemaError: If it could not be read at all; the same one every time.
        """
        if self._seen is None:
            others = self.dependents(self.models)
            try:
                with step("reading the catalog"):
                    self._seen = self.catalog.snapshot(self._bound([*self.models, *others]))
            except DeltaSchemaError as error:
                self._seen = error
        if isinstance(self._seen, DeltaSchemaError):
            raise self._seen
        return self._seen

    def dependents(self, models: Iterable[Table]) -> list[Table]:
        """Return the other declared tables that have a foreign key to one of ``models``, declared or stored."""
        models, declarations = list(models), self.declarations
        names = {model.name for model in models}
        children = {child for name in names for child in declarations.children.get(name, ())}
        if self.is_read:
            stored = self._stored_children
            children |= {child for model in models for child in stored.get(declarations.bound(model).name, ())}
        others = children - names
        return [table for name, table in declarations.tables.items() if name in others] if others else []

    @cached_property
    def _stored_children(self) -> dict[QualifiedName, list[QualifiedName]]:
        """The declared tables that have a foreign key in the catalog, by the name of its parent there."""
        declarations = self.declarations
        children: dict[QualifiedName, list[QualifiedName]] = {}
        models = {declarations.bound(table).name: name for name, table in declarations.tables.items()}
        for name, state in self.state().tables.items():
            for key in state.foreign_keys if name in models else ():
                children.setdefault(key.parent, []).append(models[name])
        return children

    def states(self, table: Table) -> tuple[TableState, TableState | None]:
        """Return what a model wants under the settings, and what was read of its table; nothing is read for it.

        Args:
            table: One of the models.

        Returns:
            The desired state, under the name that the model maps to; and the observed one, from before an apply.
            ``None`` if the catalog was not read, or the table could not be.
        """
        model = self.declarations.bound(table)
        desired = desired_state(model.table)
        return desired, self.state().observed(model.name, read_only=desired.read_only) if self.is_read else None

    def plan(self, *models: Table) -> TablePlan:
        """Plan tables, with the foreign keys of other tables that depend on their keys.

        Args:
            *models: Some of the models.

        Raises:
            CatalogReadError: If one of them cannot be read.
        """
        state = self.state()
        state.require_all(self._bound(models))
        others = map(desired_state, self._bound(self.dependents(models)))
        plans = sorted(map(self._compared, models), key=lambda compared: compared[0].name)
        return self._planner.joined(plans, state, other_models=others)

    def _compared(self, table: Table) -> tuple[TableState, TablePlan]:
        """Return what a readable model wants, and its plan by itself, which is made once."""
        if table.name not in self._plans:
            desired = desired_state(self.declarations.bound(table).table)
            self._plans[table.name] = desired, self._planner.compared(desired, self.state())
        return self._plans[table.name]

    def _bound(self, models: Iterable[Table]) -> list[Table]:
        """Return the tables that models map to in the catalog."""
        return [self.declarations.bound(model).table for model in models]

    def needs_queries(self, table: Table, *, applies: bool) -> bool:
        """Whether the check of a readable table runs statements, or data checks, on its catalog.

        Args:
            table: One of the models.
            applies: Whether the table is aligned with its model, and not only compared.
        """
        if self.declarations.violations(table) or (not applies and self.declarations.settings.preflight in {None, OFF}):
            return False
        judged = self._judged[table.name]
        return isinstance(judged, JudgedTable) and not judged.plan.is_empty

    def unreadable(self, table: Table, *, check: CheckKind = CheckKind.DRIFT) -> TableOutcome | None:
        """Return the outcome of a table that cannot be read; ``None`` if it can.

        Args:
            table: One of the models.
            check: The check that needs it.
        """
        unreadable = self._unreadable(self.declarations.bound(table))
        return None if unreadable is None else self._outcomes.refused(unreadable, check)

    def drift(self, table: Table) -> TableOutcome:
        """Compare a table with its model; nothing is changed.

        Args:
            table: One of the models.
        """
        judged, check = self._judged[table.name], CheckKind.DRIFT
        if isinstance(judged, RefusedTable):
            return self._outcomes.refused(judged, check)
        if judged.plan.is_empty:
            status = Status.DRIFTED if judged.plan.mismatches else Status.IN_SYNC
            return self._outcomes.outcome(judged, check, status)
        tables = {str(action.table) for action in judged.plan.actions}
        violations = tuple(violation for violation in self._plan_violations if violation.table in tables)
        checks = DataChecks.NOT_RUN
        if not violations and self.declarations.settings.preflight not in {None, OFF}:
            try:
                violations, checks = self._data_checks(judged.own)
            except DeltaSchemaError as error:
                return failed_outcome(judged.model, self.declarations, check, error)
        status = Status.BLOCKED if violations else Status.DRIFTED
        return self._outcomes.outcome(judged, check, status, violations=violations, data_checks=checks)

    def apply(self, table: Table, *, progress: ApplyProgress | None = None) -> TableOutcome:
        """Align a table with its model, read it back, and prove that its plan is empty.

        Tables whose foreign keys form a circle with it are aligned at once.

        Args:
            table: One of the models.
            progress: Records how far the apply came, for the report of an interruption.
        """
        from pytest_delta_schema.engine.orchestrator import sync_stale_entries

        judged, check = self._judged[table.name], CheckKind.APPLY
        if isinstance(judged, RefusedTable):
            return self._outcomes.refused(judged, check)
        if judged.plan.is_empty:
            try:
                is_synced = sync_stale_entries([judged.model.table], self.catalog, self.state())
            except DeltaSchemaError as error:
                return failed_outcome(judged.model, self.declarations, check, error)
            return self._outcomes.outcome(judged, check, Status.SYNCED if is_synced else Status.IN_SYNC)
        try:
            result = self._apply(self.declarations.apply_group(table, self.models), progress)
        except DeltaSchemaError as error:
            return self._outcomes.not_applied(judged, error)
        return self._outcomes.applied(judged, result)

    def planned(self, table: Table) -> dict[str, Any]:
        """Return the plan of a table as values of JSON: ``table`` as a plan file holds it, ``refused`` why none may.

        Args:
            table: One of the models.
        """
        from pytest_delta_schema.engine.plan_file import plan_capabilities, planned_json

        judged = self._judged[table.name]
        if isinstance(judged, RefusedTable):
            return {"refused": [diagnostic.fact for diagnostic in judged.diagnostics]}
        planned = planned_json(self._planned(judged), self.declarations.contract_state(table))
        return {**planned, "capabilities": list(plan_capabilities(self.catalog.capabilities))}

    def _planned(self, judged: JudgedTable) -> PlannedTable:
        from pytest_delta_schema.engine.plan_file import planned_table

        declarations = self.declarations
        return planned_table(
            judged.model.model.name,
            judged.plan,
            judged.observed,
            names=declarations.model_name,
            consents=declarations.settings.consents,
        )

    def reviewed_outcomes(self) -> dict[QualifiedName, TableOutcome]:
        """Return the outcomes of the tables of the reviewed plan on which nothing runs.

        These are the tables that it leaves as they are, and all tables if it does not fit one of them. It
        fits if a new plan has exactly its changes and statements, and neither a rule nor a data check refuses them.
        """
        reviewed, check = self.reviewed, CheckKind.APPLY
        if reviewed is None:
            return {}
        outcomes: dict[QualifiedName, TableOutcome] = {}
        changing: dict[QualifiedName, JudgedTable] = {}
        for model in self.models:
            planned, judged = reviewed.by_name.get(model.name), self._judged[model.name]
            if planned is None:
                continue
            if isinstance(judged, RefusedTable):
                outcomes[model.name] = self._outcomes.refused(judged, check)
            elif judged.plan.is_empty:
                number = counted(len(planned.changes), "change")
                fact = f"already applied: nothing is left of the {number} that {reviewed.file} has"
                notes = [] if planned.is_empty else [note(AlreadyApplied, judged.model.name, "", fact)]
                done = replace(judged, notes=(*judged.notes, *notes))
                outcomes[model.name] = self._outcomes.outcome(done, check, Status.IN_SYNC)
            else:
                changing[model.name] = judged
        refused = self._violations(self.plan(*(one.model.model for one in changing.values())), self._validator)
        faults = {name: self._misfit(judged, reviewed, refused) for name, judged in changing.items()}
        misfits = [name for name, outcome in outcomes.items() if not outcome.status.passes]
        misfits += [name for name, fault in faults.items() if fault is not None]
        names = ", ".join(str(self._judged[name].model.name) for name in sorted(misfits))
        fact = f"{reviewed.file} is applied to all of its tables or to none, and does not fit {names}"
        for name, judged in changing.items() if misfits else ():
            fault = faults[name] or UnsafePlanError([reviewed.stale(judged.model.name, fact)])
            outcomes[name] = self._outcomes.not_applied(judged, fault)
        return outcomes

    def _misfit(
        self, judged: JudgedTable, reviewed: PlanFile, refused: Iterable[Diagnostic]
    ) -> DeltaSchemaError | None:
        """Return why the reviewed plan cannot be applied to a table; ``None`` if it can."""
        from pytest_delta_schema.engine.plan_file import stale_diagnostics

        now, name, tables = self._planned(judged), judged.model.name, {str(one.table) for one in judged.plan.actions}
        capabilities, settings = self.catalog.capabilities, self.declarations.settings
        violations = tuple(stale_diagnostics(reviewed, now, name, capabilities, settings))
        violations = violations or tuple(violation for violation in refused if violation.table in tables)
        try:
            violations = violations or self._data_checks(judged.own)[0]
        except DeltaSchemaError as error:
            return error
        return UnsafePlanError(violations) if violations else None

    def create(self, models: Sequence[Table], *, progress: ApplyProgress) -> dict[QualifiedName, TableOutcome]:
        """Create tables that do not exist, each by itself, and return the outcomes of those whose creation was begun.

        The others, such as those whose parent was not created, are left to an apply.

        Args:
            models: Some of the models, parents before the tables that reference them.
            progress: Records how far the creation came, for the report of an interruption.

        Raises:
            DeltaSchemaError: If the catalog cannot be read; nothing was changed.
        """
        result = self._apply(models, progress, independently=True)
        begun = {table.table for table in result.tables}
        return {
            name: self._outcomes.applied(judged, result.for_table(judged.model.name))
            for name, judged in ((model.name, self._judged[model.name]) for model in models)
            if isinstance(judged, JudgedTable) and judged.model.name in begun
        }

    def _apply(
        self, models: Sequence[Table], progress: ApplyProgress | None, *, independently: bool = False
    ) -> SyncResult:
        from pytest_delta_schema.engine.orchestrator import Orchestrator

        declarations = self.declarations
        runner = runner_of(self.catalog, declarations.settings)
        orchestrator = Orchestrator(self.catalog, runner, planner=self._planner, validator=self._validator)
        dependents = self._bound(self.dependents(models))
        with nullcontext() if progress is None else progress.by(runner):
            return orchestrator.apply(self._bound(models), other_models=dependents, independently=independently)

    @cached_property
    def _judged(self) -> dict[QualifiedName, JudgedTable | RefusedTable]:
        """All models, each compared with what was read of its table, by name."""
        return {model.name: self._judge(model) for model in self.models}

    def _judge(self, table: Table) -> JudgedTable | RefusedTable:
        model, violations = self.declarations.bound(table), self.declarations.violations(table)
        if violations:
            return RefusedTable(model=model, status=Status.BLOCKED, diagnostics=violations)
        unreadable = self._unreadable(model)
        if unreadable is not None:
            return unreadable
        desired, _ = self._compared(table)
        return self._outcomes.judged(model, desired, self.plan(table), self.state())

    def _unreadable(self, model: BoundModel) -> RefusedTable | None:
        try:
            state = self.state()
        except DeltaSchemaError as error:
            unreadable = diagnostic_of(UnreachableCatalog, model.name, " ".join(str(error).split()))
        else:
            if state.observed(model.name, read_only=model.table.read_only) is not None:
                return None
            unreadable = state.problem(model.name)
        return RefusedTable(model=model, status=Status.UNREADABLE, diagnostics=(unreadable,))

    def _data_checks(self, action: CreateTable | AlignTable | None) -> tuple[tuple[Diagnostic, ...], DataChecks]:
        """Run the data checks of a table that an apply would run."""
        if not isinstance(action, AlignTable):
            return (), DataChecks.NOT_RUN
        from pytest_delta_schema.execute.preflight import preflight

        violations = preflight(action, self.catalog, preflight_of(self.declarations.settings))
        return violations, DataChecks.FAILED if violations else DataChecks.PASSED

    @cached_property
    def _plan_violations(self) -> tuple[Diagnostic, ...]:
        """The rules that the plan of all valid and readable models breaks, and what the backend cannot do."""
        plan = self.plan(*(table.model.model for table in self._judged.values() if isinstance(table, JudgedTable)))
        return self._violations(plan, self.declarations.drift_validator)

    def _violations(self, plan: TablePlan, validator: PlanValidator) -> tuple[Diagnostic, ...]:
        """Return the rules that a plan breaks, and what the backend cannot do."""
        unsupported = [
            violation for action in plan.actions for violation in unsupported_statements(action, self.catalog)
        ]
        return (*validator.plan_violations(plan), *unsupported)


class BatchedApplies:
    """Applies tables one by one, and creates with the first missing one all others that can be created then."""

    def __init__(
        self,
        gate: Gate,
        models: Iterable[Table],
        progress: ApplyProgress,
        created: Callable[[Table, TableOutcome], object],
    ) -> None:
        self._gate = gate
        self._progress = progress
        self._created = created
        self._outcomes = gate.reviewed_outcomes()
        self._pending = {model.name: model for model in models if model.name not in self._outcomes}

    def apply(self, table: Table) -> TableOutcome:
        """Return the outcome of an apply, which may have been made with that of an earlier table."""
        if table.name in self._pending and self._is_missing(table):
            self._create(table)
        self._pending.pop(table.name, None)
        if table.name not in self._outcomes:
            self._outcomes[table.name] = self._gate.apply(table, progress=self._progress)
        return self._outcomes[table.name]

    def _create(self, table: Table) -> None:
        """Create the missing tables whose turn has not come; if they cannot be read, each is applied in its turn."""
        try:
            outcomes = self._gate.create(self._creatable(), progress=self._progress)
        except DeltaSchemaError:
            return
        self._outcomes |= outcomes
        for name in outcomes:
            model = self._pending.pop(name)
            if name != table.name:
                self._created(model, outcomes[name])

    def _creatable(self) -> list[Table]:
        """Return the missing tables that reference no table which has to be changed first."""
        creatable: dict[QualifiedName, Table] = {}
        for name, model in self._pending.items():
            parents = {key.parent for key in model.foreign_keys} - creatable.keys() - {name}
            waits = any(parent in self._pending and not self._is_in_sync(self._pending[parent]) for parent in parents)
            if not waits and self._is_missing(model):
                creatable[name] = model
        return list(creatable.values())

    def _is_missing(self, table: Table) -> bool:
        """Whether a table may be created before its turn, by what is known from the start of the run."""
        declarations, bound = self._gate.declarations, self._gate.declarations.bound(table)
        if (
            table.read_only
            or table.convert_from is not None
            or declarations.violations(table)
            or self._gate.unreadable(table)
        ):
            return False
        if self._gate.state().tables[bound.name].exists or len(declarations.apply_group(table, self._gate.models)) > 1:
            return False
        return bound.name == table.name or not declarations.validator.model_violations([bound.table])

    def _is_in_sync(self, model: Table) -> bool:
        """Whether a table whose turn has not come needs no change."""
        if self._gate.declarations.violations(model) or self._gate.unreadable(model):
            return False
        return self._gate.plan(model).is_empty
