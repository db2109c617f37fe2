"""The commits that introduced columns, if the history of a table reaches that far."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_delta_schema.delta.names.column_path import ColumnPath


class IntroducedBy(NamedTuple):
    """The commit that introduced a column, or a field.

    Args:
        path: Of the column.
        version: Of the commit.
        operation: Its name in the history, such as ``WRITE`` or ``ADD COLUMNS``.
        time: In UTC, to the second.
        user_metadata: The text that the writer gave to the commit; ``""`` for none.
    """

    path: ColumnPath
    version: int
    operation: str
    time: str
    user_metadata: str = ""
