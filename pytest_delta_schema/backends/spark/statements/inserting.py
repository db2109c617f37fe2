"""Append rows so that the table fills its defaults and generated columns, and enforces its constraints."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.rows.given_rows import converted_rows
from pytest_delta_schema.backends.spark.compat.pyspark_compat import frame_of_rows
from pytest_delta_schema.backends.spark.fingerprints import TIME_ZONE, settings
from pytest_delta_schema.backends.spark.session_settings import UTC_PARTITION_VALUES
from pytest_delta_schema.backends.spark.statements.table_rows import session_clock
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, folded
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.models.structs import nullable_struct
from pytest_delta_schema.progress import step
from pytest_delta_schema.sql.quoting import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState


def insert_rows(spark: SparkSession, state: TableState, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append rows; the table fills columns that a row leaves out.

    The time zone of the session is that of datetimes without one.

    Raises:
        StatementError: If values would not be read back as they were given; nothing is written then.
    """
    instants = _instants_in_partitions(state)
    has_expressions = bool(state.checks or any(column.value is not None for column in state.columns))
    # Expressions depend on the session's time zone, so only a table without them is written in UTC.
    keeps_zone = bool(instants) and has_expressions
    converted = converted_rows(state, rows, session_clock(spark), unique=instants if keeps_zone else ())
    filled = NameSet.of(column for column in state.columns if column.value is not None)
    stored = spark.table(dotted(state.name)).schema
    utc = {UTC_PARTITION_VALUES: "true", TIME_ZONE: "UTC"} if instants and not keeps_zone else {}
    with settings(spark, utc), step(escaped(f"{state.name}: writing rows")):
        for given, alike in _alike(converted, filled):
            fields = [field for field in stored if folded(field.name) not in filled - given]
            tuples = [tuple(row.get(folded(field.name)) for field in fields) for row in alike]
            _append(spark, state.name, type(stored)(fields), tuples)


def append_rows(spark: SparkSession, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append rows as they are, so only the table refuses them; see :class:`AppendsRows`.

    All rows have the same columns.
    """
    by_name = [NameMap(row.items()) for row in rows]
    stored = spark.table(dotted(table)).schema
    fields = [field for field in stored if field.name in by_name[0]]
    with step(escaped(f"{table}: writing rows")):
        _append(spark, table, type(stored)(fields), [tuple(row[field.name] for field in fields) for row in by_name])


def _append(spark: SparkSession, table: QualifiedName, schema: StructType, rows: Sequence[tuple[Any, ...]]) -> None:
    frame = frame_of_rows(spark, rows, nullable_struct(schema))
    frame.write.mode("append").saveAsTable(dotted(table))


def _instants_in_partitions(state: TableState) -> tuple[str, ...]:
    """Return the timestamp columns by which a table is partitioned.

    Delta writes their partition values as local times of the session's time zone, which may occur twice (Delta 4.4.0).
    """
    names = NameSet(state.partitioning)
    columns = [column for column in state.columns if column.name in names]
    return tuple(column.name for column in columns if column.data_type == "timestamp")


def _alike(
    rows: Sequence[Mapping[str, Any]], filled: frozenset[str]
) -> Iterator[tuple[frozenset[str], list[Mapping[str, Any]]]]:
    """Group neighbouring rows that have values for the same columns among those that the table can fill."""
    for given, alike in groupby(rows, key=lambda row: filled & row.keys()):
        yield given, list(alike)
