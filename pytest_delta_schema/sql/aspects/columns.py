"""Render columns as SQL: define, rename, add and drop them, and change their nullability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.plan.changes import ColumnAdd, ColumnDrop, ColumnNullabilityChange, ColumnRename
from pytest_delta_schema.sql.aspects.defaults import value_clause
from pytest_delta_schema.sql.aspects.types import type_sql
from pytest_delta_schema.sql.batches import batches
from pytest_delta_schema.sql.quoting import dotted, literal, path_sql
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState


def column_definition(column: ColumnState) -> str:
    """Render the definition of a column of a new table on one line."""
    return _definition(identifier(column.name), column)


def _definition(name: str, column: ColumnState) -> str:
    not_null = "" if column.is_nullable else " NOT NULL"
    comment = f" COMMENT {literal(column.comment)}" if column.comment else ""
    return f"{name} {type_sql(column.data_type)}{not_null}{value_clause(column.value)}{comment}"


def rename_columns(table: QualifiedName, changes: Sequence[ColumnRename]) -> Iterator[Statement]:
    """Render each rename; Spark renames one column in a statement."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.RENAME_COLUMN,
            sql=f"ALTER TABLE {dotted(table)} RENAME COLUMN {path_sql(change.path)} TO {identifier(change.to)}",
            changes=(change,),
        )


def add_columns(table: QualifiedName, changes: Sequence[ColumnAdd]) -> Iterator[Statement]:
    """Render all new columns as one statement; their comments and defaults follow with those of other columns."""
    lines = ",\n".join(
        [f"  {_definition(path_sql(change.path), change.bare)}{_position(change)}" for change in changes]
    )
    yield Statement(
        table=table,
        kind=StatementKind.ADD_COLUMNS,
        sql=f"ALTER TABLE {dotted(table)} ADD COLUMNS (\n{lines}\n)",
        changes=tuple(changes),
    )


def _position(change: ColumnAdd) -> str:
    if change.after is None:
        return ""
    return f" AFTER {identifier(change.after)}" if change.after else " FIRST"


def drop_columns(table: QualifiedName, changes: Sequence[ColumnDrop]) -> Iterator[Statement]:
    """Render all dropped columns as one statement."""
    names = ", ".join(path_sql(change.path) for change in changes)
    yield Statement(
        table=table,
        kind=StatementKind.DROP_COLUMNS,
        sql=f"ALTER TABLE {dotted(table)} DROP COLUMNS ({names})",
        changes=tuple(changes),
    )


def change_nullability(table: QualifiedName, changes: Sequence[ColumnNullabilityChange]) -> Iterator[Statement]:
    """Render DROP NOT NULL and SET NOT NULL, each as one statement if Spark allows it."""
    for kind, is_nullable, clause in (
        (StatementKind.LOOSEN_COLUMNS, True, "DROP NOT NULL"),
        (StatementKind.TIGHTEN_COLUMNS, False, "SET NOT NULL"),
    ):
        for group in batches([change for change in changes if change.is_nullable is is_nullable]):
            lines = ",\n".join([f"  {path_sql(change.path)} {clause}" for change in group])
            sql = f"ALTER TABLE {dotted(table)} ALTER COLUMN\n{lines}"
            yield Statement(table=table, kind=kind, sql=sql, changes=group)


RENDERERS: Renderers = {
    ColumnRename: rename_columns,
    ColumnAdd: add_columns,
    ColumnDrop: drop_columns,
    ColumnNullabilityChange: change_nullability,
}
