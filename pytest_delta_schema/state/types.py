"""Columns and data types in canonical form: equal types are equal values.

An atomic type is Spark's short name for it (``bigint``, ``decimal(18,2)``, ``varchar(10)``); nested types are frozen
tuples of their parts. Strings are interned, so clean tables are mostly compared by identity.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, Union

from pytest_delta_schema.delta.names import ELEMENT, KEY, TABLE, VALUE, ColumnPath, NameMap, folded, same_name
from pytest_delta_schema.delta.protocol import SPECIAL_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


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


NO_GENERATION = ColumnGeneration()


class ColumnState(NamedTuple):
    """One column, or one field of a struct.

    A named tuple and not a dataclass, because tables are compared column by column in C.

    Args:
        name: As it is declared or stored.
        data_type: Its type, in canonical form.
        is_nullable: Whether rows may leave it NULL.
        comment: Its comment; ``""`` for none.
        value: Its default, generation expression or identity, if it has one.
    """

    name: str
    data_type: DataTypeState
    is_nullable: bool
    comment: str
    value: ColumnGeneration | None = None


_ColumnValues: TypeAlias = "tuple[str, DataTypeState, bool, str, ColumnGeneration | None]"

new_column: Callable[[_ColumnValues], ColumnState] = partial(tuple.__new__, ColumnState)
"""Make a column of all its values, for two thirds of the time of the class (136 instead of 203 ns)."""


class StructState(NamedTuple):
    """A struct.

    Args:
        fields: Its fields, in order.
    """

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


def children(data_type: DataTypeState) -> tuple[ColumnState, ...]:
    """Return the parts of a type as columns: the fields of a struct, ``element``, or ``key`` and ``value``."""
    if isinstance(data_type, StructState):
        return data_type.fields
    if isinstance(data_type, ArrayState):
        return (ColumnState(ELEMENT, data_type.element, data_type.contains_null, ""),)
    if isinstance(data_type, MapState):
        value = ColumnState(VALUE, data_type.value, data_type.value_contains_null, "")
        return (ColumnState(KEY, data_type.key, False, ""), value)  # noqa: FBT003 - a row of a table
    return ()


def with_children(data_type: DataTypeState, parts: tuple[ColumnState, ...]) -> DataTypeState:
    """Return a type with other parts; the inverse of :func:`children`."""
    if isinstance(data_type, ArrayState):
        return ArrayState(parts[0].data_type, parts[0].is_nullable)
    if isinstance(data_type, MapState):
        return MapState(parts[0].data_type, parts[1].data_type, parts[1].is_nullable)
    return StructState(parts)


def find(columns: Iterable[ColumnState], path: Iterable[str]) -> ColumnState | None:
    """Return the column, or the part of one, that a path leads to; ``None`` if there is none."""
    match = None
    for name in path:
        wanted = folded(name)
        match = next((column for column in columns if folded(column.name) == wanted), None)
        if match is None:
            return None
        columns = children(match.data_type)
    return match


def columns_below(columns: tuple[ColumnState, ...], path: ColumnPath) -> tuple[ColumnState, ...]:
    """Return the columns below a path, which are those of the table for the empty path; none if it leads nowhere."""
    if not path:
        return columns
    match = find(columns, path)
    return () if match is None else children(match.data_type)


def edited_columns(
    columns: Iterable[ColumnState], path: tuple[str, ...], edit: Callable[[ColumnState], ColumnState | None]
) -> tuple[ColumnState, ...]:
    """Return columns of which that one, or that part of one, is edited to which a path leads."""
    edited: list[ColumnState] = []
    for column in columns:
        new: ColumnState | None = column
        if same_name(column.name, path[0]):
            if len(path) == 1:
                new = edit(column)
            else:
                inner = edited_columns(children(column.data_type), path[1:], edit)
                new = column._replace(data_type=with_children(column.data_type, inner))
        if new is not None:
            edited.append(new)
    return tuple(edited)


def is_generated(column: ColumnState) -> bool:
    """Whether the table computes the values of a column: it is a generated column or an identity."""
    return column.value is not None and column.value.default is None


def same_kind(left: DataTypeState, right: DataTypeState) -> bool:
    """Whether both are structs, arrays or maps, so their parts can be compared one by one."""
    return type(left) is type(right) and not isinstance(left, str)


class MovedFields(NamedTuple):
    """A struct whose fields have another order."""

    path: ColumnPath
    before: tuple[str, ...]
    """The names that both structs have, in lower case."""
    after: tuple[str, ...]


def moved_fields(
    columns: Iterable[ColumnState], others: Iterable[ColumnState], parent: ColumnPath = TABLE
) -> Iterator[MovedFields]:
    """Yield the structs, at any depth, whose fields have another order in other columns."""
    wanted = NameMap.of(others)
    for column in columns:
        other = wanted.get(column.name)
        if other is None or other.data_type == column.data_type or not same_kind(column.data_type, other.data_type):
            continue
        path, fields = parent.child(column.name), (children(column.data_type), children(other.data_type))
        before, after = common_names(*fields)
        if before != after:
            yield MovedFields(path, before, after)
        yield from moved_fields(*fields, path)


def common_names(
    columns: Iterable[ColumnState], others: Iterable[ColumnState]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names that both have, in lower case, in the order of each."""
    names = [[folded(column.name) for column in side] for side in (columns, others)]
    common = {*names[0]} & {*names[1]}
    old, new = (tuple(name for name in side if name in common) for side in names)
    return old, new


