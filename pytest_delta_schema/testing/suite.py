"""The suite that every backend passes."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.types import LongType

from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
from pytest_delta_schema.delta.names import NameSet
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.engine.orchestrator import Orchestrator
from pytest_delta_schema.models.column import Column
from pytest_delta_schema.models.constraints import ForeignKey
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.testing.data_access import MEMORY, DataAccess, SparkDataAccess
from pytest_delta_schema.testing.scenario_runner import (
    initial_refusal,
    require_same,
    run_scenario,
    unsupported_statements,
)
from pytest_delta_schema.testing.scenarios import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.execute.protocols import ScratchCatalog
    from pytest_delta_schema.plan.actions import TablePlan
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.testing.scenario import Scenario


def scenarios_of(suite: type[CatalogSuite]) -> list[Scenario]:
    """Return the scenarios that a suite runs; most backends need not run those that rules refuse without a catalog."""
    return [
        scenario
        for scenario in SCENARIOS
        if _is_chosen(scenario.name, suite.scenarios)
        and (scenario.parquet is None or suite.data_access.converts)
        and (not scenario.is_refused_by_rules or suite.data_access.runs_refused)
        and suite.imposed.keys().isdisjoint(scenario.requires_unset)
    ]


def _is_chosen(name: str, chosen: tuple[str, ...]) -> bool:
    return not chosen or name in chosen or f"{name.partition('/')[0]}/" in chosen


class CatalogSuite:
    """Runs every scenario on one backend: it reads, plans, applies and reads back, or expects the refusal.

    Subclass it in a test module, under a name that pytest collects, and give it a fixture ``catalog``: a
    :class:`~pytest_delta_schema.execute.ScratchCatalog` without tables in ``dev.silver``. A scenario with
    statements that its ``capabilities`` refuse must be refused without a change. Every other one must end as on the
    memory catalog.

    Attributes:
        data_access: Reads rows and creates parquet tables.
        scenarios: Names of scenarios to run, or topics with a slash at the end, such as ``checks/``; empty for all.
        imposed: Properties that the catalog sets on every table; they are only compared if a scenario declares them.
    """

    data_access: DataAccess = SparkDataAccess()
    scenarios: tuple[str, ...] = ()
    imposed: Mapping[str, str] = MappingProxyType({})

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test for each scenario."""
        if "scenario" in metafunc.fixturenames:
            metafunc.parametrize("scenario", scenarios_of(type(self)), ids=lambda scenario: scenario.name)

    def test_scenario(self, scenario: Scenario, catalog: ScratchCatalog) -> None:
        """The scenario ends as expected; it is skipped where its first tables cannot be created."""
        refusal = initial_refusal(scenario, catalog.capabilities)
        if refusal is not None:
            pytest.skip(refusal.reason)
        end = run_scenario(scenario, catalog, self.data_access, self.review)
        if not unsupported_statements(scenario, catalog.capabilities):
            expected = run_scenario(scenario, MemoryCatalog(), MEMORY)
            require_same("the table at the end", without_imposed(end, self.imposed, expected), expected)

    def review(self, scenario: Scenario, plan: TablePlan) -> None:
        """Check the plan of a scenario before it runs; by default only its end is compared."""

    def test_reading_by_name(self, catalog: ScratchCatalog) -> None:
        """A table is read by its name as by its model, and without the tables that it references."""
        parent = Table("dev", "silver", "parent", [Column("id", LongType(), is_nullable=False)], primary_key=["id"])
        foreign_key = ForeignKey(["parent"], parent.qualified_name, parent_columns=["id"])
        child = Table("dev", "silver", "child", [Column("parent", LongType())], foreign_keys=[foreign_key])
        Orchestrator.over(catalog).sync_tables([parent, child])

        assert catalog.snapshot([child]).tables.keys() >= {parent.name, child.name}
        assert catalog.read_tables([child.name]).tables == {child.name: catalog.snapshot([child]).tables[child.name]}

    def test_creating_twice(self, catalog: ScratchCatalog) -> None:
        """A table that exists is not created again, so of two applies one learns that it is already there."""
        model = Table("dev", "silver", "orders", [Column("id", LongType())])
        line = Orchestrator.over(catalog)
        (*_, creation) = (statement for action in line.plan_tables([model]).actions for statement in statements(action))
        line.sync_tables([model])
        before = catalog.version(model.name)

        with pytest.raises(StatementError) as caught:
            catalog.run(creation)

        assert caught.value.condition == "TABLE_OR_VIEW_ALREADY_EXISTS"
        assert catalog.version(model.name) == before


def without_imposed(end: TableState, imposed: Mapping[str, str | None], expected: TableState) -> TableState:
    """Return a state without the properties that the catalog sets and the scenario does not declare."""
    given = NameSet(imposed)
    kept = {
        key: value
        for key, value in end.table_properties.items()
        if key not in given or key in expected.table_properties
    }
    return replace(end, table_properties=kept)
