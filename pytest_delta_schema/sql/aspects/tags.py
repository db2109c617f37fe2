"""Render tags as SQL of Databricks; keys and values are literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import SetTags, UnsetTags
from pytest_delta_schema.sql.aspects.properties import property_lines
from pytest_delta_schema.sql.quoting import dotted, literal, path_sql
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName


def set_tags(table: QualifiedName, changes: Sequence[SetTags]) -> Iterator[Statement]:
    """Render all tags to set: a statement for the table and one for each column."""
    for change in changes:
        sql = f"{_subject(table, change.path)} SET TAGS (\n{property_lines(change.tags)}\n)"
        yield Statement(table=table, kind=StatementKind.SET_TAGS, sql=sql, changes=(change,))


def unset_tags(table: QualifiedName, changes: Sequence[UnsetTags]) -> Iterator[Statement]:
    """Render all tags to remove: a statement for the table and one for each column."""
    for change in changes:
        sql = f"{_subject(table, change.path)} UNSET TAGS ({', '.join(map(literal, change.keys))})"
        yield Statement(table=table, kind=StatementKind.UNSET_TAGS, sql=sql, changes=(change,))


def _subject(table: QualifiedName, path: ColumnPath) -> str:
    column = f" ALTER COLUMN {path_sql(path)}" if path else ""
    return f"ALTER TABLE {dotted(table)}{column}"


RENDERERS: Renderers = {UnsetTags: unset_tags, SetTags: set_tags}
