"""The one way from actions to statements, for snapshots, plans and execution alike."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.plan import actions
from pytest_delta_schema.sql.columns import add_columns, change_nullability, column_definition, drop_columns
from pytest_delta_schema.sql.comments import set_column_comments, set_table_comment
from pytest_delta_schema.sql.constraints import (
    add_check,
    add_primary_key,
    check_properties,
    drop_check,
    drop_primary_key,
)
from pytest_delta_schema.sql.properties import property_lines, set_properties, unset_properties
from pytest_delta_schema.sql.queries import create_schema
from pytest_delta_schema.sql.quoting import dotted, literal
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.sql.types import change_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.models.names import QualifiedName

RENDERERS: Mapping[type[actions.Change], Callable[[QualifiedName, Sequence[Any]], Iterator[Statement]]] = {
    actions.PrimaryKeyDrop: drop_primary_key,
    actions.CheckDrop: drop_check,
    actions.CheckAdd: add_check,
    actions.ColumnAdd: add_columns,
    actions.ColumnTypeChange: change_types,
    actions.ColumnDrop: drop_columns,
    actions.ColumnNullabilityChange: change_nullability,
    actions.PrimaryKeyAdd: add_primary_key,
    actions.SetColumnComments: set_column_comments,
    actions.SetTableComment: set_table_comment,
    actions.SetTableProperties: set_properties,
    actions.UnsetTableProperties: unset_properties,
}
"""Who says which change; changes of one kind are said together, because each statement costs one commit."""

_BEFORE_CHECKS = (actions.PrimaryKeyDrop, actions.CheckDrop, actions.SetTableProperties)


def statements(action: actions.CreateTable | actions.AlignTable) -> tuple[Statement, ...]:
    """Compile an action to the statements that do it, in order."""
    if isinstance(action, actions.CreateTable):
        return tuple(_creation(action))
    return tuple(
        statement
        for kind, changes in groupby(_steps(action.changes), type)
        for statement in RENDERERS[kind](action.table, tuple(changes))
    )


def script(said: Iterable[Statement]) -> str:
    """Join statements to a script: each ends with a semicolon, a blank line stands between."""
    return "\n\n".join(f"{statement.sql};" for statement in said)


def _steps(changes: Sequence[actions.Change]) -> Sequence[actions.Change]:
    """Take each replacement of a check apart: the old one goes before any column changes, the new one comes after."""
    replaced = [change for change in changes if isinstance(change, actions.CheckReplace)]
    if not replaced:
        return changes
    first = next(index for index, change in enumerate(changes) if not isinstance(change, _BEFORE_CHECKS))
    drops = [actions.CheckDrop(name=each.before.name, expression=each.before.expression) for each in replaced]
    rest = [
        actions.CheckAdd(name=change.after.name, expression=change.after.expression)
        if isinstance(change, actions.CheckReplace)
        else change
        for change in changes[first:]
    ]
    return [*changes[:first], *drops, *rest]


def _creation(action: actions.CreateTable) -> Iterator[Statement]:
    table = action.table
    if action.creates_schema:
        sql = create_schema(table.catalog, table.schema)
        yield Statement(table=table, kind=StatementKind.CREATE_SCHEMA, sql=sql)
    columns = ",\n".join(f"  {column_definition(column)}" for column in action.columns)
    clauses = [f"CREATE TABLE IF NOT EXISTS {dotted(table)} (\n{columns}\n)", "USING DELTA"]
    if action.table_comment:
        clauses.append(f"COMMENT {literal(action.table_comment)}")
    properties = {**action.table_properties, **check_properties(action.checks)}
    if properties:
        clauses.append(f"TBLPROPERTIES (\n{property_lines(properties)}\n)")
    yield Statement(table=table, kind=StatementKind.CREATE_TABLE, sql="\n".join(clauses), changes=(action,))
    if action.primary_key is not None:
        yield from add_primary_key(table, (action.primary_key,))
