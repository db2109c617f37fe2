"""Scenarios that every backend passes, one module a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.testing.scenarios.basics import BASICS
from pytest_delta_schema.testing.scenarios.changes import CHANGES
from pytest_delta_schema.testing.scenarios.checks_added import CHECKS_ADDED
from pytest_delta_schema.testing.scenarios.checks_changed import CHECKS_CHANGED
from pytest_delta_schema.testing.scenarios.columns.additive import ADDITIVE
from pytest_delta_schema.testing.scenarios.columns.defaults import DEFAULTS
from pytest_delta_schema.testing.scenarios.columns.generated_columns import GENERATED_COLUMNS
from pytest_delta_schema.testing.scenarios.columns.not_null import NOT_NULL
from pytest_delta_schema.testing.scenarios.columns.renames import RENAMES
from pytest_delta_schema.testing.scenarios.columns.special_characters import SPECIAL_CHARACTERS
from pytest_delta_schema.testing.scenarios.columns.types import TYPES
from pytest_delta_schema.testing.scenarios.keys.foreign_keys import FOREIGN_KEYS
from pytest_delta_schema.testing.scenarios.keys.foreign_keys_changed import FOREIGN_KEYS_CHANGED
from pytest_delta_schema.testing.scenarios.keys.primary_keys import PRIMARY_KEYS
from pytest_delta_schema.testing.scenarios.keys.rely import RELY
from pytest_delta_schema.testing.scenarios.keys.unique import UNIQUE
from pytest_delta_schema.testing.scenarios.tables.clustering import CLUSTERING
from pytest_delta_schema.testing.scenarios.tables.conversion import CONVERSION
from pytest_delta_schema.testing.scenarios.tables.databricks_properties import DATABRICKS_PROPERTIES
from pytest_delta_schema.testing.scenarios.tables.layout_rewrites import LAYOUT_REWRITES
from pytest_delta_schema.testing.scenarios.tables.ownership import OWNERSHIP
from pytest_delta_schema.testing.scenarios.tables.partitioning import PARTITIONING
from pytest_delta_schema.testing.scenarios.tables.property_policy import PROPERTY_POLICY
from pytest_delta_schema.testing.scenarios.tables.tags import TAGS

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
