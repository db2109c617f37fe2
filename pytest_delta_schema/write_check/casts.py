"""Casts that Spark puts between a frame and a table, and which it refuses.

Under its default policy Spark casts as ``CAST`` in ANSI mode does: string to bigint passes, and only rows whose text is
no number fail. Run on Spark 4.2.0, every type against every other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState, below, plain
from pytest_delta_schema.write_check import findings
from pytest_delta_schema.write_check.method import WRITE_STREAM
from pytest_delta_schema.write_check.schema_merge import evolves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.findings import Findings
    from pytest_delta_schema.write_check.method import WriteCall

_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
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
"""The families of types to which each family is cast."""

_COERCES: dict[str, frozenset[str]] = {
    "boolean": frozenset({"string"}),
    "binary": frozenset({"string"}),
    "string": _NUMBERS | _DAYS | {"binary"},
    **dict.fromkeys(_DAYS, _DAYS | {"string"}),
    **dict.fromkeys(_NUMBERS, _NUMBERS | {"string"}),
}
"""The same for streams, which cast by the rules of Spark's expressions."""


@lru_cache(maxsize=4096)
def is_castable(given: DataTypeState, wanted: DataTypeState) -> bool:
    """Whether Spark casts one type to another; whether it can cast a value is another matter."""
    if given == wanted:
        return True
    if isinstance(given, StructState) and isinstance(wanted, StructState):
        pairs = zip(given.fields, wanted.fields, strict=False)
        same_length = len(given.fields) == len(wanted.fields)
        return same_length and all(
            is_castable(left.data_type, right.data_type) and (right.is_nullable or not left.is_nullable)
            for left, right in pairs
        )
    if isinstance(given, ArrayState) and isinstance(wanted, ArrayState):
        return is_castable(given.element, wanted.element) and (wanted.contains_null or not given.contains_null)
    if isinstance(given, MapState) and isinstance(wanted, MapState):
        keeps_null = wanted.value_contains_null or not given.value_contains_null
        return is_castable(given.key, wanted.key) and is_castable(given.value, wanted.value) and keeps_null
    source, target = _family(given), _family(wanted)
    return source == target or target in _CASTS.get(source, ())


def _family(data_type: DataTypeState) -> str:
    if isinstance(data_type, StructState):
        return "struct"
    if isinstance(data_type, ArrayState):
        return "array"
    if isinstance(data_type, MapState):
        return "map"
    return str(plain(data_type)).partition("(")[0].partition(" ")[0]


@lru_cache(maxsize=4096)
def is_coercible(given: DataTypeState, wanted: DataTypeState) -> bool:
    """Whether a stream casts one atomic type to another; what it does not cast is left to the merging of schemas."""
    source, target = _family(given), _family(wanted)
    return source == target or target in _COERCES.get(source, ())


class Caster:
    """Casts the columns of a frame to those of a table.

    Args:
        route: The way the frame takes; if columns are matched by their place, so are the fields of structs.
        widens: Whether types that the table may evolve to are left as they are.
        found: Where refusals are noted.
    """

    def __init__(self, call: WriteCall, *, widens: bool, found: Findings) -> None:
        self._route = call
        self._by_position = call.by_position
        self._widens = widens
        self._found = found

    def cast(self, frame: Sequence[ColumnState], columns: Sequence[ColumnState]) -> tuple[ColumnState, ...]:
        """Return the columns of the frame as they reach the table; those that it does not have stay as they are."""
        return self._fields(frame, columns, ())

    def _fields(
        self, given: Sequence[ColumnState], wanted: Sequence[ColumnState], above: tuple[str, ...]
    ) -> tuple[ColumnState, ...]:
        if self._by_position:
            if len(given) < len(wanted):
                self._found.append(findings.too_few(above, len(given), len(wanted)))
                return tuple(given)
            pairs = [(each, wanted[index] if index < len(wanted) else None) for index, each in enumerate(given)]
        else:
            known = {column.name.lower(): column for column in wanted}
            pairs = [(each, known.get(each.name.lower())) for each in given]
        return tuple(each if match is None else self._column(each, match, above) for each, match in pairs)

    def _column(self, given: ColumnState, wanted: ColumnState, above: tuple[str, ...]) -> ColumnState:
        if given[1] == wanted[1]:
            if not self._by_position:
                return given
            return wanted if wanted.value is None else wanted._replace(value=None)
        path = (*above, wanted.name)
        if not self._by_position:
            return given._replace(data_type=self._type(given.data_type, wanted.data_type, path))
        cast = self._part if above else self._type
        return wanted._replace(data_type=cast(given.data_type, wanted.data_type, path), value=None)

    def _part(self, given: DataTypeState, wanted: DataTypeState, path: tuple[str, ...]) -> DataTypeState:
        """Cast a field of a struct by position: only structs are entered there, arrays and maps are cast whole."""
        if wanted == "void":
            return given
        if not isinstance(given, StructState):
            return self._atom(given, wanted, path)
        if not isinstance(wanted, StructState):
            self._found.append(findings.struct_for(path, given, wanted))
            return wanted
        return StructState(self._fields(given.fields, wanted.fields, path))

    def _type(self, given: DataTypeState, wanted: DataTypeState, path: tuple[str, ...]) -> DataTypeState:
        if wanted in (given, "void"):
            return given
        if isinstance(given, StructState) and isinstance(wanted, StructState):
            return StructState(self._fields(given.fields, wanted.fields, path))
        if isinstance(given, ArrayState) and isinstance(wanted, ArrayState):
            structs = isinstance(given.element, StructState) and isinstance(wanted.element, StructState)
            if not self._by_position or (structs and given.contains_null == wanted.contains_null):
                return given._replace(element=self._type(given.element, wanted.element, (*path, "element")))
        if isinstance(given, MapState) and isinstance(wanted, MapState):
            key = self._type(given.key, wanted.key, (*path, "key"))
            value = self._type(given.value, wanted.value, (*path, "value"))
            return given._replace(key=key, value=value)
        return self._atom(given, wanted, path)

    def _atom(self, given: DataTypeState, wanted: DataTypeState, path: tuple[str, ...]) -> DataTypeState:
        if self._widens and evolves(wanted, given, self._route.version):
            return given
        if self._route.via == WRITE_STREAM and not is_coercible(given, wanted):
            return given
        if not is_castable(given, wanted):
            self._found.append(findings.no_cast(path, given, wanted))
        elif plain(given) != plain(wanted) and given != "void":
            self._found.notes.append(findings.cast_note(path, given, wanted))
        return wanted


def is_read_as(columns: Sequence[ColumnState], frame: Sequence[ColumnState], call: WriteCall, *, widens: bool) -> bool:
    """Whether a frame can be read as a table without a cast, fields of structs matched by name.

    Only if it cannot are the fields of structs matched by their place, when a frame is inserted by position.
    """
    given = {column.name.lower(): column for column in frame}
    for column in columns:
        match = given.get(column.name.lower())
        if match is None or match.name != column.name:
            return False
        if not _is_read_as(column.data_type, match.data_type, call, widens=widens):
            return False
    return True


def _is_read_as(stored: DataTypeState, given: DataTypeState, call: WriteCall, *, widens: bool) -> bool:
    if isinstance(stored, StructState) and isinstance(given, StructState):
        return is_read_as(stored.fields, given.fields, call, widens=widens)
    if isinstance(stored, str) or type(stored) is not type(given):
        return plain(stored) == plain(given) or (widens and evolves(stored, given, call.version))
    return all(
        _is_read_as(one.data_type, other.data_type, call, widens=widens)
        for one, other in zip(below(stored), below(given), strict=True)
    )
