"""Declare models from the states of existing tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.sql import types as spark

from pytest_delta_schema.delta.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.models.column import Column, Identity
from pytest_delta_schema.models.constraints import Check
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.models.tags import NO_TAGS
from pytest_delta_schema.state.keys import declared_keys
from pytest_delta_schema.state.spark_types import ATOMIC
from pytest_delta_schema.state.types import ArrayState, ColumnState, DataTypeState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.states import TableState

_ATOMIC = {name: kind for kind, name in ATOMIC.items()}
_INTERVAL = re.compile(r"interval (\w+)(?: to (\w+))?")
_COLLATED = re.compile(r"string collate (\w+)")


def spark_type(data_type: DataTypeState) -> spark.DataType:
    """Return the Spark type of a canonical type, with the comments of fields; the inverse of ``canonical_type``."""
    if isinstance(data_type, StructState):
        return spark_struct(data_type.fields)
    if isinstance(data_type, ArrayState):
        return spark.ArrayType(spark_type(data_type.element), data_type.contains_null)
    if isinstance(data_type, MapState):
        key, value = spark_type(data_type.key), spark_type(data_type.value)
        return spark.MapType(key, value, data_type.value_contains_null)
    return _ATOMIC[data_type]() if data_type in _ATOMIC else _with_arguments(data_type)


def spark_struct(columns: tuple[ColumnState, ...]) -> spark.StructType:
    """Return columns as a Spark struct."""
    return spark.StructType([struct_field(column) for column in columns])


def declared_column(column: ColumnState, tags: Mapping[str, str | None] = NO_TAGS) -> Column:
    """Return the declaration of a column.

    Args:
        column: Its state.
        tags: Its tags, which the state of a column does not hold.
    """
    default, generated, counting = column.value or (None, None, None)
    identity = None if counting is None else Identity(counting.start, counting.step, counting.is_always)
    return Column(
        column.name,
        spark_type(column.data_type),
        is_nullable=column.is_nullable,
        comment=column.comment,
        default=default,
        generated_as=generated,
        identity=identity,
        tags=tags,
    )


def declared_table(state: TableState) -> Table:
    """Return the declaration of a table, without its properties: some of them are written by the platform."""
    return Table(
        *state.name,
        [declared_column(column, state.tags.get(ColumnPath(column.name), NO_TAGS)) for column in state.columns],
        comment=state.table_comment,
        checks=[Check(check.name, check.expression) for check in state.checks],
        partitioned_by=state.partitioning,
        clustered_by=[path.text if path.fields else path.root for path in state.clustering],
        tags=state.tags.get(TABLE, NO_TAGS),
        **declared_keys(state),
    )


def struct_field(column: ColumnState) -> spark.StructField:
    """Return a column as a field of a Spark struct."""
    metadata = {"comment": column.comment} if column.comment else {}
    return spark.StructField(column.name, spark_type(column.data_type), column.is_nullable, metadata)


def _with_arguments(text: str) -> spark.DataType:
    if text == "string":
        return spark.StringType()
    if (sized := SIZED.fullmatch(text)) is not None:
        kind, length, scale = sized.groups()
        if kind == "decimal":
            return spark.DecimalType(int(length), int(scale))
        return spark.CharType(int(length)) if kind == "char" else spark.VarcharType(int(length))
    if (collated := _COLLATED.fullmatch(text)) is not None:
        return spark.StringType(collated[1])
    if (interval := _INTERVAL.fullmatch(text)) is not None:
        return _interval(interval[1], interval[2] or interval[1])
    msg = f"there is no type {text} in pyspark.sql.types"
    raise ValueError(msg)


def _interval(start: str, end: str) -> spark.DataType:
    for kind in (spark.DayTimeIntervalType, spark.YearMonthIntervalType):
        first, last = getattr(kind, start.upper(), None), getattr(kind, end.upper(), None)
        if first is not None and last is not None:
            return kind(first, last)
    msg = f"there is no interval from {start} to {end} in pyspark.sql.types"
    raise ValueError(msg)
