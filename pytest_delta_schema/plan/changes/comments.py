"""Changes of comments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import CHANGE
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare, require_change
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.states import TableState

__all__ = ["SetColumnComments", "SetTableComment"]


def _column_lines(change: SetColumnComments, observed: TableState) -> Iterator[ChangeLine]:
    for path, comment in change.comments.items():
        column = find(observed.columns, path)
        before = column.comment if column else ""
        yield ChangeLine(CHANGE, part_path("columns", path, "comment"), repr(before), repr(comment))


class ColumnCommentDiffers:
    """A column or a field has another comment in the table than in the model.

    Remedy: Apply the model, or declare the comment that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint", comment="Order ID")])
    """

    code = "DD118"


@declare(
    ChangeKind(
        aspect="comments",
        drift=ColumnCommentDiffers,
        step=Step.SET_COLUMN_COMMENTS,
        risk=Risk.METADATA,
        describe=_column_lines,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SetColumnComments:
    """Set the comments of columns and fields, new ones included.

    Args:
        comments: Comments by path, those of columns before those of fields; ``""`` clears one.
    """

    comments: Mapping[ColumnPath, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.comments))


def _table_lines(change: SetTableComment, observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(CHANGE, part_path("comment"), repr(observed.table_comment), repr(change.comment))


class TableCommentDiffers:
    """The table has another comment than the model.

    Remedy: Apply the model, or declare the comment that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], comment="One row an order")
    """

    code = "DD119"


@declare(
    ChangeKind(
        aspect="comments",
        drift=TableCommentDiffers,
        step=Step.SET_TABLE_COMMENT,
        risk=Risk.METADATA,
        describe=_table_lines,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableComment:
    """Set the table's comment; ``""`` clears it."""

    comment: str


CommentsChange = Union[SetColumnComments, SetTableComment]  # noqa: UP007 - a union at run time
