"""Rules about columns: duplicate names, NOT NULL columns on existing tables, and drops."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import COLUMN_MAPPING, MAPPING_PROPERTY
from pytest_delta_schema.delta.names.column_path import ColumnPath, column_path
from pytest_delta_schema.delta.names.folded_names import NameSet, folded
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import ColumnAdd, ColumnDrop
from pytest_delta_schema.rules.consent import DROP_COLUMN, Consent, missing_consents
from pytest_delta_schema.rules.rule import has_feature, violation
from pytest_delta_schema.settings.text import toml_setting
from pytest_delta_schema.state.spark_types import nested_types
from pytest_delta_schema.state.type_traversal import not_null_paths, struct_fields
from pytest_delta_schema.state.types import StructState, children

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.types import DataTypeState


class NoColumns:
    """A table has no columns.

    Nothing can be written to it.

    Remedy: Declare at least one column.

    Example:
        model = Table("dev", "silver", "orders", [])
    """

    code = "DS102"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation if ``table`` has no columns."""
        if not table.columns:
            yield violation(
                self, table.qualified_name, part_path("columns"), "has no columns", "declare at least one Column"
            )


class DuplicateColumn:
    """Two columns, or two fields of one struct, have names that are equal without case.

    Delta matches names without case.

    Remedy: Rename or remove all but one.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("ID", "int")])
    """

    code = "DS103"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every name that is declared more than once."""
        if not any(map(_has_duplicates, _names(table))):
            return
        for paths in _structs(table):
            spellings: dict[ColumnPath, list[ColumnPath]] = {}
            for path in paths:
                spellings.setdefault(path, []).append(path)
            for duplicates in spellings.values():
                if len(duplicates) > 1:
                    listed = ", ".join(map(str, duplicates))
                    message = f"columns {listed} have one name, because names match without case"
                    first = part_path("columns", duplicates[0])
                    yield violation(self, table.qualified_name, first, message, "rename or remove all but one")


class NotNullColumnAdded:
    """A NOT NULL column, or a column with a NOT NULL field, is added to an existing table.

    The existing rows hold NULL in a new column.

    Remedy: Add it nullable, fill it, then declare it NOT NULL.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("state", "string", is_nullable=False)],
        )
    """

    code = "DS201"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every NOT NULL column, or field of one, that is added to an existing table."""
        if isinstance(action, CreateTable):
            return
        for change in action.all(ColumnAdd):
            for path in not_null_paths([change.column], change.above):
                yield violation(
                    self,
                    action.table,
                    part_path("columns", path),
                    f"column {path} is NOT NULL in the model but new on the table",
                    "add it nullable, fill it, then declare it NOT NULL",
                )


class DropWithoutConsent:
    """A column is dropped without consent.

    Its data would be lost.

    Remedy: Declare the column, or consent to the drop by name (``--delta-allow``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("legacy", "string")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DS206"

    def __init__(self, consents: Iterable[Consent] = ()) -> None:
        self.consents = tuple(consents)

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every dropped column without consent."""
        for missing in missing_consents(action, DROP_COLUMN, self.consents):
            dropped = missing.needed.path
            fact = f"column {dropped} is on the table but not in the model, and dropping it loses its data"
            message = "; ".join((fact, *missing.ambiguities))
            yield violation(
                self, action.table, part_path("columns", dropped), message, f"declare it, or {missing.remedy}"
            )


class DropWithoutColumnMapping:
    """A column is dropped from a table without column mapping.

    Delta refuses this (``DELTA_UNSUPPORTED_DROP_COLUMN``, Delta 4.4.0).

    Remedy: Declare the property ``delta.columnMapping.mode``, or let the plan add it (the setting ``enable_features``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("legacy", "string")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DS207"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield one violation that lists the columns to drop from a table without column mapping."""
        if isinstance(action, CreateTable) or not action.all(ColumnDrop):
            return
        if has_feature(MAPPING_PROPERTY, action):
            return
        names = ", ".join(str(change.path) for change in action.all(ColumnDrop))
        yield violation(
            self,
            action.table,
            part_path("columns", action.all(ColumnDrop)[0].path),
            f"columns {names} cannot be dropped, because the table has no column mapping",
            f"declare the property {MAPPING_PROPERTY}='name', or set"
            f" {toml_setting('enable_features', [COLUMN_MAPPING])}; it raises the table's protocol",
        )


def _names(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield the names of the columns, and of the fields of each struct, together.

    Rules test them before they build paths, which only tables with a fault need.
    """
    yield tuple(column.name for column in table.columns)
    for _, data_type in nested_types(table.columns):
        yield from struct_fields(data_type)


def _has_duplicates(names: Collection[str]) -> bool:
    return len(NameSet(names)) < len(names)


def _structs(table: Table) -> Iterator[list[ColumnPath]]:
    """Yield the paths of the columns, and of the fields of each struct, together."""
    yield [column_path(column.name) for column in table.columns]
    for name, data_type in nested_types(table.columns):
        yield from _structs_below(data_type, column_path(name))


def _structs_below(data_type: DataTypeState, path: ColumnPath) -> Iterator[list[ColumnPath]]:
    parts = children(data_type)
    paths = [path.child(part.name) for part in parts]
    if isinstance(data_type, StructState):
        yield paths
    for part, inner in zip(parts, paths, strict=True):
        if not isinstance(part.data_type, str):
            yield from _structs_below(part.data_type, inner)


def repeated_names(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once without case, in lower case and in order."""
    return [name for name, count in Counter(map(folded, names)).items() if count > 1]
