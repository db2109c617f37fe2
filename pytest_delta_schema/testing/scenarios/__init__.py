"""Scenarios that every backend passes, one module a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.testing.scenarios.basics import BASICS, CHANGES
from pytest_delta_schema.testing.scenarios.checks import CHECKS_ADDED, CHECKS_CHANGED
from pytest_delta_schema.testing.scenarios.columns import ADDITIVE, NOT_NULL, RENAMES, SPECIAL_CHARACTERS
from pytest_delta_schema.testing.scenarios.foreign_keys import FOREIGN_KEYS, FOREIGN_KEYS_CHANGED
from pytest_delta_schema.testing.scenarios.keys import PRIMARY_KEYS, RELY, UNIQUE
from pytest_delta_schema.testing.scenarios.layout import CLUSTERING, CONVERSION, LAYOUT_REWRITES, PARTITIONING
from pytest_delta_schema.testing.scenarios.properties import DATABRICKS_PROPERTIES, OWNERSHIP, PROPERTY_POLICY, TAGS
from pytest_delta_schema.testing.scenarios.types import DEFAULTS, GENERATED_COLUMNS, TYPES

if TYPE_CHECKING:
    from pytest_delta_schema.testing.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (
    *ADDITIVE,
    *BASICS,
    *SPECIAL_CHARACTERS,
    *CHANGES,
    *CHECKS_ADDED,
    *CHECKS_CHANGED,
    *CONVERSION,
    *RENAMES,
    *TYPES,
    *FOREIGN_KEYS,
    *FOREIGN_KEYS_CHANGED,
    *PRIMARY_KEYS,
    *UNIQUE,
    *RELY,
    *PARTITIONING,
    *LAYOUT_REWRITES,
    *CLUSTERING,
    *NOT_NULL,
    *OWNERSHIP,
    *PROPERTY_POLICY,
    *DATABRICKS_PROPERTIES,
    *TAGS,
    *GENERATED_COLUMNS,
    *DEFAULTS,
)
"""All scenarios, topic by topic."""
