"""Compare the comments of columns, of fields and of the table; missing and ``""`` are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, SetTableComment
from pytest_delta_schema.plan.changes.comments import comments_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.column_path import ColumnPath
    from pytest_delta_schema.plan.difference import Difference


def comment_changes(difference: Difference) -> Iterator[Change]:
    """Yield the comments of columns and fields to set, new ones included, and the table's comment."""
    comments = [
        (pair.path, pair.desired.comment)
        for pair in difference.changed
        if pair.desired.comment != pair.observed.comment
    ]
    comments += [(placed.path, placed.column.comment) for placed in difference.added if placed.column.comment]
    if comments:
        comments.sort(key=_by_path)
        yield comments_at(dict(comments))
    if difference.desired.table_comment != difference.observed.table_comment:
        yield SetTableComment(comment=difference.desired.table_comment)


def _by_path(item: tuple[ColumnPath, str]) -> tuple[str, ...]:
    return item[0].folded
