"""Additive contracts: which undeclared columns are accepted, and where new columns are added before them."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.state.types import children, find

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.plan.difference import Difference, PlacedColumn
    from pytest_delta_schema.state.types import ColumnState


def with_extras(difference: Difference) -> Difference:
    """Separate the undeclared columns that an additive contract accepts from those that are dropped.

    Accepted are nullable columns, and fields of structs, after all declared ones, as a write with ``mergeSchema`` adds
    them.
    """
    parents = {placed.above for placed in difference.dropped}
    accepted = {id(column) for above in parents for column in _tail(difference, above) if column.is_nullable}
    extras = tuple(placed for placed in difference.dropped if id(placed.column) in accepted)
    return difference._replace(
        dropped=tuple(placed for placed in difference.dropped if id(placed.column) not in accepted), extras=extras
    )


def place_of(added: PlacedColumn, difference: Difference) -> str | None:
    """Return the column after which a new one is added: ``""`` for the first position, ``None`` for the last."""
    extras = NameSet.of(extra.column for extra in difference.extras if extra.above == added.above)
    if not extras:
        return None
    declared = [column.name for column in _siblings(difference, added.above) if column.name not in extras]
    before = takewhile(lambda other: other != added, difference.added)
    declared += [other.column.name for other in before if other.above == added.above]
    return declared[-1] if declared else ""


def _tail(difference: Difference, above: ColumnPath) -> Iterator[ColumnState]:
    """Yield the stored columns, or fields of one struct, after the last declared one, in reverse order."""
    undeclared = {id(placed.column) for placed in difference.dropped}
    for column in reversed(_siblings(difference, above)):
        if id(column) not in undeclared:
            return
        yield column


def _siblings(difference: Difference, above: ColumnPath) -> Sequence[ColumnState]:
    """Return the stored columns, or the fields of one struct, in order."""
    columns = difference.renames.columns
    if not above:
        return columns
    struct = find(columns, above)
    return () if struct is None else children(struct.data_type)
