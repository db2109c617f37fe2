"""The way a write takes into a table, which decides more than the schemas do.

Run on Delta 4.4.0 with Spark 4.2.0, every way with every option; what older versions do is taken from their sources.
"""

from __future__ import annotations

from typing import NamedTuple

from pytest_delta_schema.errors import DeclarationError

SAVE, SAVE_AS_TABLE, INSERT_INTO, WRITE_TO, WRITE_STREAM = VIAS = (
    "save",
    "save_as_table",
    "insert_into",
    "write_to",
    "write_stream",
)
"""``df.write.save(path)``, ``df.write.saveAsTable``, ``df.write.insertInto``, ``df.writeTo``, ``df.writeStream``."""

APPEND, OVERWRITE = MODES = ("append", "overwrite")

_CASTS_BY_NAME = (4, 3)
"""Since this version of Delta, frames that are written by a table's name are cast to its types."""

_CASTS_STREAMS = (3, 3)


class WriteCall(NamedTuple):
    """How a frame reaches a table.

    Args:
        via: The call that writes.
        replaces: Whether the frame's schema and partitioning replace those of the table.
        merges: Whether the table's schema may evolve.
        by_position: Whether columns are matched by their place and not by their name.
        casts: Whether values are cast to the types of the table.
        fills: Whether Delta is given NULL for columns that the frame lacks; else it looks for those that it needs.
        version: Delta's version, major and minor.
    """

    via: str
    replaces: bool
    merges: bool
    by_position: bool
    casts: bool
    fills: bool
    version: tuple[int, int]


def write_call(  # noqa: PLR0913 - the settings of a writer
    via: str,
    mode: str,
    *,
    merge_schema: bool,
    overwrite_schema: bool,
    auto_merge: bool,
    version: tuple[int, int],
) -> WriteCall:
    """Return the way that a write takes.

    Raises:
        DeclarationError: If there is no such call or mode.
    """
    if via not in VIAS:
        msg = f"via is {via!r}; write one of {', '.join(VIAS)}"
        raise DeclarationError(msg)
    if mode not in MODES or (via == WRITE_STREAM and mode != APPEND):
        msg = f"mode is {mode!r} for {via}; write {APPEND if via == WRITE_STREAM else ' or '.join(MODES)}"
        raise DeclarationError(msg)
    by_position = via == INSERT_INTO
    by_name_of_table = via == WRITE_TO or (via == SAVE_AS_TABLE and mode == APPEND)
    casts = by_position or (by_name_of_table and version >= _CASTS_BY_NAME and not overwrite_schema)
    return WriteCall(
        via=via,
        replaces=overwrite_schema and mode == OVERWRITE,
        merges=merge_schema or auto_merge,
        by_position=by_position,
        casts=casts or (via == WRITE_STREAM and version >= _CASTS_STREAMS),
        fills=by_name_of_table,
        version=version,
    )
