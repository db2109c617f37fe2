"""Declare models from the states of existing tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.sql import types as spark

from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.models.column import Column, Identity
from pytest_delta_schema.models.constraints import Check
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.models.tags import NO_DECLARED_TAGS
from pytest_delta_schema.models.types.unknown_type import UnknownType
from pytest_delta_schema.state.keys import declared_keys
from pytest_delta_schema.state.spark_types import ATOMIC
from pytest_delta_schema.state.type_traversal import is_storable
from pytest_delta_schema.state.types import ArrayState, ColumnState, DataTypeState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.state.states import TableState

_ATOMIC = {name: kind for kind, name in ATOMIC.items()}
_INTERVAL = re.compile(r"interval (\w+)(?: to (\w+))?")
_COLLATED = re.compile(r"string collate (\w+)")


def declared_type(data_type: DataTypeState) -> spark.DataType:
    """Return the declaration of a stored type: every part that Delta cannot store is an :class:`UnknownType`."""
    return _built(data_type, _declared_atom)


def spark_struct(columns: tuple[ColumnState, ...]) -> spark.StructType:
    """Return columns as a Spark struct."""
    return spark.StructType([struct_field(column) for column in columns])


def declared_column(column: ColumnState, tags: Mapping[str, str | None] = NO_DECLARED_TAGS) -> Column:
    """Return the declaration of a column.

    The state of a column does not hold its tags.
    """
    default, generated, counting = column.value or (None, None, None)
    identity = None if counting is None else Identity(counting.start, counting.step, always=counting.is_always)
    return Column(
        column.name,
        declared_type(column.data_type),
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
        [
            declared_column(column, state.tags.get(ColumnPath(column.name), NO_DECLARED_TAGS))
            for column in state.columns
        ],
        comment=state.table_comment,
        checks=[Check(check.name, check.expression) for check in state.checks],
        partitioned_by=state.partitioning,
        clustered_by=[path.text if path.fields else path.root for path in state.clustering],
        tags=state.tags.get(TABLE, NO_DECLARED_TAGS),
        **declared_keys(state),
    )


def struct_field(column: ColumnState) -> spark.StructField:
    """Return a column as a field of a Spark struct; a type that ``pyspark.sql.types`` lacks is an ``UnknownType``."""
    return _field(column, _atom)


def _field(column: ColumnState, atom: Callable[[str], spark.DataType]) -> spark.StructField:
    metadata = {"comment": column.comment} if column.comment else {}
    return spark.StructField(column.name, _built(column.data_type, atom), column.is_nullable, metadata)


def _built(data_type: DataTypeState, atom: Callable[[str], spark.DataType]) -> spark.DataType:
    if isinstance(data_type, StructState):
        return spark.StructType([_field(field, atom) for field in data_type.fields])
    if isinstance(data_type, ArrayState):
        return spark.ArrayType(_built(data_type.element, atom), data_type.contains_null)
    if isinstance(data_type, MapState):
        key, value = _built(data_type.key, atom), _built(data_type.value, atom)
        return spark.MapType(key, value, data_type.value_contains_null)
    return atom(data_type)


def _declared_atom(text: str) -> spark.DataType:
    return _atom(text) if is_storable(text) else UnknownType(text)


def _atom(text: str) -> spark.DataType:
    if text in _ATOMIC:
        return _ATOMIC[text]()
    if text == "string":
        return spark.StringType()
    if (sized := SIZED.fullmatch(text)) is not None:
        kind, length, scale = sized.groups()
        if kind == "decimal":
            return spark.DecimalType(int(length), int(scale))
        return spark.CharType(int(length)) if kind == "char" else spark.VarcharType(int(length))
    if (collated := _COLLATED.fullmatch(text)) is not None:
        return spark.StringType(collated[1])
    return _interval(text) or UnknownType(text)


def _interval(text: str) -> spark.DataType | None:
    match = _INTERVAL.fullmatch(text)
    if match is None:
        return None
    start, end = match[1], match[2] or match[1]
    for kind in (spark.DayTimeIntervalType, spark.YearMonthIntervalType):
        first, last = getattr(kind, start.upper(), None), getattr(kind, end.upper(), None)
        if first is not None and last is not None:
            return kind(first, last)
    return None
