"""Rules about types: what Delta stores, and which changes of type it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.types import (
    compound_types,
    describe_type,
    nested_types,
    not_null_in_collections,
    unstorable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.errors import Violation
    from pytest_delta_schema.models.table import Table


class StorableTypes:
    """Delta stores most of Spark's types, but not intervals, times, geometries or strings with a collation."""

    def check(self, table: Table) -> Iterator[Violation]:
        """Yield a violation for every part of a type that Delta cannot store."""
        for column, data_type in compound_types(table.columns):
            for path, name in unstorable(data_type, column):
                message = f"column {path} has the type {name}, which Delta cannot store"
                yield violation(self, "DS105", table.qualified_name, path, message, "use a type that it stores")


class CollectionsHoldNulls:
    """Inside arrays and maps NOT NULL can be neither written in SQL nor kept by Delta."""

    def check(self, table: Table) -> Iterator[Violation]:
        """Yield a violation for every NOT NULL inside an array or a map."""
        for column, data_type in nested_types(table.columns):
            for path in not_null_in_collections(data_type, column):
                message = f"column {path} is NOT NULL inside an array or a map, which Delta cannot keep"
                remedy = "declare it nullable: containsNull, valueContainsNull or nullable = True"
                yield violation(self, "DS106", table.qualified_name, path, message, remedy)


class NoTypeChanges:
    """The type of a stored column is not changed in place."""

    def check(self, action: CreateTable | AlignTable) -> Iterator[Violation]:
        """Yield a violation for every column that would change its type."""
        if isinstance(action, CreateTable):
            return
        for change in action.change_types:
            before, after = describe_type(change.before), describe_type(change.after)
            yield violation(
                self,
                "DS208",
                action.table,
                change.name,
                f"column {change.name} is {before} on the table and {after} in the model, and is not changed in place",
                f"declare {before}, or add a column of the new type, backfill it and drop {change.name}",
            )
