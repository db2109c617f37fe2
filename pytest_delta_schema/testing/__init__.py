"""A suite of scenarios that every backend passes, for authors of backends."""

import pytest

pytest.register_assert_rewrite("pytest_delta_schema.testing.scenario_runner")

from pytest_delta_schema.testing.data_access import DataAccess, MemoryDataAccess, SparkDataAccess
from pytest_delta_schema.testing.scenario import Scenario
from pytest_delta_schema.testing.scenario_runner import run_scenario
from pytest_delta_schema.testing.scenarios import SCENARIOS
from pytest_delta_schema.testing.suite import CatalogSuite

__all__ = ["SCENARIOS", "CatalogSuite", "DataAccess", "MemoryDataAccess", "Scenario", "SparkDataAccess", "run_scenario"]
