"""Hold a backend to what all backends do: a suite of scenarios, for ours and for yours."""

import pytest

pytest.register_assert_rewrite("pytest_delta_schema.testing.play")

from pytest_delta_schema.testing.handling import Handling, SparkHandling
from pytest_delta_schema.testing.play import play
from pytest_delta_schema.testing.scenario import Scenario
from pytest_delta_schema.testing.scenarios import SCENARIOS
from pytest_delta_schema.testing.suite import CatalogSuite

__all__ = ["SCENARIOS", "CatalogSuite", "Handling", "Scenario", "SparkHandling", "play"]
