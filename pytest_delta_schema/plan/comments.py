"""Compare the comments of columns and of the table; missing and ``""`` are one."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, SetColumnComments, SetTableComment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.difference import Difference


def comment_changes(difference: Difference) -> Iterator[Change]:
    """Yield the column comments to set, new columns included, and the table's comment."""
    comments = {
        observed.name: desired.comment
        for desired, observed in difference.changed
        if desired.comment != observed.comment
    }
    for column in difference.added:
        if column.comment:
            comments[column.name] = column.comment
    if comments:
        yield SetColumnComments(comments=MappingProxyType(dict(sorted(comments.items(), key=_by_name))))
    if difference.desired.table_comment != difference.observed.table_comment:
        yield SetTableComment(comment=difference.desired.table_comment)


def _by_name(item: tuple[str, str]) -> str:
    return item[0].lower()
