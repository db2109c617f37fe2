"""The parts of a table: the aspects that a contract manages, and the paths that reports show."""

from __future__ import annotations

from typing import Literal, NewType

from pytest_delta_schema.delta.names.column_path import ColumnPath, first_part, path_text

PartPath = NewType("PartPath", str)
"""What :func:`part_path` has built; ``""`` is the table itself."""

WHOLE_TABLE = PartPath("")
"""The path of the table itself."""

Aspect = Literal[
    "columns",
    "types",
    "defaults",
    "primary_keys",
    "unique",
    "foreign_keys",
    "checks",
    "comments",
    "properties",
    "layout",
    "tags",
]
"""A part of a table that a contract can manage on its own."""

Part = Literal[
    "columns",
    "primary_key",
    "unique",
    "checks",
    "foreign_keys",
    "layout",
    "comment",
    "tags",
    "properties",
    "clients",
    "deprecated",
    "features",
    "format",
    "metadata",
]
"""The first parts of paths, in the order in which reports show them.

``features`` is the protocol of a table, ``format`` its files, ``metadata`` its catalog entry.
"""


def part_path(part: Part, name: str | ColumnPath = "", *attributes: str) -> PartPath:
    """Return the path of a part of a table.

    Names and parts of column paths have back-quotes around them if they hold other characters than letters, digits,
    ``_`` and ``-``; the keys of properties and tags, and the names of constraints, never do, because they come last.

    ``attributes`` are what of a column it is, such as ``comment``, or ``tags`` and a key.
    """
    if not name:
        return PartPath(part)
    if part == "columns":
        name = path_text(name.parts if isinstance(name, ColumnPath) else (name,))
    return PartPath(".".join((part, str(name), *attributes)))


def column_of(path: str) -> tuple[str, str]:
    """Return the name of the column to which a path leads, and what of it: ``tags.pii``; else two empty strings."""
    part, _, rest = path.partition(".")
    if part != "columns" or not rest:
        return "", ""
    name, below = first_part(rest)
    return name.name, below
