"""The kit for backends: what a catalog needs that reads Delta logs or metadata by SQL.

A backend imports this module and public packages only; ``examples/backend`` is one of another distribution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.backends.concurrency import map_concurrently as map_concurrently
    from pytest_delta_schema.backends.concurrency import read_all_until_settled as read_all_until_settled
    from pytest_delta_schema.backends.decoders import build_decoders as build_decoders
    from pytest_delta_schema.backends.logs.files import LocalFiles as LocalFiles
    from pytest_delta_schema.backends.logs.files import LogFiles as LogFiles
    from pytest_delta_schema.backends.logs.files import Stamp as Stamp
    from pytest_delta_schema.backends.logs.files import local_folder as local_folder
    from pytest_delta_schema.backends.logs.log import reading_log as reading_log
    from pytest_delta_schema.backends.logs.log import state_of_log as state_of_log
    from pytest_delta_schema.backends.problems import MALFORMED as MALFORMED
    from pytest_delta_schema.backends.problems import NO_CONNECTION as NO_CONNECTION
    from pytest_delta_schema.backends.problems import is_a_view as is_a_view
    from pytest_delta_schema.backends.problems import is_damaged as is_damaged
    from pytest_delta_schema.backends.problems import is_not_delta as is_not_delta
    from pytest_delta_schema.backends.problems import problem as problem
    from pytest_delta_schema.backends.problems import refused as refused
    from pytest_delta_schema.backends.problems import without_files as without_files
    from pytest_delta_schema.backends.rows import DataQueries as DataQueries
    from pytest_delta_schema.backends.secret import Secret as Secret
    from pytest_delta_schema.backends.spark.errors import cancel_on_interrupt as cancel_on_interrupt
    from pytest_delta_schema.backends.spark.errors import running_in_spark as running_in_spark
    from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA as OPEN_SOURCE_DELTA
    from pytest_delta_schema.delta.names import NameMap as NameMap
    from pytest_delta_schema.delta.names import NameSet as NameSet
    from pytest_delta_schema.delta.names import folded as folded
    from pytest_delta_schema.delta.protocol import may_generate_columns as may_generate_columns
    from pytest_delta_schema.delta.protocol import split_properties as split_properties
    from pytest_delta_schema.diagnostics.errors import first_line as first_line
    from pytest_delta_schema.diagnostics.faults import UnreadableTable as UnreadableTable
    from pytest_delta_schema.diagnostics.redaction import redacted_uri as redacted_uri
    from pytest_delta_schema.diagnostics.text import escaped as escaped
    from pytest_delta_schema.exchange.statements import created_state as created_state
    from pytest_delta_schema.exchange.statements import parse_databricks_type as parse_databricks_type
    from pytest_delta_schema.models.arguments import refuse_kind as refuse_kind
    from pytest_delta_schema.models.names import required_table_names as required_table_names
    from pytest_delta_schema.models.sets import snapshot_names as snapshot_names
    from pytest_delta_schema.progress import step as step
    from pytest_delta_schema.sql.compiler import statements_per_column as statements_per_column
    from pytest_delta_schema.state.delta_log import PROPERTY_PREFIX as PROPERTY_PREFIX
    from pytest_delta_schema.state.keys import state_keys as state_keys
    from pytest_delta_schema.state.types import children as children

__getattr__, __dir__ = lazy_exports(__name__)
