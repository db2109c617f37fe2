"""Data types in canonical form: equal types are equal values, whoever wrote them down.

An atomic type is Spark's short name for it (``bigint``, ``decimal(18,2)``, ``varchar(10)``); nested types are frozen
tuples of their parts. Strings are interned, so that comparing two clean tables is mostly comparing addresses.
"""

from __future__ import annotations

from functools import cache
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from pyspark.sql import types as spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_delta_schema.models.column import Column


class IdentityState(NamedTuple):
    """The start and step of an identity column, and whether writers may never give values of their own.

    Args:
        start: The first value.
        step: What is added for the next one.
        is_always: Whether it is ``GENERATED ALWAYS``.
    """

    start: int
    step: int
    is_always: bool


class ColumnGeneration(NamedTuple):
    """The default, generation expression or identity of a column; it has at most one of them.

    Args:
        default: The expression of its default.
        generated: The expression from which it is generated.
        identity: Its start and step.
    """

    default: str | None = None
    generated: str | None = None
    identity: IdentityState | None = None


class ColumnState(NamedTuple):
    """One column, or one field of a struct.

    A named tuple and not a dataclass, because tables are compared column by column in C.

    Args:
        name: As it is declared or stored.
        data_type: In canonical form.
        is_nullable: Whether rows may leave it NULL.
        comment: ``""`` for none.
        value: Its default, generation expression or identity, if it has one.
    """

    name: str
    data_type: DataTypeState
    is_nullable: bool
    comment: str
    value: ColumnGeneration | None = None


class StructState(NamedTuple):
    """A struct with its fields in order."""

    fields: tuple[ColumnState, ...]


class ArrayState(NamedTuple):
    """An array.

    Args:
        element: The type of its elements.
        contains_null: Whether an element may be NULL.
    """

    element: DataTypeState
    contains_null: bool


class MapState(NamedTuple):
    """A map.

    Args:
        key: The type of its keys.
        value: The type of its values.
        value_contains_null: Whether a value may be NULL.
    """

    key: DataTypeState
    value: DataTypeState
    value_contains_null: bool


DataTypeState = Union[str, StructState, ArrayState, MapState]  # noqa: UP007 - the names are not defined yet above

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


def below(data_type: DataTypeState) -> tuple[ColumnState, ...]:
    """Return the parts of a type as columns: the fields of a struct, ``element``, or ``key`` and ``value``."""
    if isinstance(data_type, StructState):
        return data_type.fields
    if isinstance(data_type, ArrayState):
        return (ColumnState("element", data_type.element, data_type.contains_null, ""),)
    if isinstance(data_type, MapState):
        value = ColumnState("value", data_type.value, data_type.value_contains_null, "")
        return (ColumnState("key", data_type.key, False, ""), value)  # noqa: FBT003 - a row of a table
    return ()


def with_below(data_type: DataTypeState, parts: tuple[ColumnState, ...]) -> DataTypeState:
    """Return a type with other parts; the inverse of :func:`below`."""
    if isinstance(data_type, ArrayState):
        return ArrayState(parts[0].data_type, parts[0].is_nullable)
    if isinstance(data_type, MapState):
        return MapState(parts[0].data_type, parts[1].data_type, parts[1].is_nullable)
    return StructState(parts)


def find(columns: Iterable[ColumnState], path: Iterable[str]) -> ColumnState | None:
    """Return the column, or the part of one, that a path leads to; ``None`` if there is none."""
    match = None
    for name in path:
        match = next((column for column in columns if column.name.lower() == name.lower()), None)
        if match is None:
            return None
        columns = below(match.data_type)
    return match


def same_kind(left: DataTypeState, right: DataTypeState) -> bool:
    """Whether both are structs, arrays or maps, so that their parts can be compared one by one."""
    return type(left) is type(right) and not isinstance(left, str)


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
    """Yield name and canonical type of those columns whose type is more than a class; all others can be stored."""
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
    # Spark 3.5 knows no collations, so its strings have none to ask for.
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
    """Return one object for all equal nested types, so that comparing two clean tables is comparing addresses."""
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


def plain(data_type: DataTypeState) -> DataTypeState:
    """Return what Delta stores of an atomic type: strings for char and varchar."""
    if isinstance(data_type, str) and data_type.startswith(("char(", "varchar(")):
        return "string"
    return data_type


def equal_types(left: DataTypeState, right: DataTypeState) -> bool:
    """Whether two types are one: nullability counts; comments, order and case of nested fields do not."""
    return left == right or _comparable(left) == _comparable(right)


def _comparable(data_type: DataTypeState) -> object:
    if isinstance(data_type, str):
        return data_type
    if isinstance(data_type, StructState):
        return (
            "struct",
            tuple(sorted((f.name.lower(), f.is_nullable, _comparable(f.data_type)) for f in data_type.fields)),
        )
    if isinstance(data_type, ArrayState):
        return ("array", data_type.contains_null, _comparable(data_type.element))
    return ("map", data_type.value_contains_null, _comparable(data_type.key), _comparable(data_type.value))


def describe_type(data_type: DataTypeState) -> str:
    """Return a type as messages show it, with nested nullability: ``struct<a: bigint not null>``."""
    if isinstance(data_type, str):
        return data_type
    if isinstance(data_type, StructState):
        return f"struct<{', '.join(map(_describe_field, data_type.fields))}>"
    if isinstance(data_type, ArrayState):
        return f"array<{describe_type(data_type.element)}{_not_null(is_nullable=data_type.contains_null)}>"
    value = describe_type(data_type.value) + _not_null(is_nullable=data_type.value_contains_null)
    return f"map<{describe_type(data_type.key)}, {value}>"


def _describe_field(field: ColumnState) -> str:
    return f"{field.name}: {describe_type(field.data_type)}{_not_null(is_nullable=field.is_nullable)}"


def _not_null(*, is_nullable: bool) -> str:
    return "" if is_nullable else " not null"
