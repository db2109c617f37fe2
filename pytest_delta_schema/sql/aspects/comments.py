"""Render comments as SQL."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import SetColumnComments, SetTableComment
from pytest_delta_schema.sql.batches import batched_paths
from pytest_delta_schema.sql.quoting import dotted, literal, path_sql
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName


def set_column_comments(table: QualifiedName, changes: Sequence[SetColumnComments]) -> Iterator[Statement]:
    """Render the comments of columns and fields as one statement, or as few as Spark allows."""
    for change in changes:
        for part in _parts(change):
            comments = part.comments.items()
            lines = ",\n".join([f"  {path_sql(path)} COMMENT {literal(comment)}" for path, comment in comments])
            yield Statement(
                table=table,
                kind=StatementKind.COMMENT_COLUMNS,
                sql=f"ALTER TABLE {dotted(table)} ALTER COLUMN\n{lines}",
                changes=(part,),
            )


def _parts(change: SetColumnComments) -> list[SetColumnComments]:
    """Divide a change so that no part has a column together with something below it."""
    comments = change.comments
    groups = batched_paths(comments)
    if len(groups) == 1:
        return [change]
    return [SetColumnComments(comments=MappingProxyType({path: comments[path] for path in group})) for group in groups]


def set_table_comment(table: QualifiedName, changes: Sequence[SetTableComment]) -> Iterator[Statement]:
    """Render the comment of the table."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.COMMENT_TABLE,
            sql=f"COMMENT ON TABLE {dotted(table)} IS {literal(change.comment)}",
            changes=(change,),
        )


RENDERERS: Renderers = {SetColumnComments: set_column_comments, SetTableComment: set_table_comment}
