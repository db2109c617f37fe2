"""Turn Spark's data types into their canonical form. Strings are interned, so equal ones are one object."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from sys import intern
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import types as spark

from pytest_delta_schema.delta.fields import is_decimal
from pytest_delta_schema.delta.names import ELEMENT, KEY, TABLE, VALUE, ColumnPath, folded
from pytest_delta_schema.delta.protocol import SPECIAL_CHARACTERS
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, children, new_column, plain

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

_PLAIN = "UTF8_BINARY"
"""The collation of strings that declare none (Spark 4.2.0)."""


def canonical_type(data_type: spark.DataType) -> DataTypeState:
    """Turn a Spark type into its canonical form.

    A type that Delta cannot store keeps Spark's name for it, see :func:`unstorable`.
    """
    return collecting_renames(data_type, [])


def collecting_renames(data_type: spark.DataType, renamed: Renamed) -> DataTypeState:
    """Turn a Spark type into its canonical form, and add its fields with a former name to ``renamed``."""
    kind = type(data_type)
    return ATOMIC.get(kind) or COMPOUND.get(kind, _named)(data_type, renamed)


def _named(data_type: spark.DataType, _renamed: Renamed) -> DataTypeState:
    """Return Spark's short name of a type that has no canonical form, such as ``varchar(10)``."""
    return intern(data_type.simpleString())


def canonical_fields(fields: Iterable[spark.StructField]) -> tuple[ColumnState, ...]:
    """Turn the fields of a Spark struct into canonical form."""
    return _fields(fields, [])


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


def compound_types(columns: Iterable[Column]) -> Iterator[tuple[str, DataTypeState]]:
    """Yield name and canonical type of the columns whose types have arguments; Delta can store all others."""
    return _canonical_types([column for column in columns if type(column.data_type) not in ATOMIC])


def nested_types(columns: Iterable[Column]) -> Iterator[tuple[str, DataTypeState]]:
    """Yield name and canonical type of the columns that hold structs, arrays or maps."""
    return _canonical_types([column for column in columns if type(column.data_type) in NESTED])


@contextmanager
def types_stay() -> Iterator[None]:
    """Promise that no type changes until the end, so each is turned into its canonical form only once."""
    token = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(token)


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


def _struct(data_type: spark.StructType, renamed: Renamed) -> StructState:
    return StructState(_fields(data_type.fields, renamed))


def _array(data_type: spark.ArrayType, renamed: Renamed) -> ArrayState:
    return ArrayState(collecting_renames(data_type.elementType, renamed), data_type.containsNull)


def _map(data_type: spark.MapType, renamed: Renamed) -> MapState:
    key, value = collecting_renames(data_type.keyType, renamed), collecting_renames(data_type.valueType, renamed)
    return MapState(key, value, data_type.valueContainsNull)


def _string(data_type: spark.StringType, _renamed: Renamed) -> str:
    # In Spark 3.5 strings have no collation.
    if getattr(data_type, "collation", _PLAIN) == _PLAIN:
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

_SHARED: dict[DataTypeState, DataTypeState] = {}
_MOST_SHARED = 5000


def shared(data_type: DataTypeState) -> DataTypeState:
    """Return one object for all equal nested types, so clean tables are compared by identity."""
    if len(_SHARED) >= _MOST_SHARED:
        _SHARED.clear()
    return _SHARED.setdefault(data_type, data_type)


_STORED = frozenset(ATOMIC.values()) | {"string"}
_STORED_FAMILIES = ("char(", "varchar(")


def is_storable(atom: str) -> bool:
    """Whether Delta can store an atomic type; see :func:`unstorable`."""
    return atom in _STORED or atom.startswith(_STORED_FAMILIES) or is_decimal(atom)


def atoms(data_types: Iterable[DataTypeState]) -> set[str]:
    """Return the atomic types that types contain."""
    atomic: set[str] = set()
    for data_type in data_types:
        if isinstance(data_type, str):
            atomic.add(data_type)
        else:
            atomic |= _atoms(data_type)
    return atomic


@lru_cache(maxsize=1024)
def _atoms(data_type: StructState | ArrayState | MapState) -> frozenset[str]:
    return frozenset(atoms(part.data_type for part in children(data_type)))


@lru_cache(maxsize=1024)
def parts_below(data_type: DataTypeState) -> tuple[ColumnState, ...]:
    """Return every part of a type, at any depth; each part comes before the parts of its type."""
    return tuple(inner for part in children(data_type) for inner in (part, *parts_below(part.data_type)))


@lru_cache(maxsize=1024)
def struct_fields(data_type: DataTypeState) -> tuple[tuple[str, ...], ...]:
    """Return the names of the fields of each struct in a type, at any depth."""
    parts = children(data_type)
    inner = tuple(names for part in parts for names in struct_fields(part.data_type))
    return (tuple(part.name for part in parts), *inner) if isinstance(data_type, StructState) else inner


