"""Compare columns: which come, which go, which may be NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.actions import Change, ColumnAdd, ColumnDrop, ColumnNullabilityChange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.difference import Difference


def column_changes(difference: Difference) -> Iterator[Change]:
    """Yield the columns to add and to drop, and those whose nullability changes."""
    for column in difference.added:
        yield ColumnAdd(column=column)
    for column in difference.dropped:
        yield ColumnDrop(column=column)
    for desired, observed in difference.changed:
        if desired.is_nullable != observed.is_nullable:
            yield ColumnNullabilityChange(name=observed.name, is_nullable=desired.is_nullable)
