"""What one pytest run knows: its tables, its rules, and what the catalog showed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.engine.apply_progress import Applying
from pytest_delta_schema.plugin.options import is_worker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.errors import DeltaSchemaError, Diagnostic
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.binding import Binding
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.planner import TablePlanner
    from pytest_delta_schema.plan.property_policy import PropertyPolicy
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.rules.validator import PlanValidator
    from pytest_delta_schema.state.states import CatalogState


class ContractRun:
    """The state of one run; engine parts are imported when a table needs them.

    Args:
        config: The run's configuration.
        options: Its checked options.
    """

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self.options = options
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

    @cached_property
    def binding(self) -> Binding:
        """Which tables models stand for."""
        from pytest_delta_schema.models.binding import Binding

        return Binding(self.options.bindings)

    def bound(self, table: Table) -> Table:
        """Return the table that a model stands for in the catalog."""
        known = self._bound.get(table.name)
        if known is None or known[0] is not table:
            known = self._bound[table.name] = (table, self.binding.table(table))
        return known[1]

    @cached_property
    def validator(self) -> PlanValidator:
        """The standard rules, the project's own, and what was consented to."""
        from pytest_delta_schema.plan.risk import Risk
        from pytest_delta_schema.rules.validator import PlanValidator, default_model_rules, default_plan_rules

        hook = self._config.hook
        model_rules = hook.pytest_delta_schema_model_rules(config=self._config)
        plan_rules = hook.pytest_delta_schema_plan_rules(config=self._config)
        standard = default_plan_rules(
            self.options.consents, max_risk=Risk[self.options.max_risk.upper()], protected=self.options.protected
        )
        return PlanValidator(
            model_rules=[*default_model_rules(self.policy), *(rule for some in model_rules for rule in some)],
            plan_rules=[*standard, *(rule for some in plan_rules for rule in some)],
        )

    @cached_property
    def planner(self) -> TablePlanner:
        """The planner, with the features that it may raise and the project's policy for properties."""
        from pytest_delta_schema.plan.planner import TablePlanner

        return TablePlanner(self.options.enable, self.policy)

    @cached_property
    def policy(self) -> PropertyPolicy:
        """Whose which table properties are."""
        from pytest_delta_schema.plan.property_policy import PropertyPolicy

        return PropertyPolicy(self.options.properties, self.options.owned_properties)

    def violations(self, table: Table) -> tuple[Diagnostic, ...]:
        """Return the rules that a declaration breaks; they are run once a table, however many checks ask."""
        known = self._violations.get(table.name)
        if known is None:
            known = self._violations[table.name] = self.validator.model_violations([table])
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


RUN = pytest.StashKey[ContractRun]()
"""Where the run is found in the configuration's stash."""
