"""Search types for what they contain, at any depth of structs, arrays and maps."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.decimal_types import is_decimal
from pytest_delta_schema.delta.features import SPECIAL_CHARACTERS
from pytest_delta_schema.delta.names.column_path import ELEMENT, KEY, TABLE, VALUE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.state.spark_types import ATOMIC
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, children, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.state.types import ColumnState, DataTypeState

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
    """Yield the path of every column and field whose name Delta stores under column mapping only.

    ``above`` is the path of the struct whose fields are given.
    """
    for column in columns:
        if not SPECIAL_CHARACTERS.isdisjoint(column.name):
            yield above.child(column.name)
        if not isinstance(column.data_type, str):
            yield from special_names(children(column.data_type), above.child(column.name))


def not_null_paths(columns: Iterable[ColumnState], above: ColumnPath = TABLE) -> Iterator[ColumnPath]:
    """Yield the path of every column that is NOT NULL, and of every such field of a struct.

    A struct that is NULL has NULL in all of its fields. Inside arrays and maps Delta refuses NOT NULL, or
    stores it where a setting allows that, and takes NULL (Delta 4.4.0).

    ``above`` is the path of the struct whose fields are given.
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
    """Whether values of one type can be stored as another, without regard to nullability.

    The types have to be equal, except that strings may be stored as char or varchar; lengths are checked row by row.
    """
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

    ``inside`` is whether an array or a map has been entered.
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
