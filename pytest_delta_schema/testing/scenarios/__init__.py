"""Scenarios that every backend passes, one module a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.testing.scenarios.basics import BASICS
from pytest_delta_schema.testing.scenarios.columns import COLUMNS
from pytest_delta_schema.testing.scenarios.constraints import CONSTRAINTS
from pytest_delta_schema.testing.scenarios.layout import LAYOUT
from pytest_delta_schema.testing.scenarios.properties import PROPERTIES
from pytest_delta_schema.testing.scenarios.types import TYPES

if TYPE_CHECKING:
    from pytest_delta_schema.testing.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (*BASICS, *COLUMNS, *TYPES, *CONSTRAINTS, *LAYOUT, *PROPERTIES)
"""All scenarios, topic by topic."""
