"""List the statements that a classic Spark session with open-source Delta emulates or refuses."""

from __future__ import annotations

from pytest_delta_schema.backends.spark.newer_tables import refused_on_tables
from pytest_delta_schema.backends.spark.statements.emulation import BY_COMMIT, BY_PROPERTY
from pytest_delta_schema.delta.known_properties import is_databricks_only
from pytest_delta_schema.execute.protocols.catalog import Capabilities

OPEN_SOURCE_DELTA = Capabilities(
    emulates=BY_COMMIT | BY_PROPERTY,
    emulates_property=is_databricks_only,
    refuses_for_table=refused_on_tables(is_databricks_only),
)
"""The capabilities of a classic session with the newest Spark and Delta."""
