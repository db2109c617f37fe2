"""The one way from actions to statements, for snapshots, plans and execution alike."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.escaping import note_on
from pytest_delta_schema.plan import changes
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.sql.columns import (
    add_columns,
    change_nullability,
    column_definition,
    drop_columns,
    rename_columns,
)
from pytest_delta_schema.sql.comments import set_column_comments, set_table_comment
from pytest_delta_schema.sql.constraints import (
    add_check,
    add_primary_key,
    check_properties,
    drop_check,
    drop_primary_key,
)
from pytest_delta_schema.sql.conversion import convert_table
from pytest_delta_schema.sql.defaults import change_defaults, change_generation
from pytest_delta_schema.sql.foreign_keys import add_foreign_key, drop_foreign_key
from pytest_delta_schema.sql.layout import change_clustering, layout_clauses, move_columns, rewrite_layout
from pytest_delta_schema.sql.properties import property_lines, set_properties, unset_properties
from pytest_delta_schema.sql.quoting import dotted, literal
from pytest_delta_schema.sql.schemas_and_restores import create_schema
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.sql.tags import set_tags, unset_tags
from pytest_delta_schema.sql.types import change_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.models.names import QualifiedName

RENDERERS: Mapping[type[changes.Change], Callable[[QualifiedName, Sequence[Any]], Iterator[Statement]]] = {
    changes.ConvertTable: convert_table,
    changes.ForeignKeyDrop: drop_foreign_key,
    changes.PrimaryKeyDrop: drop_primary_key,
    changes.CheckDrop: drop_check,
    changes.CheckAdd: add_check,
    changes.ColumnRename: rename_columns,
    changes.ColumnAdd: add_columns,
    changes.ColumnTypeChange: change_types,
    changes.ClusteringChange: change_clustering,
    changes.LayoutRewrite: rewrite_layout,
    changes.ColumnDrop: drop_columns,
    changes.ColumnMove: move_columns,
    changes.ColumnDefaultChange: change_defaults,
    changes.ColumnGenerationChange: change_generation,
    changes.ColumnNullabilityChange: change_nullability,
    changes.PrimaryKeyAdd: add_primary_key,
    changes.SetColumnComments: set_column_comments,
    changes.SetTableComment: set_table_comment,
    changes.SetTableProperties: set_properties,
    changes.UnsetTableProperties: unset_properties,
    changes.UnsetTags: unset_tags,
    changes.SetTags: set_tags,
    changes.ForeignKeyAdd: add_foreign_key,
}
"""Who says which change; changes of one kind are said together, because each statement costs one commit."""

_BEFORE_CHECKS = (
    changes.ConvertTable,
    changes.ForeignKeyDrop,
    changes.PrimaryKeyDrop,
    changes.CheckDrop,
    changes.SetTableProperties,
)


def statements(action: CreateTable | AlignTable) -> tuple[Statement, ...]:
    """Compile an action to the statements that do it, in order."""
    if isinstance(action, CreateTable):
        return tuple(_creation(action))
    return tuple(
        statement
        for kind, group in groupby(_steps(action.changes), type)
        for statement in RENDERERS[kind](action.table, tuple(group))
    )


def script(said: Iterable[Statement]) -> str:
    """Join statements to a script: each ends with a semicolon, a blank line stands between.

    A comment in front of a statement shows the names in it that hold something hidden.
    """
    return "\n\n".join(f"{_comment(note_on(statement.sql))}{statement.sql};" for statement in said)


def _comment(note: str) -> str:
    return f"-- {note}\n" if note else ""


def _steps(planned: Sequence[changes.Change]) -> Sequence[changes.Change]:
    """Take each replacement of a check apart: the old one goes before any column changes, the new one comes after."""
    replaced = [change for change in planned if isinstance(change, changes.CheckReplace)]
    if not replaced:
        return planned
    first = next(index for index, change in enumerate(planned) if not isinstance(change, _BEFORE_CHECKS))
    drops = [changes.CheckDrop(name=each.before.name, expression=each.before.expression) for each in replaced]
    rest = [
        changes.CheckAdd(name=change.after.name, expression=change.after.expression)
        if isinstance(change, changes.CheckReplace)
        else change
        for change in planned[first:]
    ]
    return [*planned[:first], *drops, *rest]


def _creation(action: CreateTable) -> Iterator[Statement]:
    table = action.table
    if action.creates_schema:
        sql = create_schema(*table.written[:2])
        yield Statement(table=table, kind=StatementKind.CREATE_SCHEMA, sql=sql)
    columns = ",\n".join(f"  {column_definition(column)}" for column in action.columns)
    clauses = [f"CREATE TABLE IF NOT EXISTS {dotted(table)} (\n{columns}\n)", "USING DELTA"]
    clauses += layout_clauses(action.partitioning, action.clustering)
    if action.table_comment:
        clauses.append(f"COMMENT {literal(action.table_comment)}")
    properties = {**action.table_properties, **check_properties(action.checks)}
    if properties:
        clauses.append(f"TBLPROPERTIES (\n{property_lines(properties)}\n)")
    yield Statement(table=table, kind=StatementKind.CREATE_TABLE, sql="\n".join(clauses), changes=(action,))
    if action.primary_key is not None:
        yield from add_primary_key(table, (action.primary_key,))
    yield from set_tags(table, action.tags)
    yield from add_foreign_key(table, action.foreign_keys)
