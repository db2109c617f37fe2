"""Compare the comments of columns, of fields and of the table; missing and ``""`` are one."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, SetColumnComments, SetTableComment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.names.column_path import ColumnPath
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
        comments.sort(key=_columns_first)
        yield SetColumnComments(comments=MappingProxyType(dict(comments)))
    if difference.desired.table_comment != difference.observed.table_comment:
        yield SetTableComment(comment=difference.desired.table_comment)


def _columns_first(item: tuple[ColumnPath, str]) -> tuple[bool, tuple[str, ...]]:
    path, _ = item
    return path.is_nested, path.folded
