"""The rule about NOT NULL inside arrays and maps, which Delta neither creates nor changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import MAPPING_PROPERTY, is_on
from pytest_delta_schema.delta.names.column_path import TABLE
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import (
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnMove,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
    SetColumnComments,
    SetTableProperties,
)
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.type_traversal import has_not_null_in_collections, not_null_in_collections
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.types import ColumnState

_OF_COLUMNS = (
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnMove,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
    SetColumnComments,
)


class NotNullInCollection:
    """A plan would create or change NOT NULL inside an array or a map, or change a table whose structs have it there.

    Other writers, such as delta-rs, store it; a model declares what its table has. Delta creates none, and never
    changes whether elements of arrays and values of maps may be NULL
    (``DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP``). While a field of a struct there is NOT NULL, Delta refuses every
    other change of columns (``DELTA_NESTED_NOT_NULL_CONSTRAINT``, Delta 4.4.0).

    Remedy: Declare the nullability that the table has, and new parts as nullable. Let a field be NULL in a separate
    apply before other changes.

    Example:
        from pyspark.sql.types import ArrayType, IntegerType

        model = Table(
            "dev", "silver", "orders", [Column("sizes", ArrayType(IntegerType(), containsNull=False))]
        )
    """

    code = "DS106"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every NOT NULL inside an array or a map that Delta does not create or change."""
        if isinstance(action, CreateTable):
            new = [*_inside(action.columns)]
        else:
            new = [path for change in action.all(ColumnAdd) for path in _inside([change.column], change.above)]
        for path in new:
            message = f"column {path} is NOT NULL inside an array or a map, which Delta cannot keep"
            remedy = "declare it nullable: containsNull, valueContainsNull or nullable = True"
            yield violation(self, action.table, part_path("columns", path), message, remedy)
        if isinstance(action, AlignTable):
            yield from self._changed(action)
            yield from self._blocked(action)

    def _changed(self, action: AlignTable) -> Iterator[Diagnostic]:
        for change in action.all(ColumnNullabilityChange):
            types = [column.data_type for column in _above(action, change.path) if column is not None]
            if not any(isinstance(above, ArrayState | MapState) for above in types):
                continue
            if change.is_nullable and isinstance(types[-1], StructState):
                continue
            stored, wanted = ("not null", "nullable") if change.is_nullable else ("nullable", "not null")
            fact = f"column {change.path} is {stored} on the table and {wanted} in the model"
            message = f"{fact}, which Delta does not change inside an array or a map"
            yield violation(self, action.table, part_path("columns", change.path), message, f"declare it as {stored}")

    def _blocked(self, action: AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation if columns change while a field of a struct is NOT NULL inside an array or a map.

        All changes of nullability are one statement.
        """
        fields = {path for path in _inside(action.observed.columns) if _is_field(action, path)}
        if not fields:
            return
        relaxed = {change.path for change in action.all(ColumnNullabilityChange) if change.is_nullable}
        for change in action.changes:
            if isinstance(change, ColumnNullabilityChange):
                fields -= relaxed
            if fields and _changes_columns(change):
                listed = ", ".join(map(str, sorted(fields)))
                fact = f"column {listed} is NOT NULL inside an array or a map"
                fact = f"{fact}, and until it is nullable, Delta changes neither columns nor column mapping"
                remedy = "declare it nullable, and apply that before anything else"
                yield violation(self, action.table, part_path("columns", min(fields)), fact, remedy)
                return


def _inside(columns: Iterable[ColumnState], above: ColumnPath = TABLE) -> Iterator[ColumnPath]:
    for column in columns:
        if has_not_null_in_collections(column.data_type):
            yield from not_null_in_collections(column.data_type, above.child(column.name))


def _above(action: AlignTable, path: ColumnPath) -> list[ColumnState | None]:
    """Return the parts of a stored column that hold a part of it, from the column on."""
    return [find(action.observed.columns, prefix) for prefix in path.parent.prefixes()]


def _is_field(action: AlignTable, path: ColumnPath) -> bool:
    holder = _above(action, path)[-1]
    return holder is not None and isinstance(holder.data_type, StructState)


def _changes_columns(change: Change) -> bool:
    if isinstance(change, SetTableProperties):
        return is_on(MAPPING_PROPERTY, change.properties)
    return isinstance(change, _OF_COLUMNS)