def plain(data_type: DataTypeState) -> DataTypeState:
    """Return what Delta stores of an atomic type: strings for char and varchar."""
    if isinstance(data_type, str) and data_type.startswith(("char(", "varchar(")):
        return "string"
    return data_type


def equal_types(left: DataTypeState, right: DataTypeState) -> bool:
    """Whether two types are equal: nullability counts; comments, order and case of nested fields do not."""
    return left == right or _comparable(left) == _comparable(right)


def _comparable(data_type: DataTypeState) -> object:
    if isinstance(data_type, str):
        return data_type
    parts = [(folded(part.name), part.is_nullable, _comparable(part.data_type)) for part in children(data_type)]
    return type(data_type).__name__, sorted(parts)


def is_comparable(data_type: DataTypeState) -> bool:
    """Whether two values of a type can be compared, which Spark does not do with maps and variants."""
    if isinstance(data_type, str):
        return data_type != "variant"
    return not isinstance(data_type, MapState) and all(is_comparable(part.data_type) for part in children(data_type))


def is_assignable(given: DataTypeState, declared: DataTypeState) -> bool:
    """Whether values of one type can be stored as another, without regard to nullability."""
    return _values(given) == _values(declared)


def _values(data_type: DataTypeState) -> object:
    if isinstance(data_type, str):
        return plain(data_type)
    return type(data_type), {folded(part.name): _values(part.data_type) for part in children(data_type)}


def describe_type(data_type: DataTypeState) -> str:
    """Return a type as messages show it, with nested nullability: ``struct<a: bigint not null>``."""
    if isinstance(data_type, str):
        return data_type
    if isinstance(data_type, StructState):
        return f"struct<{', '.join(f'{field.name}: {_describe_part(field)}' for field in data_type.fields)}>"
    if isinstance(data_type, ArrayState):
        return f"array<{', '.join(map(_describe_part, children(data_type)))}>"
    key, value = children(data_type)
    return f"map<{describe_type(key.data_type)}, {_describe_part(value)}>"


def _describe_part(part: ColumnState) -> str:
    return describe_type(part.data_type) + ("" if part.is_nullable else " not null")


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


def atoms_with_paths(data_type: DataTypeState, path: ColumnPath) -> Iterator[tuple[ColumnPath, str]]:
    """Yield the path and name of every atomic part of a type."""
    if isinstance(data_type, str):
        yield path, data_type
    for part in children(data_type):
        yield from atoms_with_paths(part.data_type, path.child(part.name))


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


def not_null_in_collections(
    data_type: DataTypeState, path: ColumnPath, *, inside: bool = False
) -> Iterator[ColumnPath]:
    """Yield the path of every NOT NULL inside an array or a map, which Delta cannot store (Delta 4.4.0)."""
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


_SHARED: dict[DataTypeState, DataTypeState] = {}
_MOST_SHARED = 5000


def shared(data_type: DataTypeState) -> DataTypeState:
    """Return one object for all equal nested types, so clean tables are compared by identity."""
    if len(_SHARED) >= _MOST_SHARED:
        _SHARED.clear()
    return _SHARED.setdefault(data_type, data_type)
