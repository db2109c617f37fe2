"""Two states of one table, with their columns paired: what every aspect compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


class ColumnPair(NamedTuple):
    """A column that both sides have and that differs in something, spelling included."""

    desired: ColumnState
    observed: ColumnState


class Difference(NamedTuple):
    """Both states and the columns in which they differ; equal columns are left out.

    Args:
        desired: The wanted state.
        observed: The state that was read.
        added: Wanted columns that are not there, in declaration order.
        dropped: Columns that are there and not wanted, by name.
        changed: Columns of both sides that are not equal to the letter, by name.
    """

    desired: TableState
    observed: TableState
    added: tuple[ColumnState, ...]
    dropped: tuple[ColumnState, ...]
    changed: tuple[ColumnPair, ...]


def differ(desired: TableState, observed: TableState) -> Difference:
    """Pair the columns of two states by name without case."""
    changed: list[ColumnPair] = []
    unpaired: list[ColumnState] = []
    rest: list[ColumnState] = list(observed.columns[len(desired.columns) :])
    # Most columns stand in the same place on both sides; only the others need a look-up by name.
    for column, other in zip(desired.columns, observed.columns, strict=False):
        if column == other:
            continue
        if column[0] == other[0]:
            changed.append(ColumnPair(column, other))
        else:
            unpaired.append(column)
            rest.append(other)
    unpaired.extend(desired.columns[len(observed.columns) :])
    there = {column.name.lower(): column for column in rest}
    added: list[ColumnState] = []
    for column in unpaired:
        match = there.pop(column.name.lower(), None)
        if match is None:
            added.append(column)
        elif column != match:
            changed.append(ColumnPair(column, match))
    changed.sort(key=_by_stored_name)
    dropped = tuple(sorted(there.values(), key=_by_name))
    return Difference(desired, observed, tuple(added), dropped, tuple(changed))


def _by_name(column: ColumnState) -> str:
    return column.name.lower()


def _by_stored_name(pair: ColumnPair) -> str:
    return pair.observed.name.lower()
