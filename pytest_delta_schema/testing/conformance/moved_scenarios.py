"""Scenarios whose tables have names of a user's schema."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
from pytest_delta_schema.models.binding import Binding
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.sql.compiler import script, statements
from pytest_delta_schema.testing.data_access import MEMORY
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from pytest_delta_schema.testing.scenarios import SCENARIOS

if TYPE_CHECKING:
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.testing.scenario import Scenario

_SCHEMA = ("dev", "silver")
_TABLES = ("lines", "orders", "parents")
"""The tables of all scenarios, those with foreign keys first."""


class Tables(NamedTuple):
    """The tables of a run: the only ones that it creates and drops."""

    catalog: str
    schema: str
    prefix: str

    @property
    def names(self) -> tuple[QualifiedName, ...]:
        """Their names, those with foreign keys first."""
        return tuple(QualifiedName(self.catalog, self.schema, f"{self.prefix}{table}") for table in _TABLES)

    @property
    def binding(self) -> Binding:
        """The binding of the tables of scenarios to them."""
        return Binding(tuple(((*_SCHEMA, table), name) for table, name in zip(_TABLES, self.names, strict=True)))

    def reference(self) -> MemoryCatalog:
        """Return an empty memory catalog that has the schema."""
        catalog = MemoryCatalog()
        catalog.create_schema(self.catalog, self.schema)
        return catalog


def moved_scenarios(tables: Tables) -> tuple[Scenario, ...]:
    """Return the scenarios that need a catalog and no parquet files, in other tables."""
    return tuple(
        _moved(scenario, tables)
        for scenario in SCENARIOS
        if scenario.parquet is None and scenario.after.convert_from is None and not scenario.is_refused_by_rules
    )


def _moved(scenario: Scenario, tables: Tables) -> Scenario:
    """Return a scenario in other tables; plan and SQL are those of the memory catalog, which passes all of them."""

    def moved(table: Table) -> Table:
        return tables.binding.table(table)

    def renamed(text: str) -> str:
        for table, name in zip(_TABLES, tables.names, strict=True):
            text = text.replace(".".join((*_SCHEMA, table)), str(name))
        return text

    placed = replace(
        scenario,
        before=None if scenario.before is None else moved(scenario.before),
        after=moved(scenario.after),
        other_tables=tuple((moved(table), rows) for table, rows in scenario.other_tables),
        reported=renamed(scenario.reported),
    )
    catalog = tables.reference()
    create_initial_tables(placed, catalog, MEMORY)
    models = [placed.after, *(table for table, _ in placed.other_tables)]
    plan = TablePlanner(policy=placed.property_policy).plan([placed.after], catalog.snapshot(models))
    return replace(
        placed,
        plan="\n".join(str(line) for action in plan.actions for line in change_lines(action)),
        sql=script([statement for action in plan.actions for statement in statements(action)]),
    )
