"""The suite that every backend passes."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyspark.sql.types import LongType

from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
from pytest_delta_schema.engine.orchestrator import Orchestrator
from pytest_delta_schema.models.column import Column
from pytest_delta_schema.models.constraints import ForeignKey
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.testing.handling import MEMORY, Handling, SparkHandling
from pytest_delta_schema.testing.play import gaps, play
from pytest_delta_schema.testing.scenarios import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from pytest_delta_schema.execute.protocols import ScratchCatalog
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.testing.scenario import Scenario


def played(suite: type[CatalogSuite]) -> list[Scenario]:
    """Return the scenarios that a suite plays; those that rules refuse before any catalog is asked need no backend."""
    return [
        scenario
        for scenario in SCENARIOS
        if _is_chosen(scenario.name, suite.scenarios)
        and (scenario.parquet is None or suite.handling.converts)
        and (not scenario.is_refused_by_rules or suite.handling.plays_refusals)
        and suite.imposed.keys().isdisjoint(scenario.requires_unset)
    ]


def _is_chosen(name: str, chosen: tuple[str, ...]) -> bool:
    return not chosen or name in chosen or f"{name.partition('/')[0]}/" in chosen


class CatalogSuite:
    """Every scenario on one backend: it is read, planned, applied, read back, and refused where it should be.

    Subclass it in a test module, under a name that pytest collects, and give it a fixture ``catalog``: a
    :class:`~pytest_delta_schema.execute.ScratchCatalog` that holds nothing yet under ``dev.silver``. What the backend
    lacks it says by its own ``capabilities``: a scenario that needs it has to be refused then, and nothing may have
    changed. Every other one has to end as on the memory catalog.

    Attributes:
        handling: How rows are read back, and parquet is made.
        scenarios: Names of scenarios to play, or topics with a slash at the end, such as ``checks/``; empty for all.
        imposed: Properties that the catalog gives to every table; not compared where a scenario does not ask for them.
    """

    handling: Handling = SparkHandling()
    scenarios: tuple[str, ...] = ()
    imposed: Mapping[str, str] = MappingProxyType({})

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test of every scenario."""
        if "scenario" in metafunc.fixturenames:
            metafunc.parametrize("scenario", played(type(self)), ids=lambda scenario: scenario.name)

    def test_scenario(self, scenario: Scenario, catalog: ScratchCatalog) -> None:
        """The scenario ends as it should."""
        end = play(scenario, catalog, self.handling)
        if not gaps(scenario, catalog.capabilities):
            expected = play(scenario, MemoryCatalog(), MEMORY)
            assert _without(end, self.imposed, expected) == expected

    def test_reading_by_name(self, catalog: ScratchCatalog) -> None:
        """A table is read by its name as by its model, and without the tables that it references."""
        parent = Table("dev", "silver", "parent", [Column("id", LongType(), is_nullable=False)], primary_key=["id"])
        foreign_key = ForeignKey(["parent"], parent.qualified_name, parent_columns=["id"])
        child = Table("dev", "silver", "child", [Column("parent", LongType())], foreign_keys=[foreign_key])
        Orchestrator.over(catalog).sync_tables([parent, child])

        assert catalog.snapshot([child]).tables.keys() >= {parent.name, child.name}
        assert catalog.read_tables([child.name]).tables == {child.name: catalog.snapshot([child]).tables[child.name]}


def _without(end: TableState, imposed: Mapping[str, str], expected: TableState) -> TableState:
    """Leave out what a catalog imposes and nobody has asked for."""
    given = {key.lower() for key in imposed}
    kept = {
        key: value
        for key, value in end.table_properties.items()
        if key.lower() not in given or key in expected.table_properties
    }
    return replace(end, table_properties=kept)
