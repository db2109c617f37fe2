"""Changes of comments."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.column_path import ColumnPath, column_path
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare, require_change
from pytest_delta_schema.plan.changes.lines import CHANGE, ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.plan.actions import AlignTable

__all__ = ["SetColumnComments", "SetTableComment"]


def _column_lines(change: SetColumnComments, action: AlignTable) -> Iterator[ChangeLine]:
    for path, comment in change.by_path.items():
        column = find(action.observed.columns, path)
        before = column.comment if column else ""
        yield ChangeLine(CHANGE, f"columns.{path}.comment", repr(before), repr(comment))


@declare(ChangeKind(aspect="comments", step=Step.SET_COLUMN_COMMENTS, risk=Risk.METADATA, describe=_column_lines))
@dataclass(frozen=True, slots=True, kw_only=True)
class SetColumnComments:
    """Set the comments of columns, and of fields by their paths, new ones included; ``""`` clears one.

    Args:
        comments: Comments by name of the column.
        fields: Comments by path of the field.
    """

    comments: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    fields: Mapping[ColumnPath, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        require_change(self, bool(self.comments or self.fields))

    @property
    def by_path(self) -> dict[ColumnPath, str]:
        """All comments by path, those of columns first."""
        return {**{column_path(name): comment for name, comment in self.comments.items()}, **self.fields}


def comments_at(comments: Mapping[ColumnPath, str]) -> SetColumnComments:
    """Return the change that sets the comments at some paths."""
    columns: dict[str, str] = {}
    fields: dict[ColumnPath, str] = {}
    for path, comment in comments.items():
        if path.is_nested:
            fields[path] = comment
        else:
            columns[path.root] = comment
    return SetColumnComments(comments=MappingProxyType(columns), fields=MappingProxyType(fields))


def _table_lines(change: SetTableComment, action: AlignTable) -> Iterator[ChangeLine]:
    yield ChangeLine(CHANGE, "comment", repr(action.observed.table_comment), repr(change.comment))


@declare(ChangeKind(aspect="comments", step=Step.SET_TABLE_COMMENT, risk=Risk.METADATA, describe=_table_lines))
@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableComment:
    """Set the table's comment; ``""`` clears it."""

    comment: str


CommentsChange = Union[SetColumnComments, SetTableComment]  # noqa: UP007 - a union at run time
