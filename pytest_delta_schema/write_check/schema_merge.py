"""How Delta merges the schema of a frame into that of a table, case aside and new fields last."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.type_widening import Widening, widening
from pytest_delta_schema.state.types import (
    ArrayState,
    ColumnState,
    MapState,
    StructState,
    below,
    plain,
    same_kind,
    with_below,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.state.types import DataTypeState

_SMALL = ("tinyint", "smallint", "int")
"""Integers that parquet keeps as one type, so that Delta merges each with each, to the wider one."""

_ANY_WIDENING = (4, 4)

_OTHER_FAMILY = ("double", "decimal")


class Retyping(NamedTuple):
    """A column, or a part of one, whose type would change."""

    path: tuple[str, ...]
    stored: DataTypeState
    given: DataTypeState


class Merge(NamedTuple):
    """A merged schema, and what the merge did.

    Args:
        columns: Those of the table, and behind them those that only the frame has.
        added: What the frame adds, by the path above it.
        retyped: What changes its type to one that Delta takes.
        conflicts: What cannot be merged.
        has_nested: Whether columns of both sides were of other types, so that parts of them may be missing.
    """

    columns: tuple[ColumnState, ...]
    added: tuple[tuple[tuple[str, ...], ColumnState], ...]
    retyped: tuple[Retyping, ...]
    conflicts: tuple[Retyping, ...]
    has_nested: bool = True


def merge(
    columns: Sequence[ColumnState], frame: Sequence[ColumnState], *, widens: bool, version: tuple[int, int]
) -> Merge:
    """Merge the columns of a frame into those of a table.

    Args:
        columns: Of the table.
        frame: Of the frame; each name once, case aside.
        widens: Whether the table has type widening.
        version: Delta's version.
    """
    merger = _Merger(widens=widens, version=version)
    merged = merger.fields(columns, frame, ())
    return Merge(
        merged, tuple(merger.added), tuple(merger.retyped), tuple(merger.conflicts), has_nested=merger.has_nested
    )


def nullable(columns: Iterable[ColumnState]) -> tuple[ColumnState, ...]:
    """Return columns as Delta takes them from a frame: everything in them may be NULL."""
    return tuple(column._replace(data_type=_nullable(column.data_type), is_nullable=True) for column in columns)


def evolves(stored: DataTypeState, given: DataTypeState, version: tuple[int, int]) -> bool:
    """Whether a write may widen a type on a table with type widening: in Delta 4.4, whatever ``ALTER TABLE`` may.

    Before, integers did not become doubles or decimals by a write (source: Delta's setting
    ``typeWidening.allowAutomaticWidening``, which is ALWAYS in 4.4.0).
    """
    if widening(stored, given, version) is not Widening.BY_FEATURE:
        return False
    other_family = str(given).startswith(_OTHER_FAMILY) and not str(stored).startswith((*_OTHER_FAMILY, "float"))
    return version >= _ANY_WIDENING or not other_family


def _nullable(data_type: DataTypeState) -> DataTypeState:
    if isinstance(data_type, StructState):
        return StructState(nullable(data_type.fields))
    if isinstance(data_type, ArrayState):
        return ArrayState(_nullable(data_type.element), contains_null=True)
    if isinstance(data_type, MapState):
        return MapState(_nullable(data_type.key), _nullable(data_type.value), value_contains_null=True)
    return data_type


class _Merger:
    def __init__(self, *, widens: bool, version: tuple[int, int]) -> None:
        self._widens = widens
        self._version = version
        self.has_nested = False
        self.added: list[tuple[tuple[str, ...], ColumnState]] = []
        self.retyped: list[Retyping] = []
        self.conflicts: list[Retyping] = []

    def fields(
        self, columns: Sequence[ColumnState], frame: Sequence[ColumnState], above: tuple[str, ...]
    ) -> tuple[ColumnState, ...]:
        given = {column[0].lower(): column for column in frame}
        merged = []
        for column in columns:
            match = given.pop(column[0].lower(), None)
            if match is None or match[1] == column[1]:
                merged.append(column)
                continue
            data_type = self._type(column.data_type, match.data_type, (*above, column.name))
            merged.append(column._replace(data_type=data_type))
        new = nullable(given.values())
        self.added.extend((above, column) for column in new)
        return (*merged, *new)

    def _type(self, stored: DataTypeState, given: DataTypeState, path: tuple[str, ...]) -> DataTypeState:
        self.has_nested = True
        if isinstance(stored, StructState) and isinstance(given, StructState):
            return StructState(self.fields(stored.fields, given.fields, path))
        if same_kind(stored, given):
            parts = self.fields(below(stored), below(given), path)
            return with_below(stored, parts)
        return self._atom(stored, given, path)

    def _atom(self, stored: DataTypeState, given: DataTypeState, path: tuple[str, ...]) -> DataTypeState:
        if plain(stored) == plain(given) or given == "void":
            return stored
        if stored in _SMALL and given in _SMALL:
            if _SMALL.index(str(given)) < _SMALL.index(str(stored)):
                return stored
        elif stored != "void" and not (self._widens and evolves(stored, given, self._version)):
            self.conflicts.append(Retyping(path, stored, given))
            return stored
        self.retyped.append(Retyping(path, stored, given))
        return _nullable(given)
