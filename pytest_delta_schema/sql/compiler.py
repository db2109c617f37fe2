"""Compile actions to statements, in the same way for snapshots, plans and execution."""

from __future__ import annotations

from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.text import note_on
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import SetColumnComments
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.renderers import (
    RENDERERS,
    check_properties,
    column_definition,
    create_schema,
    create_table,
)
from pytest_delta_schema.sql.statement import TOGETHER, Renderer, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.kinds import Change


def statements(action: CreateTable | AlignTable) -> tuple[Statement, ...]:
    """Compile an action to the statements that do it, in order."""
    if isinstance(action, CreateTable):
        return tuple(_creation(action))
    result: list[Statement] = []
    for kind, group in groupby(action.changes, type):
        result += _renderer_of(kind)(action.table, tuple(group))
    return tuple(result)


def rendered(table: QualifiedName, change: Change) -> Iterator[Statement]:
    """Yield the statements that make one change."""
    return _renderer_of(type(change))(table, (change,))


def _renderer_of(kind: type) -> Renderer:
    renderer = RENDERERS.get(kind)
    if renderer is None:
        msg = f"{kind.__name__} has no renderer; add one in sql/renderers.py"
        raise TypeError(msg)
    return renderer


def script(statements: Iterable[Statement]) -> str:
    """Join statements to a script: each ends with a semicolon, with a blank line between two.

    A comment before a statement shows the names in it that contain hidden characters.
    """
    notes = [(note_on(statement.sql), statement.sql) for statement in statements]
    return "\n\n".join(f"-- {note}\n{sql};" if note else f"{sql};" for note, sql in notes)


def _creation(action: CreateTable) -> Iterator[Statement]:
    table = action.table
    if action.creates_schema:
        sql = create_schema(*table.written[:2])
        yield Statement(table=table, kind=StatementKind.CREATE_SCHEMA, sql=sql)
    properties = {**action.table_properties, **check_properties(action.checks)}
    sql = create_table(dotted(table), map(column_definition, action.columns), action, properties)
    yield Statement(table=table, kind=StatementKind.CREATE_TABLE, sql=sql, changes=(action,))
    for change in (*action.keys, *action.following, *action.foreign_keys):
        yield from rendered(table, change)


def statements_per_column(statement: Statement) -> tuple[Statement, ...]:
    """Return statements that together do the same, each for one column or one field."""
    if statement.kind not in TOGETHER:
        return (statement,)
    singles: list[Any] = []
    for change in statement.changes:
        if isinstance(change, SetColumnComments):
            parts = ({path: comment} for path, comment in change.comments.items())
            singles += [SetColumnComments(comments=MappingProxyType(part)) for part in parts]
        else:
            singles.append(change)
    return tuple(part for single in singles for part in rendered(statement.table, single))
