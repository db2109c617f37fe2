"""Rules about primary keys: columns that are missing, repeated, nullable or not comparable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet
from pytest_delta_schema.delta.names.near_names import proposal
from pytest_delta_schema.delta.names.part_path import PartPath, part_path
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import ColumnAdd, ColumnNullabilityChange, ForeignKeyDrop, PrimaryKeyAdd
from pytest_delta_schema.rules.aspects.columns import repeated_names
from pytest_delta_schema.rules.aspects.constraint_columns import incomparable_columns
from pytest_delta_schema.rules.rule import violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table


_KEY = part_path("primary_key")


class InvalidPrimaryKeyColumn:
    """A column of the primary key is not declared, is nullable, or is named twice.

    Remedy: Declare it with ``is_nullable=False``, and name it once.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], primary_key=["id"])
    """

    code = "DS104"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every column of the key that is missing, repeated or nullable."""
        declared = NameMap.of(table.columns)
        for name in repeated_names(table.primary_key):
            yield self._violation(table, name, _KEY, "is named twice", "name it once")
        for name in table.primary_key:
            column = declared.get(name)
            if column is None:
                remedy = proposal(name, [column.name for column in table.columns], "declare it, or fix the key")
                yield self._violation(table, name, _KEY, "is not a column of the model", remedy)
            elif column.is_nullable:
                path = part_path("columns", name)
                yield self._violation(
                    table, name, path, "is nullable in the model", "declare it with is_nullable=False"
                )

    def _violation(self, table: Table, name: str, path: PartPath, fact: str, remedy: str) -> Diagnostic:
        return violation(self, table.qualified_name, path, f"primary key column {name} {fact}", remedy)


class RelyWithoutDataCheck:
    """A key is added with RELY, and no data check runs before it.

    Queries give wrong results if rows violate such a key.

    Remedy: Run the data checks, or declare the key without ``rely``.

    Example:
        settings = Settings(preflight="off")
        stored = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint", is_nullable=False)],
            primary_key=PrimaryKey(["id"], rely=True),
        )
    """

    code = "DS219"

    def __init__(self, *, runs_data_checks: bool = True) -> None:
        self.runs_data_checks = runs_data_checks

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every key that is added with RELY to a table that may have rows."""
        if self.runs_data_checks or isinstance(action, CreateTable):
            return
        remedy = "run with --delta-preflight=count or limit, or declare it without rely"
        key = action.one(PrimaryKeyAdd)
        if key is not None and key.rely:
            message = f"primary key {key.name} is added with RELY, and no data check runs before it"
            yield violation(self, action.table, _KEY, message, remedy)
        dropped = {drop.key for drop in action.all(ForeignKeyDrop)}
        for change in action.foreign_keys:
            if change.key.rely and change.key not in dropped:
                message = f"foreign key {change.key.name} is added with RELY, and no data check runs before it"
                yield violation(self, action.table, change.key.path, message, remedy)


class IncomparablePrimaryKey:
    """A column of the primary key has a type whose values cannot be compared.

    These are maps, variants and everything that holds one.

    Remedy: Choose columns of other types.

    Example:
        column = Column("labels", "map<string,string>", is_nullable=False)
        model = Table("dev", "silver", "orders", [column], primary_key=["labels"])
    """

    code = "DS113"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every column of the key whose type holds a map or a variant."""
        yield from incomparable_columns(self, table, "primary key", list(table.primary_key), _KEY)


class NullablePrimaryKeyColumnCreated:
    """A table is created with a primary key over a nullable column.

    Remedy: Declare the column with ``is_nullable=False``.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], primary_key=["id"])
    """

    code = "DS202"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every key column of a new table that is missing or nullable."""
        if isinstance(action, AlignTable) or action.primary_key is None:
            return
        not_null = NameSet.of(column for column in action.columns if not column.is_nullable)
        for name in action.primary_key.columns:
            if name not in not_null:
                yield violation(
                    self,
                    action.table,
                    part_path("columns", name),
                    f"primary key column {name} would be created nullable",
                    "declare it with is_nullable=False",
                )


class PrimaryKeyColumnMadeNullable:
    """A plan adds a primary key and makes one of its columns nullable.

    Remedy: Declare the column with ``is_nullable=False``, or leave it out of the key.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], primary_key=["id"])
    """

    code = "DS203"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every column of a new key that the same plan makes nullable."""
        new_key = None if isinstance(action, CreateTable) else action.one(PrimaryKeyAdd)
        if isinstance(action, CreateTable) or new_key is None:
            return
        whole = [change for change in action.all(ColumnNullabilityChange) if not change.path.is_nested]
        loosened = NameSet(change.path.root for change in whole if change.is_nullable)
        for name in new_key.columns:
            if name in loosened:
                yield violation(
                    self,
                    action.table,
                    part_path("columns", name),
                    f"column {name} would become nullable while the new primary key needs it NOT NULL",
                    "declare it with is_nullable=False, or leave it out of the key",
                )


class NullablePrimaryKeyColumnAdded:
    """A plan adds a primary key over a nullable column that it adds as well.

    Remedy: Add the column in one apply, fill it, then make it NOT NULL and add the key in the next.

    Example:
        stored = Table("dev", "silver", "orders", [Column("note", "string")])
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("note", "string"), Column("id", "bigint")],
            primary_key=["id"],
        )
    """

    code = "DS204"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every column of a new key that is added nullable."""
        new_key = None if isinstance(action, CreateTable) else action.one(PrimaryKeyAdd)
        if isinstance(action, CreateTable) or new_key is None:
            return
        key = NameSet(new_key.columns)
        for change in action.all(ColumnAdd):
            if change.column.name in key and change.column.is_nullable:
                name = change.column.name
                yield violation(
                    self,
                    action.table,
                    part_path("columns", name),
                    f"column {name} is new and nullable but part of the new primary key",
                    "add it in one apply, fill it, then make it NOT NULL and add the key in the next",
                )


class NullablePrimaryKeyColumn:
    """A plan adds a primary key over a column that stays nullable on the table.

    Remedy: Declare the column with ``is_nullable=False``, so the plan makes it NOT NULL first.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], primary_key=["id"])
    """

    code = "DS205"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every existing column of a new key that stays nullable."""
        new_key = None if isinstance(action, CreateTable) else action.one(PrimaryKeyAdd)
        if isinstance(action, CreateTable) or new_key is None:
            return
        paths = [change.path for change in action.all(ColumnNullabilityChange)]
        changed = NameSet(path.root for path in paths if not path.is_nested)
        nullable = NameSet.of(column for column in action.observed.columns if column.is_nullable)
        for name in new_key.columns:
            if name in nullable and name not in changed:
                yield violation(
                    self,
                    action.table,
                    part_path("columns", name),
                    f"column {name} is nullable on the table but part of the new primary key",
                    "declare it with is_nullable=False, so the plan makes it NOT NULL first",
                )
