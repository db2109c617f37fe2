"""Paths of columns, and of the fields below them, inside a table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.diagnostics.escaping import code_unit_escapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ELEMENT = "element"
"""The part of a path that leads to the elements of an array."""

KEY = "key"
"""The part of a path that leads to the keys of a map."""

VALUE = "value"
"""The part of a path that leads to the values of a map."""

_WORD = re.compile(r"[\w-]+")
_PART = re.compile(r"(?:^|\.)(?:`(?P<quoted>(?:[^`]|``)*)`(?=\.|\Z)|(?P<bare>[^.]*))")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True, order=True, init=False, repr=False)
class ColumnPath:
    """The path of a column, or of a part of one: a field of a struct, ``element``, ``key`` or ``value``.

    Paths are equal, and ordered, without regard to case. A path of no parts is the path of the table.

    Args:
        *parts: The name of the column, and of each part below it, as they are written.
    """

    parts: tuple[str, ...] = field(compare=False)
    folded: tuple[str, ...]

    def __init__(self, *parts: str) -> None:
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "folded", tuple([part.lower() for part in parts]))

    @classmethod
    def parse(cls, text: str) -> ColumnPath:
        """Read a path with dots between its parts; a part in back-quotes is one name, dots and all.

        Args:
            text: Such as ``address.street``, or what :attr:`text` returns.
        """
        return cls(*(part.name for part in split_path(text)))

    def __hash__(self) -> int:
        return hash(self.folded)

    @property
    def text(self) -> str:
        """The path as :meth:`parse` reads it, with back-quotes around parts that need them."""
        return path_text(self.parts)

    def __repr__(self) -> str:
        return f"ColumnPath({', '.join(map(repr, self.parts))})"

    def __str__(self) -> str:
        """Return the path as messages show it: with dots between its parts, as they are written."""
        return ".".join(self.parts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def root(self) -> str:
        """The name of the column."""
        return self.parts[0]

    @property
    def fields(self) -> tuple[str, ...]:
        """The parts below the column."""
        return self.parts[1:]

    @property
    def is_nested(self) -> bool:
        """Whether it leads to a part of a column."""
        return len(self.parts) > 1

    @property
    def name(self) -> str:
        """The last part."""
        return self.parts[-1]

    @property
    def parent(self) -> ColumnPath:
        """The path without its last part."""
        return column_path(*self.parts[:-1])

    def child(self, name: str) -> ColumnPath:
        """Return the path of a part below this one.

        Args:
            name: Of the part.
        """
        return column_path(*self.parts, name)

    def starts_with(self, other: ColumnPath) -> bool:
        """Whether this is another path, or the path of something below it."""
        return self.folded[: len(other.folded)] == other.folded

    def prefixes(self) -> Iterator[ColumnPath]:
        """Yield the path of the column, and of each part down to this one."""
        return (column_path(*self.parts[:length]) for length in range(1, len(self.parts) + 1))


@lru_cache(maxsize=8192)
def column_path(*parts: str) -> ColumnPath:
    """Return the path of these parts, as one object, because the tables of a project share names."""
    return ColumnPath(*parts)


TABLE = ColumnPath()
"""The path of the table itself."""


class WrittenPart(NamedTuple):
    """One part of a written path."""

    name: str
    is_quoted: bool


def split_path(text: str) -> tuple[WrittenPart, ...]:
    r"""Split a path at the dots outside of back-quotes.

    In back-quotes a name can hold every character; a back-quote is doubled, and ``\u001b`` is the character with that
    number. Back-quotes that do not enclose a whole part belong to its name.

    An example is ``orders.`a.b```.
    """
    return tuple(map(_written, _PART.finditer(text)))


def first_part(text: str) -> tuple[WrittenPart, str]:
    """Split a path after its first part, as :func:`split_path` does.

    What follows the first part may be anything. The rest is without the dot before it.
    """
    match = next(_PART.finditer(text))
    return _written(match), text[match.end() + 1 :]


def path_text(names: Iterable[str]) -> str:
    """Write a path so that :func:`split_path` reads it, with back-quotes where they are needed."""
    return ".".join(name if _WORD.fullmatch(name) else quoted(name) for name in names)


def quoted(name: str) -> str:
    r"""Write a name in back-quotes, for use inside quotes of a shell, of TOML and of an ini file.

    Characters that a terminal does not show, and the quotes themselves, are written as ``\u001b``.
    """
    text = _ESCAPED.sub(lambda match: f"\\u005c{match[0][1:]}", name).replace("`", "``")
    return "`" + "".join(char if char.isprintable() and char != "'" else code_unit_escapes(char) for char in text) + "`"


def _written(match: re.Match[str]) -> WrittenPart:
    if match["quoted"] is None:
        return WrittenPart(match["bare"], is_quoted=False)
    return WrittenPart(_unescaped(match["quoted"].replace("``", "`")), is_quoted=True)


def _unescaped(text: str) -> str:
    units = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).encode("utf-16-be", "surrogatepass")
    return units.decode("utf-16-be", "surrogatepass")
