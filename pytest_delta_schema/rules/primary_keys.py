"""Rules about primary keys: their columns exist, once each, and are NOT NULL whichever way the key comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.rules.columns import repeated
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.type_traversal import is_comparable
from pytest_delta_schema.state.types import canonical_type, describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.errors import Violation
    from pytest_delta_schema.models.table import Table


class InvalidPrimaryKeyColumn:
    """The columns of a primary key are declared, once each, and NOT NULL."""

    def check(self, table: Table) -> Iterator[Violation]:
        """Yield a violation for every column of the key that is missing, repeated or nullable."""
        declared = {column.name.lower(): column for column in table.columns}
        for name in repeated(table.primary_key):
            yield self._violation(table, name, "is named twice", "name it once")
        for name in table.primary_key:
            column = declared.get(name.lower())
            if column is None:
                yield self._violation(table, name, "is not a column of the model", "declare it, or mend the key")
            elif column.is_nullable:
                yield self._violation(table, name, "is nullable in the model", "declare it with is_nullable=False")

    def _violation(self, table: Table, name: str, fact: str, remedy: str) -> Violation:
        return violation(self, "DS104", table.qualified_name, name, f"primary key column {name} {fact}", remedy)


class IncomparablePrimaryKey:
    """The values of a key are compared, which those of maps and variants cannot be."""

    def check(self, table: Table) -> Iterator[Violation]:
        """Yield a violation for every column of the key whose type holds a map or a variant."""
        declared = {column.name.lower(): column.data_type for column in table.columns}
        for name in table.primary_key:
            data_type = declared.get(name.lower())
            if data_type is not None and not is_comparable(canonical_type(data_type)):
                shown = describe_type(canonical_type(data_type))
                message = f"primary key column {name} is {shown}, whose values cannot be compared"
                yield violation(self, "DS113", table.qualified_name, name, message, "choose columns of plain types")


class NullablePrimaryKeyColumnCreated:
    """A table that is created with a key has the key's columns NOT NULL."""

    def check(self, action: CreateTable | AlignTable) -> Iterator[Violation]:
        """Yield a violation for every key column of a new table that is missing or nullable."""
        if isinstance(action, AlignTable) or action.primary_key is None:
            return
        solid = {column.name.lower() for column in action.columns if not column.is_nullable}
        for name in action.primary_key.columns:
            if name.lower() not in solid:
                yield violation(
                    self,
                    "DS202",
                    action.table,
                    name,
                    f"primary key column {name} would be created nullable",
                    "declare it with is_nullable=False",
                )


class PrimaryKeyColumnMadeNullable:
    """A plan does not add a key and loosen one of its columns."""

    def check(self, action: CreateTable | AlignTable) -> Iterator[Violation]:
        """Yield a violation for every column of a new key that the same plan loosens."""
        if isinstance(action, CreateTable) or action.add_primary_key is None:
            return
        whole = [change for change in action.change_nullability if not change.fields]
        loosened = {change.name.lower() for change in whole if change.is_nullable}
        for name in action.add_primary_key.columns:
            if name.lower() in loosened:
                yield violation(
                    self,
                    "DS203",
                    action.table,
                    name,
                    f"column {name} would become nullable while the new primary key needs it NOT NULL",
                    "declare it with is_nullable=False, or leave it out of the key",
                )


class NullablePrimaryKeyColumnAdded:
    """A key over a column that the same plan adds needs that column NOT NULL."""

    def check(self, action: CreateTable | AlignTable) -> Iterator[Violation]:
        """Yield a violation for every column of a new key that is added nullable."""
        if isinstance(action, CreateTable) or action.add_primary_key is None:
            return
        key = {name.lower() for name in action.add_primary_key.columns}
        for change in action.add_columns:
            if change.column.name.lower() in key and change.column.is_nullable:
                name = change.column.name
                yield violation(
                    self,
                    "DS204",
                    action.table,
                    name,
                    f"column {name} is new and nullable but part of the new primary key",
                    "add it in one apply, backfill it, then tighten it and add the key in the next",
                )


class NullablePrimaryKeyColumn:
    """A key over existing columns needs them NOT NULL, on the table already or by the same plan."""

    def check(self, action: CreateTable | AlignTable) -> Iterator[Violation]:
        """Yield a violation for every existing column of a new key that stays nullable."""
        if isinstance(action, CreateTable) or action.add_primary_key is None:
            return
        changed = {change.name.lower() for change in action.change_nullability if not change.fields}
        nullable = {column.name.lower() for column in action.observed.columns if column.is_nullable}
        for name in action.add_primary_key.columns:
            if name.lower() in nullable - changed:
                yield violation(
                    self,
                    "DS205",
                    action.table,
                    name,
                    f"column {name} is nullable on the table but part of the new primary key",
                    "declare it with is_nullable=False, so that the plan tightens it first",
                )
