"""Our own backends pass the suite that everybody's have to pass; those that need a JVM are in ``tests/spark``."""

from __future__ import annotations

import pytest

from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.testing import SCENARIOS, CatalogSuite
from pytest_delta_schema.testing.handling import MEMORY


def test_there_are_enough_scenarios_with_names_of_their_own():
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS) >= 120


class TestMemory(CatalogSuite):
    """The memory catalog, which also plays what rules refuse unseen."""

    handling = MEMORY

    @pytest.fixture
    def catalog(self):
        return MemoryCatalog()
