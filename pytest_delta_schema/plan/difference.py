"""Pair the columns of two states of a table, and the fields below them, for the comparison of all aspects."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap
from pytest_delta_schema.plan.renames import resolve_renames
from pytest_delta_schema.state.types import children, same_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.plan.renames import Renames
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState

_BY_PATH = attrgetter("path.folded")


class ColumnPair(NamedTuple):
    """A column or a field of both states that differs in anything, spelling included."""

    desired: ColumnState
    observed: ColumnState
    """The stored one, under its new name if it is renamed."""
    path: ColumnPath
    """The whole path, as stored."""


class PlacedColumn(NamedTuple):
    """A column or a field of one state only, with its path."""

    column: ColumnState
    path: ColumnPath

    @property
    def above(self) -> ColumnPath:
        """The path of the struct, array or map that it is a part of; empty for columns."""
        return self.path.parent


class Difference(NamedTuple):
    """Both states and the columns and fields in which they differ; equal ones are left out."""

    desired: TableState
    observed: TableState
    renames: Renames
    """What is renamed, and which hints cannot be used; the paths of all other fields are those after it."""
    added: tuple[PlacedColumn, ...]
    """Wanted ones that are not stored, in declaration order."""
    dropped: tuple[PlacedColumn, ...]
    """Stored ones that are not wanted, by path."""
    changed: tuple[ColumnPair, ...]
    """Those of both states that are not exactly equal, by path."""
    retyped: tuple[ColumnPair, ...]
    """Those among them whose own type differs, and not only something below it."""
    extras: tuple[PlacedColumn, ...] = ()
    """Stored ones that are not wanted and that the contract accepts."""


def differ(desired: TableState, observed: TableState) -> Difference:
    """Pair the columns of two states, and the fields below them, by name without case."""
    renames = resolve_renames(desired.renames, observed.columns)
    added: list[PlacedColumn] = []
    dropped: list[PlacedColumn] = []
    changed: list[ColumnPair] = []
    retyped: list[ColumnPair] = []
    todo: list[tuple[ColumnPath, tuple[ColumnState, ...], tuple[ColumnState, ...]]]
    todo = [(TABLE, desired.columns, renames.columns)]
    while todo:
        above, wanted, stored = todo.pop(0)
        pairs, new, gone = _paired(above, wanted, stored)
        changed += pairs
        if new:
            added += [PlacedColumn(column, above.child(column.name)) for column in new]
        if gone:
            dropped += [PlacedColumn(column, above.child(column.name)) for column in gone]
        for pair in pairs:
            left, right = pair.desired.data_type, pair.observed.data_type
            if left == right:
                continue
            if same_kind(left, right):
                todo.append((pair.path, children(left), children(right)))
            else:
                retyped.append(pair)
    changed.sort(key=_BY_PATH)
    retyped.sort(key=_BY_PATH)
    dropped.sort(key=_BY_PATH)
    return Difference(desired, observed, renames, tuple(added), tuple(dropped), tuple(changed), tuple(retyped))


def _paired(
    above: ColumnPath, wanted: tuple[ColumnState, ...], stored: tuple[ColumnState, ...]
) -> tuple[list[ColumnPair], list[ColumnState], Iterable[ColumnState]]:
    """Return the pairs that differ, the wanted ones that are not stored, and the stored ones that are not wanted."""
    pairs: list[ColumnPair] = []
    unpaired: list[ColumnState] = []
    rest: list[ColumnState] = list(stored[len(wanted) :])
    # Most columns have the same position in both states; only the others need a look-up by name.
    for column, other in zip(wanted, stored, strict=False):
        if column == other:
            continue
        if column[0] == other[0]:
            pairs.append(ColumnPair(column, other, above.child(other.name)))
        else:
            unpaired.append(column)
            rest.append(other)
    unpaired.extend(wanted[len(stored) :])
    if not rest:
        return pairs, unpaired, ()
    by_name = NameMap.of(rest)
    added: list[ColumnState] = []
    for column in unpaired:
        match = by_name.pop(column.name)
        if match is None:
            added.append(column)
        elif column != match:
            pairs.append(ColumnPair(column, match, above.child(match.name)))
    return pairs, added, by_name.values()
