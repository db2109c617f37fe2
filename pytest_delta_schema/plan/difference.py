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
    if desired.columns == observed.columns:
        return Difference(desired, observed, (), (), ())
    there = {column.name.lower(): column for column in observed.columns}
    added: list[ColumnState] = []
    changed: list[ColumnPair] = []
    for column in desired.columns:
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
