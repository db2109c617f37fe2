"""Append rows that are given as values by column name, so that the table fills what it can and refuses what it must."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.given_rows import converted_rows
from pytest_delta_schema.backends.row_clocks import Clock
from pytest_delta_schema.backends.spark.fingerprints import TIME_ZONE, settings
from pytest_delta_schema.backends.spark.session_settings import UTC_PARTITION_VALUES
from pytest_delta_schema.sql.quoting import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from pytest_delta_schema.state.states import TableState


def insert_rows(spark: SparkSession, state: TableState, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append rows; columns that none of them gives are left to the table.

    Args:
        spark: The session; in its time zone datetimes without one are read.
        state: The table.
        rows: Values by column name.

    Raises:
        StatementError: If values would be read back otherwise than they were given; nothing is written then.
    """
    instants = _instants_in_partitions(state)
    has_expressions = bool(state.checks or any(column.value is not None for column in state.columns))
    # Expressions see the session's time zone, so that only a table without them can be written in another one.
    keeps_zone = bool(instants) and has_expressions
    clock = Clock(spark.conf.get(TIME_ZONE) or "", in_utc=True)
    converted = converted_rows(state, rows, clock, unique=instants if keeps_zone else ())
    filled = frozenset(column.name.lower() for column in state.columns if column.value is not None)
    stored = spark.table(dotted(state.name)).schema
    utc = {UTC_PARTITION_VALUES: "true", TIME_ZONE: "UTC"} if instants and not keeps_zone else {}
    with settings(spark, utc):
        for given, alike in _alike(converted, filled):
            fields = [field for field in stored if field.name.lower() not in filled - given]
            tuples = [tuple(row.get(field.name.lower()) for field in fields) for row in alike]
            frame = spark.createDataFrame(tuples, _loose(type(stored)(fields)))
            frame.write.mode("append").saveAsTable(dotted(state.name))


def _instants_in_partitions(state: TableState) -> tuple[str, ...]:
    """Return the timestamps by which a table is partitioned.

    Delta makes their partition values of texts in the session's time zone, in which an hour repeats (Delta 4.4.0).
    """
    names = {name.lower() for name in state.partitioning}
    columns = [column for column in state.columns if column.name.lower() in names]
    return tuple(column.name for column in columns if column.data_type == "timestamp")


def _alike(
    rows: Sequence[Mapping[str, Any]], filled: frozenset[str]
) -> Iterator[tuple[frozenset[str], list[Mapping[str, Any]]]]:
    """Group neighbouring rows that give the same of the columns which the table would fill."""
    for given, alike in groupby(rows, key=lambda row: filled & row.keys()):
        yield given, list(alike)


def _loose(kind: Any) -> Any:
    """Return a type that takes NULL and any length everywhere, so that it is the table that refuses, not the frame."""
    from pyspark.sql.types import ArrayType, CharType, MapType, StringType, StructField, StructType, VarcharType

    if isinstance(kind, StructType):
        return StructType([StructField(field.name, _loose(field.dataType)) for field in kind])
    if isinstance(kind, ArrayType):
        return ArrayType(_loose(kind.elementType))
    if isinstance(kind, MapType):
        return MapType(_loose(kind.keyType), _loose(kind.valueType))
    return StringType() if isinstance(kind, (CharType, VarcharType)) else kind
