"""The treatment of a frame by Spark and Delta, which depends on the method that writes it.

Measured on Delta 4.4.0 with Spark 4.2.0, every method with every option; for older versions the source is their code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import DeclarationError

if TYPE_CHECKING:
    from pytest_delta_schema.write_check.options import WriteMethod, WriteOptions

_CASTS_BY_NAME = (4, 3)
"""Since this version, Delta casts frames that are written to a table by its name."""

_CASTS_STREAMS = (3, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteSemantics:
    """The treatment of the columns of a frame by a write."""

    method: WriteMethod
    replaces_schema: bool
    """Whether the frame's schema and partitioning replace those of the table."""
    merges_schema: bool
    """Whether the table's schema may evolve."""
    by_position: bool
    """Whether columns are matched by position and not by name."""
    casts: bool
    fills_missing: bool
    """Whether Spark gives Delta NULL for columns that the frame lacks; if not, Delta raises for those that it needs."""
    version: tuple[int, int]


def write_semantics(options: WriteOptions, version: tuple[int, int]) -> WriteSemantics:
    """Return how a write treats a frame."""
    method, overwrites = options.method, options.mode == "overwrite"
    is_insert = method == "sql_insert"
    by_position = method == "insert_into" or (is_insert and options.by == "position")
    by_name = method == "write_to" or (method == "save_as_table" and not overwrites)
    casts = by_position or is_insert or (by_name and version >= _CASTS_BY_NAME and not options.overwrite_schema)
    return WriteSemantics(
        method=method,
        replaces_schema=options.overwrite_schema and overwrites and options.replace_where is None,
        merges_schema=options.merge_schema or options.auto_merge or options.evolves,
        by_position=by_position,
        casts=casts or (method == "write_stream" and version >= _CASTS_STREAMS),
        fills_missing=by_name or (is_insert and not by_position),
        version=version,
    )


def require_version(version: object) -> None:
    """Raise a ``DeclarationError`` if a version of Delta is not one."""
    if not (isinstance(version, tuple) and version and all(isinstance(part, int) for part in version)):
        msg = f"version is {version!r}; write the major and minor version of Delta, such as (4, 0)"
        raise DeclarationError(msg)