def special_names(columns: Iterable[ColumnState], above: ColumnPath = TABLE) -> Iterator[ColumnPath]:
    """Yield the path of every column and field whose name Delta stores under column mapping only."""
    for column in columns:
        if not SPECIAL_CHARACTERS.isdisjoint(column.name):
            yield above.child(column.name)
        if not isinstance(column.data_type, str):
            yield from special_names(children(column.data_type), above.child(column.name))


def not_null_paths(columns: Iterable[ColumnState], above: ColumnPath = TABLE) -> Iterator[ColumnPath]:
    """Yield the path of every column that is NOT NULL, and of every such field of a struct.

    A struct that is NULL has NULL in all of its fields. Inside arrays and maps Delta refuses NOT NULL, or
    stores it where a setting allows that, and takes NULL (Delta 4.4.0).
    """
    for column in columns:
        if not column.is_nullable:
            yield above.child(column.name)
        if isinstance(column.data_type, StructState):
            yield from not_null_paths(column.data_type.fields, above.child(column.name))


def is_comparable(data_type: DataTypeState) -> bool:
    """Whether two values of a type can be compared, which Spark does not do with maps and variants."""
    if isinstance(data_type, StructState):
        return all(is_comparable(field.data_type) for field in data_type.fields)
    if isinstance(data_type, ArrayState):
        return is_comparable(data_type.element)
    return isinstance(data_type, str) and data_type != "variant"


def is_assignable(given: DataTypeState, declared: DataTypeState) -> bool:
    """Whether values of one type can be stored as another, without regard to nullability."""
    return _values(given) == _values(declared)


def _values(data_type: DataTypeState) -> object:
    if isinstance(data_type, str):
        return plain(data_type)
    if isinstance(data_type, StructState):
        return {folded(field.name): _values(field.data_type) for field in data_type.fields}
    if isinstance(data_type, ArrayState):
        return ("array", _values(data_type.element))
    return ("map", _values(data_type.key), _values(data_type.value))


def unstorable(data_type: DataTypeState, path: ColumnPath) -> Iterator[tuple[ColumnPath, str]]:
    """Yield the path and name of every part that Delta cannot store.

    Delta 4.4.0 refuses intervals, times of day, geometries, strings with a collation and decimals of over 38 digits.
    """
    return ((part, atom) for part, atom in atoms_with_paths(data_type, path) if not is_storable(atom))


def unknown_parts(columns: Iterable[ColumnState]) -> Iterator[tuple[ColumnPath, str]]:
    """Yield the path and name of every part of columns that Delta cannot store; see :func:`unstorable`."""
    return (part for column in columns for part in unstorable(column.data_type, ColumnPath(column.name)))


def atoms_with_paths(data_type: DataTypeState, path: ColumnPath) -> Iterator[tuple[ColumnPath, str]]:
    """Yield the path and name of every atomic part of a type."""
    if isinstance(data_type, str):
        yield path, data_type
    elif isinstance(data_type, StructState):
        for field in data_type.fields:
            yield from atoms_with_paths(field.data_type, path.child(field.name))
    elif isinstance(data_type, ArrayState):
        yield from atoms_with_paths(data_type.element, path.child(ELEMENT))
    else:
        yield from atoms_with_paths(data_type.key, path.child(KEY))
        yield from atoms_with_paths(data_type.value, path.child(VALUE))


def not_null_in_collections(
    data_type: DataTypeState, path: ColumnPath, *, inside: bool = False
) -> Iterator[ColumnPath]:
    """Yield the path of every NOT NULL inside an array or a map, which Delta cannot store.

    Spark SQL has no syntax for elements that are never NULL, and Delta refuses NOT NULL fields below an array or a map
    (``DELTA_NESTED_NOT_NULL_CONSTRAINT``, Delta 4.4.0).
    """
    if isinstance(data_type, StructState):
        for field in data_type.fields:
            deeper = path.child(field.name)
            if inside and not field.is_nullable:
                yield deeper
            yield from not_null_in_collections(field.data_type, deeper, inside=inside)
    elif isinstance(data_type, ArrayState):
        if not data_type.contains_null:
            yield path.child(ELEMENT)
        yield from not_null_in_collections(data_type.element, path.child(ELEMENT), inside=True)
    elif isinstance(data_type, MapState):
        if not data_type.value_contains_null:
            yield path.child(VALUE)
        yield from not_null_in_collections(data_type.key, path.child(KEY), inside=True)
        yield from not_null_in_collections(data_type.value, path.child(VALUE), inside=True)


@lru_cache(maxsize=1024)
def has_not_null_in_collections(data_type: DataTypeState) -> bool:
    """Whether a type has a NOT NULL inside an array or a map; see :func:`not_null_in_collections`."""
    return any(not_null_in_collections(data_type, TABLE))
