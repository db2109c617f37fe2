"""What the readers of this package show of tables that have logs written by hand, in the form of Spark's answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.logs.log_reader import WarehouseLogs
from pytest_delta_schema.backends.unity.logs.table_logs import Log
from pytest_delta_schema.delta.char_varchar import SHORT_NAMES
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.state import TableState
from pytest_delta_schema.state.types import ArrayState, MapState, StructState
from support.hand_made_logs.truth import REFUSED, VERSIONS, shown
from support.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state.types import ColumnState, DataTypeState

LEFT_TO_SPARK = "left to Spark"
DELTA = (4, 4)

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
