"""Say comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.sql.quoting import dotted, identifier, literal
from pytest_delta_schema.sql.statement import Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.changes import SetColumnComments, SetTableComment


def set_column_comments(table: QualifiedName, changes: Sequence[SetColumnComments]) -> Iterator[Statement]:
    """Say all column comments in one statement."""
    lines = ",\n".join(
        f"  {identifier(name)} COMMENT {literal(comment)}"
        for change in changes
        for name, comment in change.comments.items()
    )
    yield Statement(
        table=table,
        kind=StatementKind.COMMENT_COLUMNS,
        sql=f"ALTER TABLE {dotted(table)} ALTER COLUMN\n{lines}",
        changes=tuple(changes),
    )


def set_table_comment(table: QualifiedName, changes: Sequence[SetTableComment]) -> Iterator[Statement]:
    """Say the table's comment."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.COMMENT_TABLE,
            sql=f"COMMENT ON TABLE {dotted(table)} IS {literal(change.comment)}",
            changes=(change,),
        )
