"""Turn Spark's data types into their canonical form. Strings are interned, so that equal ones are one object."""

from __future__ import annotations

from functools import cache
from sys import intern
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as spark

from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.state.types import DataTypeState

ATOMIC: dict[type[spark.DataType], str] = {
    kind: intern(kind().simpleString())
    for kind in (
        spark.BinaryType,
        spark.BooleanType,
        spark.ByteType,
        spark.DateType,
        spark.DoubleType,
        spark.FloatType,
        spark.IntegerType,
        spark.LongType,
        spark.NullType,
        spark.ShortType,
        spark.TimestampNTZType,
        spark.TimestampType,
        *([spark.VariantType] if hasattr(spark, "VariantType") else []),
    )
}
"""The names of types without arguments, by class."""

_PLAIN = "UTF8_BINARY"
"""The collation of strings that declare none (Spark 4.2.0)."""


def canonical_type(data_type: spark.DataType) -> DataTypeState:
    """Turn a Spark type into its canonical form.

    Args:
        data_type: Any type; one that Delta cannot store keeps Spark's name for it, see :func:`unstorable`.
    """
    kind = type(data_type)
    return ATOMIC.get(kind) or COMPOUND.get(kind, named_type)(data_type)


def named_type(data_type: spark.DataType) -> DataTypeState:
    """Return Spark's short name of a type that has no canonical form of its own, such as ``varchar(10)``."""
    return intern(data_type.simpleString())


def canonical_fields(fields: Iterable[spark.StructField]) -> tuple[ColumnState, ...]:
    """Turn the fields of a Spark struct into canonical form."""
    # A hot loop, as that over columns: calling ColumnState and canonical_type would double the time.
    new, atomic, compound = tuple.__new__, ATOMIC.get, COMPOUND.get
    return tuple(
        [
            new(
                ColumnState,
                (
                    intern(field.name),
                    atomic(kind := type(field.dataType)) or compound(kind, named_type)(field.dataType),
                    field.nullable,
                    intern(field.metadata.get("comment") or "") if field.metadata else "",
                    None,
                ),
            )
            for field in fields
        ]
    )


def compound_types(columns: Iterable[Column]) -> Iterator[tuple[str, DataTypeState]]:
    """Yield name and canonical type of the columns whose types have arguments; Delta can store all others."""
    for column in columns:
        if type(column.data_type) not in ATOMIC:
            yield column.name, canonical_type(column.data_type)


def nested_types(columns: Iterable[Column]) -> Iterator[tuple[str, DataTypeState]]:
    """Yield name and canonical type of the columns that hold structs, arrays or maps."""
    for name, data_type in compound_types(columns):
        if not isinstance(data_type, str):
            yield name, data_type


def _struct(data_type: spark.StructType) -> StructState:
    return tuple.__new__(StructState, (canonical_fields(data_type.fields),))


def _array(data_type: spark.ArrayType) -> ArrayState:
    return tuple.__new__(ArrayState, (canonical_type(data_type.elementType), data_type.containsNull))


def _map(data_type: spark.MapType) -> MapState:
    key, value = canonical_type(data_type.keyType), canonical_type(data_type.valueType)
    return tuple.__new__(MapState, (key, value, data_type.valueContainsNull))


def _string(data_type: spark.StringType) -> str:
    # In Spark 3.5 strings have no collation.
    if getattr(data_type, "collation", _PLAIN) == _PLAIN:
        return "string"
    return intern(data_type.simpleString())


def _decimal(data_type: spark.DecimalType) -> str:
    return _decimal_name(data_type.precision, data_type.scale)


@cache  # at most 38 x 39 of them exist
def _decimal_name(precision: int, scale: int) -> str:
    return intern(f"decimal({precision},{scale})")


COMPOUND: dict[type[spark.DataType], Callable[[Any], DataTypeState]] = {
    spark.ArrayType: _array,
    spark.DecimalType: _decimal,
    spark.MapType: _map,
    spark.StringType: _string,
    spark.StructType: _struct,
}
"""How types with arguments get their canonical form."""

_SHARED: dict[DataTypeState, DataTypeState] = {}
_MOST_SHARED = 5000


def shared(data_type: DataTypeState) -> DataTypeState:
    """Return one object for all equal nested types, so that clean tables are compared by identity."""
    if len(_SHARED) >= _MOST_SHARED:
        _SHARED.clear()
    return _SHARED.setdefault(data_type, data_type)


COLUMN_TYPES: dict[type[spark.DataType], Callable[[Any], DataTypeState]] = {
    **COMPOUND,
    spark.ArrayType: lambda data_type: shared(_array(data_type)),
    spark.MapType: lambda data_type: shared(_map(data_type)),
    spark.StructType: lambda data_type: shared(_struct(data_type)),
}
"""How types of columns get their canonical form."""
