"""The casts that Spark adds between a frame and a table, and those that it refuses.

Under its default policy Spark casts as ``CAST`` in ANSI mode does: a string column is accepted for bigint, and a row
whose text is not a number fails. Measured on Spark 4.2.0, every type against every other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import ELEMENT, KEY, TABLE, VALUE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap
from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState, children, plain
from pytest_delta_schema.write_check import schema_findings
from pytest_delta_schema.write_check.schema_merge import TypeDifference, equal_at_start, evolves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.collector import Collector
    from pytest_delta_schema.write_check.method import WriteSemantics

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
"""The families of types that Spark casts each family to."""

_COERCES: dict[str, frozenset[str]] = {
    "boolean": frozenset({"string"}),
    "binary": frozenset({"string"}),
    "string": _NUMBERS | _DAYS | {"binary"},
    **dict.fromkeys(_DAYS, _DAYS | {"string"}),
    **dict.fromkeys(_NUMBERS, _NUMBERS | {"string"}),
}
"""The same for streams, which cast by the rules of Spark expressions."""


@lru_cache(maxsize=4096)
def is_castable(given: DataTypeState, wanted: DataTypeState) -> bool:
    """Whether Spark has a cast from one type to another; single values may still fail."""
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
    """Whether a stream casts one atomic type to another; other types are left to the merge of the schemas."""
    source, target = _family(given), _family(wanted)
    return source == target or target in _COERCES.get(source, ())


class Caster:
    """Casts the columns of a frame to those of a table.

    If the write matches columns by position, it does so with fields of structs. With ``widens``, types that the table
    may evolve to are left as they are.
    """

    def __init__(self, semantics: WriteSemantics, *, widens: bool, collector: Collector) -> None:
        self._semantics = semantics
        self._by_position = semantics.by_position
        self._widens = widens
        self._collector = collector

    def cast(self, frame: Sequence[ColumnState], columns: Sequence[ColumnState]) -> tuple[ColumnState, ...]:
        """Return the columns of a frame with the types of a table; columns that the table lacks are unchanged."""
        return self._fields(frame, columns, TABLE)

    def _fields(
        self, given: Sequence[ColumnState], wanted: Sequence[ColumnState], parent: ColumnPath
    ) -> tuple[ColumnState, ...]:
        if self._by_position:
            if len(given) < len(wanted):
                self._collector.findings.append(schema_findings.too_few_columns(parent, len(given), len(wanted)))
                return tuple(given)
            matches = [*wanted[: len(given)], *[None] * (len(given) - len(wanted))]
        else:
            equal = equal_at_start(wanted, given)
            by_name = NameMap.of(wanted[equal:])
            matches = [*wanted[:equal], *(by_name.get(column.name) for column in given[equal:])]
        return tuple(
            column if match is None else self._column(column, match, parent)
            for column, match in zip(given, matches, strict=True)
        )

    def _column(self, given: ColumnState, wanted: ColumnState, parent: ColumnPath) -> ColumnState:
        if given.data_type == wanted.data_type:
            if not self._by_position:
                return given
            return wanted if wanted.value is None else wanted._replace(value=None)
        path = parent.child(wanted.name)
        if not self._by_position:
            return given._replace(data_type=self._type(given.data_type, wanted.data_type, path))
        cast = self._part if parent else self._type
        return wanted._replace(data_type=cast(given.data_type, wanted.data_type, path), value=None)

    def _part(self, given: DataTypeState, wanted: DataTypeState, path: ColumnPath) -> DataTypeState:
        """Cast a field of a struct by position: structs field by field, arrays and maps as one value."""
        if wanted == "void":
            return given
        if not isinstance(given, StructState):
            return self._atom(given, wanted, path)
        if not isinstance(wanted, StructState):
            difference = TypeDifference(path=path, stored=wanted, given=given)
            self._collector.findings.append(schema_findings.unsupported_struct_cast(difference))
            return wanted
        return StructState(self._fields(given.fields, wanted.fields, path))

    def _type(self, given: DataTypeState, wanted: DataTypeState, path: ColumnPath) -> DataTypeState:
        if wanted in (given, "void"):
            return given
        if isinstance(given, StructState) and isinstance(wanted, StructState):
            return StructState(self._fields(given.fields, wanted.fields, path))
        if isinstance(given, ArrayState) and isinstance(wanted, ArrayState):
            structs = isinstance(given.element, StructState) and isinstance(wanted.element, StructState)
            if not self._by_position or (structs and given.contains_null == wanted.contains_null):
                return given._replace(element=self._type(given.element, wanted.element, path.child(ELEMENT)))
        if isinstance(given, MapState) and isinstance(wanted, MapState):
            key = self._type(given.key, wanted.key, path.child(KEY))
            value = self._type(given.value, wanted.value, path.child(VALUE))
            return given._replace(key=key, value=value)
        return self._atom(given, wanted, path)

    def _atom(self, given: DataTypeState, wanted: DataTypeState, path: ColumnPath) -> DataTypeState:
        if self._widens and evolves(wanted, given, self._semantics.version):
            return given
        if self._semantics.method == "write_stream" and not is_coercible(given, wanted):
            return given
        difference = TypeDifference(path=path, stored=wanted, given=given)
        if not is_castable(given, wanted):
            self._collector.findings.append(schema_findings.unsupported_cast(difference))
        elif plain(given) != plain(wanted) and given != "void":
            self._collector.note(str(path), schema_findings.cast_note(difference))
        return wanted


def fits_without_cast(
    columns: Sequence[ColumnState], frame: Sequence[ColumnState], semantics: WriteSemantics, *, widens: bool
) -> bool:
    """Whether a frame fits a table without a cast, with fields of structs matched by name.

    An insert by position matches the fields of structs by position only if it does not.
    """
    given = NameMap.of(frame)
    for column in columns:
        match = given.get(column.name)
        if match is None or match.name != column.name:
            return False
        if not _type_fits(column.data_type, match.data_type, semantics, widens=widens):
            return False
    return True


def _type_fits(stored: DataTypeState, given: DataTypeState, semantics: WriteSemantics, *, widens: bool) -> bool:
    if isinstance(stored, StructState) and isinstance(given, StructState):
        return fits_without_cast(stored.fields, given.fields, semantics, widens=widens)
    if isinstance(stored, str) or type(stored) is not type(given):
        return plain(stored) == plain(given) or (widens and evolves(stored, given, semantics.version))
    return all(
        _type_fits(one.data_type, other.data_type, semantics, widens=widens)
        for one, other in zip(children(stored), children(given), strict=True)
    )
