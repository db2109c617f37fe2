"""Merge the schema of a frame into that of a table, and the casts that Spark has between types.

The casts are those of ``CAST`` in ANSI mode, and those that Spark adds by itself, measured on Spark 4.2.0, every type
against every other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.fields import INTEGER_BITS, SIZED, Widening, widening
from pytest_delta_schema.delta.names import TABLE, ColumnPath, NameMap
from pytest_delta_schema.state.types import (
    ArrayState,
    ColumnState,
    MapState,
    StructState,
    children,
    plain,
    same_kind,
    with_children,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.state.types import DataTypeState


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDifference:
    """A column, or a part of one, whose type in the frame differs from its type in the table."""

    path: ColumnPath
    stored: DataTypeState
    given: DataTypeState


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPart:
    """A column or a field that a write adds to a table, or stores there with another type."""

    parent: ColumnPath
    """The path of the struct, array or map that holds it; empty for a column."""
    column: ColumnState

    @property
    def path(self) -> ColumnPath:
        """The path of the column or field."""
        return self.parent.child(self.column.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedSchema:
    """A merged schema and its differences from the schema of the table."""

    columns: tuple[ColumnState, ...]
    """The columns of the table, and after them the columns that only the frame has."""
    added: tuple[NewPart, ...]
    """Columns and fields that only the frame has."""
    retyped: tuple[TypeDifference, ...]
    """Columns and fields that get the type of the frame."""
    conflicts: tuple[TypeDifference, ...]
    """Columns and fields whose types Delta cannot merge."""
    compares_types: bool
    """Whether a column has different types in table and frame, so parts of it may be missing."""


def merge_schemas(
    columns: Sequence[ColumnState],
    frame: Sequence[ColumnState],
    *,
    widens: bool,
    version: tuple[int, int],
    coerces: bool = False,
) -> MergedSchema:
    """Merge the columns of a frame into those of a table.

    No two names of the frame are equal without case. ``widens`` is whether the table has type widening, and
    ``coerces`` whether the table keeps each type that Spark casts the given one to.
    """
    merger = _Merger(widens=widens, version=version, coerces=coerces)
    merged = merger.fields(columns, frame, TABLE)
    return MergedSchema(
        columns=merged,
        added=tuple(merger.added),
        retyped=tuple(merger.retyped),
        conflicts=tuple(merger.conflicts),
        compares_types=merger.compares_types,
    )


def nullable(columns: Iterable[ColumnState]) -> tuple[ColumnState, ...]:
    """Return columns as Delta stores new ones: nullable with all of their parts."""
    return tuple(column._replace(data_type=_nullable(column.data_type), is_nullable=True) for column in columns)


def _nullable(data_type: DataTypeState) -> DataTypeState:
    if isinstance(data_type, StructState):
        return StructState(nullable(data_type.fields))
    if isinstance(data_type, ArrayState):
        return ArrayState(_nullable(data_type.element), contains_null=True)
    if isinstance(data_type, MapState):
        return MapState(_nullable(data_type.key), _nullable(data_type.value), value_contains_null=True)
    return data_type


_SMALL = ("tinyint", "smallint", "int")
"""Integers that parquet stores as one type, so Delta merges any two of them to the wider one."""

_ANY_WIDENING = (4, 4)
"""Since this version, a write widens whatever ``ALTER TABLE`` widens."""

_OTHER_FAMILY = ("double", "decimal")


def evolves(stored: DataTypeState, given: DataTypeState, version: tuple[int, int]) -> bool:
    """Whether a write may widen a type on a table with type widening: since Delta 4.4 whatever ``ALTER TABLE`` may.

    Before, a write did not widen integers to doubles or decimals (source: Delta's setting
    ``typeWidening.allowAutomaticWidening``, which is ALWAYS in 4.4.0).
    """
    if widening(stored, given, version) is not Widening.BY_FEATURE:
        return False
    other_family = str(given).startswith(_OTHER_FAMILY) and not str(stored).startswith((*_OTHER_FAMILY, "float"))
    return version >= _ANY_WIDENING or not other_family


def equal_at_start(columns: Sequence[ColumnState], frame: Sequence[ColumnState]) -> int:
    """Return how many columns at the start have the same names and types, so no look-up by name is needed."""
    count = 0
    for column, other in zip(columns, frame, strict=False):
        if column.name != other.name or column.data_type != other.data_type:
            break
        count += 1
    return count


class _Merger:
    def __init__(self, *, widens: bool, version: tuple[int, int], coerces: bool) -> None:
        self._coerces = coerces
        self._widens = widens
        self._version = version
        self.compares_types = False
        self.added: list[NewPart] = []
        self.retyped: list[TypeDifference] = []
        self.conflicts: list[TypeDifference] = []

    def fields(
        self, columns: Sequence[ColumnState], frame: Sequence[ColumnState], parent: ColumnPath
    ) -> tuple[ColumnState, ...]:
        equal = equal_at_start(columns, frame)
        given = NameMap.of(frame[equal:])
        merged = [*columns[:equal]]
        for column in columns[equal:]:
            match = given.pop(column.name)
            if match is None or match.data_type == column.data_type:
                merged.append(column)
                continue
            data_type = self._type(column.data_type, match.data_type, parent.child(column.name))
            merged.append(column._replace(data_type=data_type))
        new = nullable(given.values())
        self.added.extend(NewPart(parent=parent, column=column) for column in new)
        return (*merged, *new)

    def _type(self, stored: DataTypeState, given: DataTypeState, path: ColumnPath) -> DataTypeState:
        self.compares_types = True
        if isinstance(stored, StructState) and isinstance(given, StructState):
            return StructState(self.fields(stored.fields, given.fields, path))
        if same_kind(stored, given):
            parts = self.fields(children(stored), children(given), path)
            return with_children(stored, parts)
        return self._atom(stored, given, path)

    def _atom(self, stored: DataTypeState, given: DataTypeState, path: ColumnPath) -> DataTypeState:
        if plain(stored) == plain(given) or given == "void":
            return stored
        widens = self._widens and evolves(stored, given, self._version)
        if self._coerces and not widens and is_coercible(given, stored):
            return stored
        if stored in _SMALL and given in _SMALL:
            if _SMALL.index(str(given)) < _SMALL.index(str(stored)):
                return stored
        elif stored != "void" and not widens:
            self.conflicts.append(TypeDifference(path=path, stored=stored, given=given))
            return stored
        self.retyped.append(TypeDifference(path=path, stored=stored, given=given))
        return _nullable(given)


_MOST_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19, "timestamp": 13}
_INTEGERS = frozenset(INTEGER_BITS)
_NUMBERS = _INTEGERS | {"float", "double", "decimal"}
_DAYS = frozenset({"date", "timestamp", "timestamp_ntz"})
_SPANS = frozenset({"interval"})
_ANY = _NUMBERS | _DAYS | {"boolean", "string", "binary", "variant"}

_CASTS: dict[str, frozenset[str]] = {
    "boolean": _NUMBERS | {"string", "variant"},
    "binary": frozenset({"string", "variant"}),
    "date": _DAYS | {"string", "variant"},
    "timestamp": _NUMBERS | _DAYS | {"string", "variant"},
    "timestamp_ntz": _DAYS | {"string", "variant"},
    "string": _ANY | _SPANS,
    "variant": _ANY | {"array", "struct", "map"},
    "interval": _INTEGERS | {"decimal", "string"},
    "void": _ANY | {"array", "struct", "map", "interval"},
    "array": frozenset({"string", "variant"}),
    "struct": frozenset({"string"}),
    "map": frozenset({"string"}),
    **dict.fromkeys(_INTEGERS | {"decimal"}, _NUMBERS | _SPANS | {"boolean", "string", "timestamp", "variant"}),
    **dict.fromkeys(("float", "double"), _NUMBERS | {"boolean", "string", "timestamp", "variant"}),
}
"""The families of types that Spark casts each family to."""

_COERCES: dict[str, frozenset[str]] = {
    "boolean": frozenset({"string"}),
    "binary": frozenset({"string"}),
    "string": _NUMBERS | _DAYS | {"binary"},
    **dict.fromkeys(_DAYS, _DAYS | {"string"}),
    **dict.fromkeys(_NUMBERS, _NUMBERS | {"string"}),
}
"""The same for streams and for the types that a MERGE evolves, which follow the rules of Spark expressions."""


_WITHOUT_ANSI: dict[str, frozenset[str]] = {
    "boolean": frozenset({"timestamp"}),
    "date": _NUMBERS | {"boolean"},
    "timestamp": frozenset({"boolean"}),
    **dict.fromkeys(_INTEGERS, frozenset({"binary"})),
}
"""The families that Spark casts each family to as well when its ANSI mode is off."""


@lru_cache(maxsize=4096)
def is_castable(given: DataTypeState, wanted: DataTypeState, *, ansi: bool = True) -> bool:
    """Whether Spark has a cast from one type to another; single values may still fail."""
    if given == wanted:
        return True
    if isinstance(given, StructState) and isinstance(wanted, StructState):
        pairs = zip(given.fields, wanted.fields, strict=False)
        same_length = len(given.fields) == len(wanted.fields)
        return same_length and all(
            is_castable(left.data_type, right.data_type, ansi=ansi) and (right.is_nullable or not left.is_nullable)
            for left, right in pairs
        )
    if isinstance(given, ArrayState) and isinstance(wanted, ArrayState):
        keeps_null = wanted.contains_null or not given.contains_null
        return keeps_null and is_castable(given.element, wanted.element, ansi=ansi)
    if isinstance(given, MapState) and isinstance(wanted, MapState):
        keeps_null = wanted.value_contains_null or not given.value_contains_null
        pairs_of_parts = ((given.key, wanted.key), (given.value, wanted.value))
        return keeps_null and all(is_castable(left, right, ansi=ansi) for left, right in pairs_of_parts)
    source, target = _family(given), _family(wanted)
    is_known = source == target or target in _CASTS.get(source, ())
    return is_known or (not ansi and target in _WITHOUT_ANSI.get(source, ()))


NO_CAST = "DATATYPE_MISMATCH"
"""The beginning of Spark's conditions for a pair of types without a cast."""


