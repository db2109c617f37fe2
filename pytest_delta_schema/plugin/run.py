"""What one pytest run knows: its tables, its rules, and what the catalog showed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

import pytest

from pytest_delta_schema.engine.apply_progress import Applying
from pytest_delta_schema.plugin.options import APPLY, is_worker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.engine.settings import PreflightMode, PushedSettings, Settings
    from pytest_delta_schema.errors import DeltaSchemaError, Diagnostic
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.plan.planner import TablePlanner
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.rules.validator import PlanValidator
    from pytest_delta_schema.state.states import CatalogState


class ContractRun:
    """The state of one run; engine parts are imported when a table needs them.

    Args:
        config: The run's configuration.
        options: Its checked options.
        settings: Its settings, as they were pushed.
    """

    def __init__(self, config: pytest.Config, options: Options, settings: PushedSettings) -> None:
        self.options = options
        self._pushed = settings
        self.tables: dict[QualifiedName, Table] = {}
        self.schemas: dict[tuple[str, str], Table] = {}
        self.selected: list[Table] = []
        self.judged: set[int] = set()
        self.applying = Applying()
        self._config = config
        self._bound: dict[QualifiedName, tuple[Table, Table]] = {}
        self._violations: dict[QualifiedName, tuple[Diagnostic, ...]] = {}
        self._plan_violations: dict[int, tuple[Diagnostic, ...]] = {}
        self._states: dict[int, tuple[Catalog, CatalogState | DeltaSchemaError]] = {}
        self._indexed = 0
        self._children: dict[QualifiedName, list[QualifiedName]] = {}

    def declare(self, table: Table) -> Table:
        """Note a table, and return the one that was noted first under its name."""
        return self.tables.setdefault(table.name, table)

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        return self._pushed.settings()

    def bound(self, table: Table) -> Table:
        """Return the table that a model maps to in the catalog."""
        from pytest_delta_schema.engine.assembly import bound

        known = self._bound.get(table.name)
        if known is None or known[0] is not table:
            known = self._bound[table.name] = (table, bound(table, self.settings))
        return known[1]

    @cached_property
    def validator(self) -> PlanValidator:
        """The standard rules and those of the project."""
        from pytest_delta_schema.engine.assembly import validator_of

        protected = self.settings.protected if self.options.mode == APPLY else ()
        return validator_of(self.settings._replace(protected=protected))

    @cached_property
    def planner(self) -> TablePlanner:
        """The planner that compares as the settings say."""
        from pytest_delta_schema.engine.assembly import planner_of

        return planner_of(self.settings)

    def creation(self, table: Table) -> CreateTable:
        """Return how a table would be created under the name of its model."""
        from pytest_delta_schema.engine.assembly import declared
        from pytest_delta_schema.state.desired import desired_state

        return self.planner.creation(desired_state(declared(table, self.settings)))

    def violations(self, table: Table) -> tuple[Diagnostic, ...]:
        """Return the rules that a declaration breaks; they are run once a table, however many checks ask."""
        known = self._violations.get(table.name)
        if known is None:
            from pytest_delta_schema.engine.assembly import declared

            known = self._violations[table.name] = self.validator.model_violations([declared(table, self.settings)])
        return known

    def state(self, catalog: Catalog) -> CatalogState:
        """Return what ``catalog`` showed of the selected tables: all of them are read at once, the first time.

        Tables that were not selected are read, too, if their foreign keys point at one that was.

        Raises:
            DeltaSchemaError: If it could not be read at all; the same one every time.
        """
        from pytest_delta_schema.errors import DeltaSchemaError

        known = self._states.get(id(catalog))
        if known is None:
            seen: CatalogState | DeltaSchemaError
            try:
                seen = catalog.snapshot(list(map(self.bound, [*self.selected, *self.pointing_at(self.selected)])))
            except DeltaSchemaError as error:
                seen = error
            # The catalog is kept beside its state, so that no other one can get its identity.
            known = self._states[id(catalog)] = (catalog, seen)
        if isinstance(known[1], Exception):
            raise known[1]
        return known[1]

    def pointing_at(self, models: Iterable[Table]) -> list[Table]:
        """Return the other collected tables that have a foreign key to one of ``models``, declared or stored."""
        models = list(models)
        names = {model.name for model in models}
        stored = self._stored_children()
        found = {child for name in names for child in self._declared_children.get(name, ())}
        found |= {child for model in models for child in stored.get(self.bound(model).name, ())}
        others = found - names
        return [table for name, table in self.tables.items() if name in others] if others else []

    @cached_property
    def _declared_children(self) -> dict[QualifiedName, list[QualifiedName]]:
        """The collected tables that declare a foreign key, by its parent."""
        children: dict[QualifiedName, list[QualifiedName]] = {}
        for name, table in self.tables.items():
            for key in table.foreign_keys:
                children.setdefault(key.parent, []).append(name)
        return children

    def _stored_children(self) -> dict[QualifiedName, list[QualifiedName]]:
        """Return the collected tables that have a foreign key in a catalog, by its parent there."""
        from pytest_delta_schema.errors import DeltaSchemaError

        if len(self._states) != self._indexed:
            self._indexed = len(self._states)
            places = {self.bound(table).name: name for name, table in self.tables.items()}
            self._children = {}
            for _, seen in self._states.values():
                if not isinstance(seen, DeltaSchemaError):
                    for name, state in seen.tables.items():
                        for key in state.foreign_keys if name in places else ():
                            self._children.setdefault(key.parent, []).append(places[name])
        return self._children

    def plan(self, table: Table, catalog: Catalog) -> TablePlan:
        """Plan one selected table by what ``catalog`` showed first; foreign keys that follow its key are part of it."""
        known = map(self.bound, self.pointing_at([table]))
        return self.planner.plan([self.bound(table)], self.state(catalog), known=known)

    def plan_violations(self, plan: TablePlan, catalog: Catalog) -> tuple[Diagnostic, ...]:
        """Return the rules that a plan breaks, if all selected tables are brought in line with it."""
        tables = {str(action.table) for action in plan.actions}
        return tuple(found for found in self._all_violations(catalog) if found.table in tables)

    def apply_rank(self, table: Table) -> int:
        """Return where a table stands in an apply: behind the parents of its foreign keys."""
        return self._groups[table.name][0]

    def apply_group(self, table: Table) -> tuple[Table, ...]:
        """Return the selected tables that are brought in line at once: those that point at each other in a circle.

        A worker of xdist takes the parents along, because they may have come to the catalog of another worker.
        """
        selected = {each.name: each for each in self.selected}
        todo = [each for each in self._groups[table.name][1] if each.name in selected]
        group: dict[QualifiedName, Table] = {}
        while todo:
            each = todo.pop()
            if each.name not in group:
                group[each.name] = each
                if is_worker(self._config):
                    todo.extend(selected[key.parent] for key in each.foreign_keys if key.parent in selected)
        return tuple(group[name] for name in sorted(group))

    def useless_entries(self) -> list[str] | None:
        """Return a message for each consent in the project's file that no table needed; ``None`` if nobody can say.

        That takes a run which has read every declared table.
        """
        from pytest_delta_schema.errors import DeltaSchemaError

        states = [seen for _, seen in self._states.values() if not isinstance(seen, DeltaSchemaError)]
        names = {table.name for table in self.selected}
        partial = self._config.args_source is self._config.ArgsSource.ARGS or names != self.tables.keys()
        if not self.options.entries or partial or not states or any(state.problems for state in states):
            return None
        if any(self.violations(table) for table in self.selected):
            return None
        from pytest_delta_schema.rules.consent import needs

        plans = [self.planner.plan(map(self.bound, self.selected), state) for state in states]
        needed = [need for plan in plans for action in plan.actions for need in needs(action)]
        return [
            f"consent '{entry}' ({entry.reason}) was needed by no table of this run; remove it"
            for entry in self.options.entries
            if not any(entry.covers(need) for need in needed)
        ]

    @cached_property
    def _groups(self) -> dict[QualifiedName, tuple[int, tuple[Table, ...]]]:
        from pytest_delta_schema.plan.dependency_order import dependency_groups

        groups = dependency_groups(self.tables.values())
        return {table.name: (rank, group) for rank, group in enumerate(groups) for table in group}

    def _all_violations(self, catalog: Catalog) -> tuple[Diagnostic, ...]:
        from pytest_delta_schema.execute.capabilities import lacking

        known = self._plan_violations.get(id(catalog))
        if known is None:
            state = self.state(catalog)
            fine = [table for table in self.selected if not self.violations(table)]
            sound = [table for table in fine if self.bound(table).name in state.tables]
            known_ones = map(self.bound, self.pointing_at(sound))
            plan = self.planner.plan(map(self.bound, sound), state, known=known_ones)
            unable = [found for action in plan.actions for found in lacking(action, catalog)]
            known = self._plan_violations[id(catalog)] = (*self.validator.plan_violations(plan), *unable)
        return known


def configured_settings(config: pytest.Config, options: Options) -> Settings:
    """Return the settings of a run, with the rules that its hooks return.

    Args:
        config: The run's configuration.
        options: Its checked options.
    """
    from pytest_delta_schema.engine.settings import Settings

    model_rules = config.hook.pytest_delta_schema_model_rules(config=config)
    plan_rules = config.hook.pytest_delta_schema_plan_rules(config=config)
    preflight = options.preflight
    return Settings(
        properties=options.properties,
        default_properties=options.default_properties,
        enable_features=options.enable,
        owned_properties=options.owned_properties,
        consents=options.consents,
        project_consents=options.entries,
        must_match=options.naming,
        max_risk=options.max_risk,
        protected=options.protected,
        bindings=options.bindings,
        preflight=None if preflight is None else cast("PreflightMode", preflight.mode),
        preflight_samples=5 if preflight is None else preflight.samples,
        on_failure="restore" if options.restores else "leave",
        rules=options.rules,
        model_rules=tuple(rule for rules in model_rules for rule in rules),
        plan_rules=tuple(rule for rules in plan_rules for rule in rules),
    )


RUN = pytest.StashKey[ContractRun]()
"""Where the run is found in the configuration's stash."""
