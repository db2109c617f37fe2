"""What the readers of this package show of tables that have logs written by hand, in the form of Spark's answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.bridge import Bridge
from pytest_delta_schema.backends.local.reading import WarehouseLogs, read_tables
from pytest_delta_schema.backends.spark.compat import Gateway, clear_cache
from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
from pytest_delta_schema.backends.unity.logs import Log
from pytest_delta_schema.delta.char_varchar import SHORT_NAMES
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.state import TableState
from pytest_delta_schema.state.types import ArrayState, MapState, StructState
from support.hand_made_logs.truth import REFUSED, VERSIONS, shown
from support.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema import QualifiedName
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state import CatalogState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState

LEFT_TO_SPARK = "left to Spark"
DELTA = (4, 4)
_AT_ONCE = 40

_LOG_NAMES = {short: name for name, short in SHORT_NAMES.items()}


def by_local_files(warehouse: Path) -> str:
    """Return what the local backend shows without a JVM of the table ``NAME``."""
    result = WarehouseLogs(warehouse, DELTA).read([NAME]).get(NAME)
    return LEFT_TO_SPARK if result is None else reading(result)


def by_unity_files(folder: Path) -> str:
    """Return what the unity backend shows of an external table."""
    try:
        return reading(Log(str(folder), {}).facts().state(NAME))
    except StatementError as error:
        return f"{REFUSED}{error}"


def by_local_session(spark: SparkSession, warehouse: Path, names: Mapping[str, QualifiedName]) -> dict[str, str]:
    """Return what the local backend shows with a JVM of tables in its warehouse, by the names of their logs."""
    bridge = Bridge(spark, warehouse)
    return _by_spark(bridge.gateway, lambda batch: read_tables(bridge, batch), names)


def by_session(spark: SparkSession, names: Mapping[str, QualifiedName]) -> dict[str, str]:
    """Return what the session backend shows of tables, by the names of their logs."""
    catalog = SessionCatalog(spark)
    return _by_spark(Gateway(spark), catalog.read_tables, names)


def _by_spark(
    gateway: Gateway, read: Callable[[Iterable[QualifiedName]], CatalogState], names: Mapping[str, QualifiedName]
) -> dict[str, str]:
    results: dict[QualifiedName, TableState | Diagnostic] = {}
    tables = list(names.values())
    for start in range(0, len(tables), _AT_ONCE):
        # Delta keeps the files of each table in memory.
        clear_cache(gateway)
        state = read(tables[start : start + _AT_ONCE])
        results |= {**state.tables, **state.problems}
    return {log: reading(results[name]) for log, name in names.items()}


def reading(result: TableState | Diagnostic) -> str:
    """Return the result of a reader as Spark's answer has it."""
    if not isinstance(result, TableState):
        return f"{REFUSED}{result}"
    if not result.exists:
        return f"{REFUSED}absent"
    properties = dict(result.table_properties)
    checks: dict[str, str | None] = {f"delta.constraints.{check.name}": check.expression for check in result.checks}
    reader, writer = (int(properties.pop(key) or 0) for key in VERSIONS)
    features = {key: value for key, value in properties.items() if key.startswith(FEATURE_PREFIX)}
    named = [key.removeprefix(FEATURE_PREFIX) for key in features] if writer == 7 else []
    stored = {key: value for key, value in properties.items() if key not in features or not named}
    return shown(
        columns=_fields(result.columns),
        partitions=result.partitioning,
        comment=result.table_comment,
        properties={**stored, **checks},
        protocol=(reader, writer),
        features=named,
    )


def _fields(columns: Iterable[ColumnState]) -> list[str]:
    return [
        f"{column.name} {_type(column.data_type)}{'' if column.is_nullable else ' NOT NULL'}"
        f"{f' COMMENT {column.comment}' if column.comment else ''}"
        for column in columns
    ]


def _type(kind: DataTypeState) -> str:
    if isinstance(kind, StructState):
        return f"struct<{', '.join(_fields(kind.fields))}>"
    if isinstance(kind, ArrayState):
        return f"array<{_type(kind.element)}{'' if kind.contains_null else ' NOT NULL'}>"
    if isinstance(kind, MapState):
        return f"map<{_type(kind.key)}, {_type(kind.value)}{'' if kind.value_contains_null else ' NOT NULL'}>"
    return json.loads(kind)["type"] if kind.startswith("{") else _LOG_NAMES.get(kind, kind)
