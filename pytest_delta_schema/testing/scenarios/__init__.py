"""Scenarios that every backend passes, one module a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.testing.scenarios.additive import ADDITIVE
from pytest_delta_schema.testing.scenarios.basics import BASICS
from pytest_delta_schema.testing.scenarios.changes import CHANGES
from pytest_delta_schema.testing.scenarios.checks_added import CHECKS_ADDED
from pytest_delta_schema.testing.scenarios.checks_changed import CHECKS_CHANGED
from pytest_delta_schema.testing.scenarios.clustering import CLUSTERING
from pytest_delta_schema.testing.scenarios.conversion import CONVERSION
from pytest_delta_schema.testing.scenarios.databricks_properties import DATABRICKS_PROPERTIES
from pytest_delta_schema.testing.scenarios.defaults import DEFAULTS
from pytest_delta_schema.testing.scenarios.foreign_keys import FOREIGN_KEYS
from pytest_delta_schema.testing.scenarios.foreign_keys_changed import FOREIGN_KEYS_CHANGED
from pytest_delta_schema.testing.scenarios.generated_columns import GENERATED_COLUMNS
from pytest_delta_schema.testing.scenarios.layout_rewrites import LAYOUT_REWRITES
from pytest_delta_schema.testing.scenarios.not_null import NOT_NULL
from pytest_delta_schema.testing.scenarios.ownership import OWNERSHIP
from pytest_delta_schema.testing.scenarios.partitioning import PARTITIONING
from pytest_delta_schema.testing.scenarios.primary_keys import PRIMARY_KEYS
from pytest_delta_schema.testing.scenarios.property_policy import PROPERTY_POLICY
from pytest_delta_schema.testing.scenarios.rely import RELY
from pytest_delta_schema.testing.scenarios.renames import RENAMES
from pytest_delta_schema.testing.scenarios.special_characters import SPECIAL_CHARACTERS
from pytest_delta_schema.testing.scenarios.tags import TAGS
from pytest_delta_schema.testing.scenarios.types import TYPES
from pytest_delta_schema.testing.scenarios.unique import UNIQUE

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
