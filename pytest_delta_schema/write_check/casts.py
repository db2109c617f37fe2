"""The casts that Spark adds between a frame and a table, and those that it refuses.

Under its default policy Spark casts as ``CAST`` in ANSI mode does: a string column is accepted for bigint, and a row
whose text is not a number fails.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import WIDENING_PROPERTY, is_on
from pytest_delta_schema.delta.names.column_path import ELEMENT, KEY, TABLE, VALUE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap
from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState, children, plain
from pytest_delta_schema.write_check import schema_findings
from pytest_delta_schema.write_check.castable import is_castable, is_coercible
from pytest_delta_schema.write_check.schema_merge import TypeDifference, equal_at_start, evolves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.write_check.collector import Collector
    from pytest_delta_schema.write_check.method import WriteSemantics


def has_widening(state: TableState) -> bool:
    """Whether a table has type widening."""
    return is_on(WIDENING_PROPERTY, state.table_properties)


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
            caster = self
            if self._semantics.method == "sql_insert" and not self._by_position:
                # An INSERT by name matches the fields of structs in maps by position (Delta 4.4.0).
                by_position = replace(self._semantics, by_position=True)
                caster = Caster(by_position, widens=self._widens, collector=self._collector)
            key = caster._type(given.key, wanted.key, path.child(KEY))
            value = caster._type(given.value, wanted.value, path.child(VALUE))
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
