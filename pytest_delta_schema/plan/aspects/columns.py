"""Compare columns and fields of structs: which are renamed, added, dropped, which may be NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, ColumnAdd, ColumnDrop, ColumnNullabilityChange
from pytest_delta_schema.plan.evolution import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.difference import Difference


def column_changes(difference: Difference) -> Iterator[Change]:
    """Yield the columns and fields to rename, to add and to drop, and those whose nullability changes."""
    yield from difference.renames.done
    for placed in difference.added:
        after = place_of(placed, difference) if difference.extras else None
        yield ColumnAdd(column=placed.column, above=placed.above, after=after)
    for placed in difference.dropped:
        yield ColumnDrop(column=placed.column, above=placed.above)
    for pair in difference.changed:
        if pair.desired.is_nullable != pair.observed.is_nullable:
            yield ColumnNullabilityChange(path=pair.path, is_nullable=pair.desired.is_nullable)
