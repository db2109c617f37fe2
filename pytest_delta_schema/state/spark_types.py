"""Turn Spark's data types into their canonical form, and tell which ones Delta can store. Strings are interned."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from sys import intern
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import types as spark

from pytest_delta_schema.delta.fields import PLAIN_COLLATION, is_decimal
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, atoms_with_paths, new_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.state.types import ColumnState, DataTypeState

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

NESTED = frozenset({spark.ArrayType, spark.MapType, spark.StructType})
"""The classes of types that have parts."""

RENAMED_FROM = "renamed_from"
"""The key of a field's metadata that holds its former name."""

Renamed: TypeAlias = "list[Column | spark.StructField]"
"""The columns and fields with a former name, collected in the pass that turns types into canonical form."""


def canonical_type(data_type: spark.DataType) -> DataTypeState:
    """Turn a Spark type into its canonical form; :func:`unstorable` ones keep Spark's name."""
    return collecting_renames(data_type, [])


def canonical_fields(fields: Iterable[spark.StructField]) -> tuple[ColumnState, ...]:
    """Turn the fields of a Spark struct into canonical form."""
    return _fields(fields, [])


def collecting_renames(data_type: spark.DataType, renamed: Renamed) -> DataTypeState:
    """Turn a Spark type into its canonical form, and add its fields with a former name to ``renamed``."""
    kind = type(data_type)
    return ATOMIC.get(kind) or COMPOUND.get(kind, _named)(data_type, renamed)


def _named(data_type: spark.DataType, _renamed: Renamed) -> DataTypeState:
    """Return Spark's short name of a type that has no canonical form, such as ``varchar(10)``."""
    return intern(data_type.simpleString())


def _fields(fields: Iterable[spark.StructField], renamed: Renamed) -> tuple[ColumnState, ...]:
    columns = []
    for field in fields:
        comment = ""
        if field.metadata:
            comment = field.metadata.get("comment") or ""
            if RENAMED_FROM in field.metadata:
                renamed.append(field)
        kind = type(field.dataType)
        data_type = ATOMIC.get(kind) or COMPOUND.get(kind, _named)(field.dataType, renamed)
        columns.append(new_column((field.name, data_type, field.nullable, comment, None)))
    return tuple(columns)


def _struct(data_type: spark.StructType, renamed: Renamed) -> StructState:
    return StructState(_fields(data_type.fields, renamed))


def _array(data_type: spark.ArrayType, renamed: Renamed) -> ArrayState:
    return ArrayState(collecting_renames(data_type.elementType, renamed), data_type.containsNull)


def _map(data_type: spark.MapType, renamed: Renamed) -> MapState:
    key, value = collecting_renames(data_type.keyType, renamed), collecting_renames(data_type.valueType, renamed)
    return MapState(key, value, data_type.valueContainsNull)


def _string(data_type: spark.StringType, _renamed: Renamed) -> str:
    # In Spark 3.5 strings have no collation.
    if getattr(data_type, "collation", PLAIN_COLLATION) == PLAIN_COLLATION:
        return "string"
    return intern(data_type.simpleString())


def _decimal(data_type: spark.DecimalType, _renamed: Renamed) -> str:
    return _decimal_name(data_type.precision, data_type.scale)


@cache  # at most 38 x 39 of them exist
def _decimal_name(precision: int, scale: int) -> str:
    return intern(f"decimal({precision},{scale})")


COMPOUND: dict[type[spark.DataType], Callable[[Any, Renamed], DataTypeState]] = {
    spark.ArrayType: _array,
    spark.DecimalType: _decimal,
    spark.MapType: _map,
    spark.StringType: _string,
    spark.StructType: _struct,
}
"""How types with arguments get their canonical form; fields with a former name are added to the second argument."""

_KNOWN: ContextVar[dict[int, tuple[spark.DataType, DataTypeState]] | None] = ContextVar("_KNOWN", default=None)
"""The types that have a canonical form, with it, by their ids; see :func:`types_stay`."""


@contextmanager
def types_stay() -> Iterator[None]:
    """Promise that no type changes until the end, so each is turned into its canonical form only once."""
    token = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(token)


def compound_types(columns: Iterable[Column]) -> Iterator[tuple[str, DataTypeState]]:
    """Yield name and canonical type of the columns whose types have arguments; Delta can store all others."""
    return _canonical_types([column for column in columns if type(column.data_type) not in ATOMIC])


def nested_types(columns: Iterable[Column]) -> Iterator[tuple[str, DataTypeState]]:
    """Yield name and canonical type of the columns that hold structs, arrays or maps."""
    return _canonical_types([column for column in columns if type(column.data_type) in NESTED])


def _canonical_types(columns: Iterable[Column]) -> Iterator[tuple[str, DataTypeState]]:
    shared = _KNOWN.get()
    known = {} if shared is None else shared
    for column in columns:
        data_type = column.data_type
        pair = known.get(id(data_type))
        if pair is None:
            # The type is kept, so no other object gets its id.
            pair = known[id(data_type)] = data_type, canonical_type(data_type)
        yield column.name, pair[1]


_STORED = frozenset(ATOMIC.values()) | {"string"}
_STORED_FAMILIES = ("char(", "varchar(")


def is_storable(atom: str) -> bool:
    """Whether Delta can store an atomic type; see :func:`unstorable`."""
    return atom in _STORED or atom.startswith(_STORED_FAMILIES) or is_decimal(atom)


def unstorable(data_type: DataTypeState, path: ColumnPath) -> Iterator[tuple[ColumnPath, str]]:
    """Yield the path and name of every part that Delta cannot store.

    Delta 4.4.0 refuses intervals, times of day, geometries, strings with a collation and decimals of over 38 digits.
    """
    return ((part, atom) for part, atom in atoms_with_paths(data_type, path) if not is_storable(atom))


def unknown_parts(columns: Iterable[ColumnState]) -> Iterator[tuple[ColumnPath, str]]:
    """Yield the path and name of every part of columns that Delta cannot store; see :func:`unstorable`."""
    return (part for column in columns for part in unstorable(column.data_type, ColumnPath(column.name)))