def no_cast_condition(given: DataTypeState, wanted: DataTypeState, *, is_insert: bool) -> str:
    """Return Spark's condition for a cast that it does not have, by what its message suggests (Spark 4.2.0).

    It names functions for numbers and dates, and ``try_cast`` for arrays and maps, but in an insert; in all other cases
    the setting with which it has the cast.
    """
    families = (_family(given), _family(wanted))
    is_day_number = "date" in families and not _NUMBERS.isdisjoint(families)
    if not is_day_number and not is_castable(given, wanted, ansi=False):
        return f"{NO_CAST}.CAST_WITHOUT_SUGGESTION"
    by_function = is_day_number or (not is_insert and families[0] in {"array", "map"})
    return f"{NO_CAST}.CAST_WITH_{'FUNC' if by_function else 'CONF'}_SUGGESTION"


@lru_cache(maxsize=4096)
def may_fail(given: DataTypeState, wanted: DataTypeState) -> bool:
    """Whether Spark casts an atomic type to another and refuses some values: other texts than numbers, overflows."""
    if given == wanted:
        return False
    source, target = _family(given), _family(wanted)
    if source == "string":
        return target in _NUMBERS | _DAYS | {"boolean"}
    if target == "timestamp":
        return source in {"float", "double"}
    if source not in _NUMBERS | {"timestamp"} or target not in _INTEGERS | {"decimal"}:
        return False
    # A number may have as many digits as the largest integer of a type, and be larger.
    return _digits(given) > _digits(wanted) - (target in _INTEGERS)


@lru_cache(maxsize=4096)
def is_coercible(given: DataTypeState, wanted: DataTypeState) -> bool:
    """Whether Spark casts one atomic type to another by itself; other types are left to the merge of the schemas."""
    source, target = _family(given), _family(wanted)
    return source == target or target in _COERCES.get(source, ())


def _family(data_type: DataTypeState) -> str:
    if isinstance(data_type, StructState):
        return "struct"
    if isinstance(data_type, ArrayState):
        return "array"
    if isinstance(data_type, MapState):
        return "map"
    return str(plain(data_type)).partition("(")[0].partition(" ")[0]


def _digits(number: DataTypeState) -> int:
    """Return how many digits a number has before its point."""
    sized = SIZED.fullmatch(str(number))
    return _MOST_DIGITS.get(str(number), 39) if sized is None else int(sized[2]) - int(sized[3])
