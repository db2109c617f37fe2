"""Columns that writers add: which of them a contract accepts, and where new ones go so that those stay last."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from pytest_delta_schema.state.types import below, find

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.plan.difference import Difference, Path, PlacedColumn
    from pytest_delta_schema.state.types import ColumnState


def with_extras(difference: Difference) -> Difference:
    """Tell the columns that an additive contract accepts from those that are to be dropped.

    Accepted are columns, and fields of structs, that may be NULL and stand behind all declared ones: just what a write
    with ``mergeSchema`` leaves behind.
    """
    levels = {placed.above for placed in difference.dropped}
    accepted = {id(column) for above in levels for column in _tail(difference, above) if column.is_nullable}
    extras = tuple(placed for placed in difference.dropped if id(placed.column) in accepted)
    return difference._replace(
        dropped=tuple(placed for placed in difference.dropped if id(placed.column) not in accepted), extras=extras
    )


def place_of(added: PlacedColumn, difference: Difference) -> str | None:
    """Return the column behind which a new one goes: ``""`` for none, ``None`` where it goes last anyway."""
    above = _folded(added.above)
    if not any(_folded(extra.above) == above for extra in difference.extras):
        return None
    extras = {extra.column.name.lower() for extra in difference.extras if _folded(extra.above) == above}
    declared = [column.name for column in _level(difference, added.above) if column.name.lower() not in extras]
    before = takewhile(lambda other: other != added, difference.added)
    declared += [other.column.name for other in before if _folded(other.above) == above]
    return declared[-1] if declared else ""


def _tail(difference: Difference, above: Path) -> Iterator[ColumnState]:
    """Yield the stored columns of one level behind the last declared one, the last of them first."""
    undeclared = {id(placed.column) for placed in difference.dropped}
    for column in reversed(_level(difference, above)):
        if id(column) not in undeclared:
            return
        yield column


def _level(difference: Difference, above: Path) -> Sequence[ColumnState]:
    """Return the stored columns, or the fields of one struct, in order."""
    columns = difference.renames.columns
    if not above:
        return columns
    struct = find(columns, above)
    return () if struct is None else below(struct.data_type)


def _folded(path: Path) -> Path:
    return tuple(part.lower() for part in path)
