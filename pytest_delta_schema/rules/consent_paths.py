"""Paths of consents: names with dots between them, in back-quotes if they are more than a word."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.column_path import path_text, quoted, split_path
from pytest_delta_schema.delta.names.folded_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANY_PARTS = "**"
"""In patterns: any number of parts, none included."""

_NOT_BARE = frozenset("'\"\\")
_WILDCARDS = frozenset("*?[")


class PathPart(NamedTuple):
    """One name in a path."""

    name: str
    """The name, in lower case, without back-quotes."""
    is_quoted: bool = False
    """Whether it is in back-quotes, so it has no wildcards."""

    @property
    def has_wildcards(self) -> bool:
        """Whether it is a pattern of names, where patterns are allowed."""
        return not self.is_quoted and not _WILDCARDS.isdisjoint(self.name)

    @property
    def is_any(self) -> bool:
        """Whether it matches any number of parts, where patterns are allowed."""
        return self == PathPart(ANY_PARTS)

    def matches(self, name: str) -> bool:
        """Whether it is, or as a pattern matches, a name in lower case."""
        return fnmatchcase(name, self.name) if self.has_wildcards else name == self.name


def parse_path(text: str) -> tuple[PathPart, ...]:
    r"""Read a path such as ``dev.silver.orders.`a.b```.

    In back-quotes a name can hold every character; a back-quote is doubled, and ``\u001b`` is the character with that
    number.

    Raises:
        ValueError: If the path is invalid; the text is the reason.
    """
    parts = split_path(text)
    for part in parts:
        bare = "" if part.is_quoted else part.name.partition("`")[0]
        if not all(char.isprintable() and not char.isspace() and char not in _NOT_BARE for char in bare):
            msg = f"{quoted(bare)} is more than a word and needs back-quotes"
            raise ValueError(msg)
        if not part.is_quoted and bare != part.name:
            msg = "its back-quotes do not enclose whole parts"
            raise ValueError(msg)
        if not part.name:
            msg = "a part of its path is empty"
            raise ValueError(msg)
    return tuple(PathPart(folded(part.name), is_quoted=part.is_quoted) for part in parts)


def parts_text(parts: Iterable[PathPart]) -> str:
    """Write a path with the back-quotes that it was given with, in lower case."""
    return ".".join(quoted(part.name) if part.is_quoted else part.name for part in parts)


def matches(pattern: Sequence[PathPart], names: Sequence[str]) -> bool:
    """Whether a pattern matches a whole path: ``*`` within one part, ``**`` over any number of them."""
    ends = {0}
    for part in pattern:
        if part.is_any:
            ends = set(range(min(ends), len(names) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(names) and part.matches(names[end])}
        if not ends:
            return False
    return len(names) in ends


def could_name(parts: Sequence[PathPart], names: Sequence[str]) -> bool:
    """Whether a path is that of some names, if dots outside of back-quotes could be part of a name.

    The path has no wildcards, and the names are in lower case.
    """
    if not names:
        return not parts
    words = ""
    for length, part in enumerate(parts, start=1):
        if length > 1 and (part.is_quoted or parts[length - 2].is_quoted):
            return False
        words = f"{words}.{part.name}" if words else part.name
        if words == names[0] and could_name(parts[length:], names[1:]):
            return True
    return False


def unambiguous(names: Sequence[str], rivals: Sequence[Sequence[str]], *, table_parts: int) -> str:
    """Write a path with as few back-quotes as it needs to be none of some other paths."""
    table, path = names[:table_parts], names[table_parts:]
    below = ".".join(map(quoted, path))
    forms = (path_text(names), f"{path_text(table)}.{below}" if path else path_text(table))
    for form in forms:
        parts = parse_path(form)
        if not any(could_name(parts, rival) for rival in rivals):
            return form
    return ".".join(map(quoted, names))
