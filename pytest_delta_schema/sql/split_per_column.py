"""Split a statement that alters several columns into one for each column, for backends that accept no more."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, SetColumnComments
from pytest_delta_schema.sql.compiler import renderer_of
from pytest_delta_schema.sql.statement import Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator

TOGETHER = frozenset(
    {
        StatementKind.CHANGE_TYPES,
        StatementKind.CHANGE_DEFAULTS,
        StatementKind.COMMENT_COLUMNS,
        StatementKind.LOOSEN_COLUMNS,
        StatementKind.TIGHTEN_COLUMNS,
    }
)
"""Kinds of statements that alter several columns at once."""


def statements_per_column(statement: Statement) -> tuple[Statement, ...]:
    """Return statements that together do the same, each for one column or one field.

    Args:
        statement: Any statement; only those that alter several columns are split.
    """
    if statement.kind not in TOGETHER:
        return (statement,)
    singles = [single for change in statement.changes for single in _singles(change)]
    return tuple(rendered for single in singles for rendered in renderer_of(type(single))(statement.table, (single,)))


def _singles(change: object) -> Iterator[Change]:
    if not isinstance(change, SetColumnComments):
        yield change  # type: ignore[misc] # statements that alter columns make changes only
        return
    for path, comment in change.comments.items():
        yield SetColumnComments(comments=MappingProxyType({path: comment}))
