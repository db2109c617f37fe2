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


class ColumnState(NamedTuple):
    """One column, or one field of a struct.

    A named tuple and not a dataclass because tables are compared column by column in C.
    """

    name: str
    data_type: DataTypeState
    is_nullable: bool
    comment: str


class StructState(NamedTuple):
    """A struct with its fields in order."""

    fields: tuple[ColumnState, ...]


class ArrayState(NamedTuple):
    """An array."""

    element: DataTypeState
    contains_null: bool


class MapState(NamedTuple):
    """A map."""

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
"""Types that have no arguments, so that their class says everything."""

_PLAIN = "UTF8_BINARY"
"""The collation of strings that have none: byte by byte."""

_STORED = frozenset(ATOMIC.values()) | {"string"}
_STORED_FAMILIES = ("decimal(", "char(", "varchar(")


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
    found = None
    for name in path:
        found = next((column for column in columns if column.name.lower() == name.lower()), None)
        if found is None:
            return None
        columns = below(found.data_type)
    return found


def same_kind(left: DataTypeState, right: DataTypeState) -> bool:
    """Whether both are structs, arrays or maps, so that their parts can be compared one by one."""
    return type(left) is type(right) and not isinstance(left, str)


def canonical_type(data_type: spark.DataType) -> DataTypeState:
    """Turn a Spark type into its canonical form.

    Args:
        data_type: Any type; one that Delta cannot store keeps Spark's name for it, see :func:`unstorable`.
    """
    kind = type(data_type)
    name = ATOMIC.get(kind)
    if name is not None:
        return name
    canonical = _CANONICAL.get(kind)
    return intern(data_type.simpleString()) if canonical is None else canonical(data_type)


def canonical_fields(fields: Iterable[spark.StructField]) -> tuple[ColumnState, ...]:
    """Turn the fields of a Spark struct into canonical form."""
    # As hot as the loop over columns: the detour through the named tuple's constructor would be half of the time.
    new, atomic = tuple.__new__, ATOMIC.get
    return tuple(
        [
            new(
                ColumnState,
                (
                    intern(field.name),
                    atomic(type(field.dataType)) or canonical_type(field.dataType),
                    field.nullable,
                    intern(field.metadata.get("comment") or "") if field.metadata else "",
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
    return StructState(canonical_fields(data_type.fields))


def _array(data_type: spark.ArrayType) -> ArrayState:
    return ArrayState(canonical_type(data_type.elementType), data_type.containsNull)


def _map(data_type: spark.MapType) -> MapState:
    key, value = canonical_type(data_type.keyType), canonical_type(data_type.valueType)
    return MapState(key, value, data_type.valueContainsNull)


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


_CANONICAL: dict[type[spark.DataType], Callable[[Any], DataTypeState]] = {
    spark.ArrayType: _array,
    spark.DecimalType: _decimal,
    spark.MapType: _map,
    spark.StringType: _string,
    spark.StructType: _struct,
}


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


def atoms(data_types: Iterable[DataTypeState]) -> set[str]:
    """Return the atomic types that types are made of."""
    found: set[str] = set()
    todo = list(data_types)
    while todo:
        data_type = todo.pop()
        if isinstance(data_type, str):
            found.add(data_type)
        elif isinstance(data_type, StructState):
            todo.extend([field[1] for field in data_type.fields])
        elif isinstance(data_type, ArrayState):
            todo.append(data_type.element)
        else:
            todo += (data_type.key, data_type.value)
    return found


def not_null_paths(columns: Iterable[ColumnState]) -> Iterator[tuple[str, ...]]:
    """Yield the path of every column that is NOT NULL, and of every such field of a struct.

    A struct that is NULL has NULL in all of its fields, also to Delta (run on the released jars). Inside of arrays and
    maps Delta keeps no NOT NULL.
    """
    for column in columns:
        if not column.is_nullable:
            yield (column.name,)
        if isinstance(column.data_type, StructState):
            yield from ((column.name, *path) for path in not_null_paths(column.data_type.fields))


def is_comparable(data_type: DataTypeState) -> bool:
    """Whether two values of a type can be compared, which Spark does not do with maps and variants."""
    if isinstance(data_type, StructState):
        return all(is_comparable(field.data_type) for field in data_type.fields)
    if isinstance(data_type, ArrayState):
        return is_comparable(data_type.element)
    return isinstance(data_type, str) and data_type != "variant"


def fits(given: DataTypeState, declared: DataTypeState) -> bool:
    """Whether values of a type can be stored as another: equal types, where a string may be longer than it will be.

    Nullability is left to the values.
    """
    return _values(given) == _values(declared)


def _values(data_type: DataTypeState) -> object:
    if isinstance(data_type, str):
        return "string" if data_type.startswith(("char(", "varchar(")) else data_type
    if isinstance(data_type, StructState):
        return {field.name.lower(): _values(field.data_type) for field in data_type.fields}
    if isinstance(data_type, ArrayState):
        return ("array", _values(data_type.element))
    return ("map", _values(data_type.key), _values(data_type.value))


def describe_type(data_type: DataTypeState) -> str:
    """Write a type for people, nested nullability included: ``struct<a: bigint not null>``."""
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


def unstorable(data_type: DataTypeState, path: str) -> Iterator[tuple[str, str]]:
    """Yield the path and name of every part that Delta cannot store.

    Intervals, times of day, geometries and strings with a collation are refused by Delta 4.4.0 (run on the released
    jars).

    Args:
        data_type: The type of the column.
        path: Where it stands: the column's name.
    """
    if isinstance(data_type, str):
        if data_type not in _STORED and not data_type.startswith(_STORED_FAMILIES):
            yield path, data_type
    elif isinstance(data_type, StructState):
        for field in data_type.fields:
            yield from unstorable(field.data_type, f"{path}.{field.name}")
    elif isinstance(data_type, ArrayState):
        yield from unstorable(data_type.element, f"{path}.element")
    else:
        yield from unstorable(data_type.key, f"{path}.key")
        yield from unstorable(data_type.value, f"{path}.value")


def not_null_in_collections(data_type: DataTypeState, path: str, *, inside: bool = False) -> Iterator[str]:
    """Yield the path of every NOT NULL inside an array or a map, which Delta cannot keep.

    Spark's SQL has no word for elements that are never NULL, and Delta refuses NOT NULL fields below an array or a map
    (``DELTA_NESTED_NOT_NULL_CONSTRAINT``, run on the released jars).

    Args:
        data_type: The type of the column.
        path: Where it stands: the column's name.
        inside: Whether an array or a map has been entered.
    """
    if isinstance(data_type, StructState):
        for field in data_type.fields:
            deeper = f"{path}.{field.name}"
            if inside and not field.is_nullable:
                yield deeper
            yield from not_null_in_collections(field.data_type, deeper, inside=inside)
    elif isinstance(data_type, ArrayState):
        if not data_type.contains_null:
            yield f"{path}.element"
        yield from not_null_in_collections(data_type.element, f"{path}.element", inside=True)
    elif isinstance(data_type, MapState):
        if not data_type.value_contains_null:
            yield f"{path}.value"
        yield from not_null_in_collections(data_type.key, f"{path}.key", inside=True)
        yield from not_null_in_collections(data_type.value, f"{path}.value", inside=True)
