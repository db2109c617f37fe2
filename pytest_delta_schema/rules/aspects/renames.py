"""Rules about renames: hints that have no effect, and renames without column mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import COLUMN_MAPPING, MAPPING_PROPERTY
from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import ColumnRename
from pytest_delta_schema.plan.renames import resolve_renames
from pytest_delta_schema.rules.rule import has_feature, violation
from pytest_delta_schema.settings.text import toml_setting
from pytest_delta_schema.state.desired import desired_state, rename_hints
from pytest_delta_schema.state.types import children, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table


class InvalidRenameHint:
    """A ``renamed_from`` names a declared column, differs from the name in case only, or is given twice.

    Such a hint has no effect on any catalog.

    Remedy: Remove it.

    Example:
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("number", "int", renamed_from="id")],
        )
    """

    code = "DS117"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every hint that has no effect on any catalog."""
        hints = rename_hints(table.columns)
        if not hints:
            return
        columns = desired_state(table).columns
        seen: dict[ColumnPath, str] = {}
        for hint in hints:
            path = str(hint.path)
            parent = find(columns, hint.path.parent)
            siblings = children(parent.data_type) if parent is not None else columns
            old = hint.path.parent.child(hint.old)
            twin = seen.setdefault(old, path)
            fact = None
            if old == hint.path:
                fact = "which differs in case only, and names match without case"
            elif hint.old in NameSet.of(siblings):
                fact = "which the model declares as well"
            elif twin != path:
                fact = f"and so is {twin}"
            if fact is not None:
                message = f"column {path} is renamed from {hint.old}, {fact}"
                yield violation(self, table.qualified_name, part_path("columns", hint.path), message, "remove the hint")


class UnusableRenameHint:
    """A ``renamed_from`` cannot be used, because both names or none of them are on the table.

    Remedy: Remove the hint, or change the table by hand.

    Example:
        stored = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("nr", "int"), Column("number", "int")],
        )
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("number", "int", renamed_from="nr")],
        )
    """

    code = "DS210"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every hint that the columns of the table contradict."""
        if isinstance(action, CreateTable):
            return
        for hint, reason in resolve_renames(action.desired.renames, action.observed.columns).unusable:
            path = part_path("columns", hint.path)
            message = f"column {hint.path} is renamed from {hint.old}, but {reason}"
            yield violation(self, action.table, path, message, "remove the hint, or change the table by hand")


class RenameWithoutColumnMapping:
    """A column is renamed on a table without column mapping.

    Delta refuses this (``DELTA_UNSUPPORTED_RENAME_COLUMN``, Delta 4.4.0).

    Remedy: Declare the property ``delta.columnMapping.mode``, or let the plan add it (the setting ``enable_features``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("nr", "int")])
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("number", "int", renamed_from="nr")],
        )
    """

    code = "DS211"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield one violation that lists the columns to rename on a table without column mapping."""
        if isinstance(action, CreateTable) or not action.all(ColumnRename) or has_feature(MAPPING_PROPERTY, action):
            return
        paths = [change.path for change in action.all(ColumnRename)]
        yield violation(
            self,
            action.table,
            part_path("columns", paths[0]),
            f"columns {', '.join(map(str, paths))} cannot be renamed, because the table has no column mapping",
            f"declare the property {MAPPING_PROPERTY}='name', or set"
            f" {toml_setting('enable_features', [COLUMN_MAPPING])}; it raises the table's protocol",
        )
