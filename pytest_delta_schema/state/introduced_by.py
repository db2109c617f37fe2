"""Where columns came from, as far as the history of a table tells."""

from __future__ import annotations

from typing import NamedTuple


class IntroducedBy(NamedTuple):
    """The commit that brought a column, or a field.

    Args:
        path: Of the column.
        version: Of the commit.
        operation: What the history calls it, such as ``WRITE`` or ``ADD COLUMNS``.
        time: When, in UTC, to the second.
        user_metadata: What the writer said about it; ``""`` for nothing.
    """

    path: tuple[str, ...]
    version: int
    operation: str
    time: str
    user_metadata: str = ""
