"""The memory catalog passes the suite of all backends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.testing import SCENARIOS, CatalogSuite
from pytest_delta_schema.testing.data_access import MEMORY
from pytest_delta_schema.testing.unity_tables import IMPOSED_PROPERTIES


def test_there_are_enough_scenarios_with_names_of_their_own():
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS) >= 120


class TestMemory(CatalogSuite):
    """The memory catalog, which also plays what rules refuse unseen."""

    data_access = MEMORY

    @pytest.fixture
    def catalog(self):
        return MemoryCatalog()


class Imposing(MemoryCatalog):
    """A catalog that gives its own properties to every new table, as Unity Catalog does to managed ones."""

    def run(self, statement):
        super().run(statement)
        if statement.kind is StatementKind.CREATE_TABLE:
            state = self._tables[statement.table]
            declared = {key.lower() for key in state.table_properties}
            imposed = {key: value for key, value in IMPOSED_PROPERTIES.items() if key.lower() not in declared}
            self._tables[statement.table] = replace(state, table_properties={**imposed, **state.table_properties})


class TestManaged(CatalogSuite):
    """Properties that a catalog imposes are not compared."""

    data_access = MEMORY
    imposed = IMPOSED_PROPERTIES

    @pytest.fixture
    def catalog(self):
        return Imposing()
