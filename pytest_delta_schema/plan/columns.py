"""Compare columns: which come, which go, which may be NULL, fields of structs included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, ColumnAdd, ColumnDrop, ColumnNullabilityChange
from pytest_delta_schema.plan.types import nested_nullability

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
        for fields, is_nullable in nested_nullability(observed.data_type, desired.data_type) or ():
            yield ColumnNullabilityChange(name=observed.name, is_nullable=is_nullable, fields=fields)
