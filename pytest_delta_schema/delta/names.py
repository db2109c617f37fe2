"""Names, which match without case: how they are looked up, and the paths of columns and of the parts of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, NewType, Protocol, TypeVar

from pytest_delta_schema.diagnostics.text import code_unit_escapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, ValuesView

    from typing_extensions import Self


def folded(name: str) -> str:
    """Return the form of a name that equals the form of every other spelling."""
    return name.lower()


def same_name(left: str, right: str) -> bool:
    """Whether two names are equal without regard to case."""
    return left.lower() == right.lower()


def same_names(left: Iterable[str], right: Iterable[str]) -> bool:
    """Whether two lists hold the same names in the same order."""
    return [*map(folded, left)] == [*map(folded, right)]


def spark_name(name: str) -> str:
    """Return the form of a name that equals that of every name which Spark takes for it when a column is added.

    Spark compares character by character, in upper case and then in lower case (Spark 4.2.0): i with and without a
    dot are one name, as are s and the long s, mu and the micro sign, and both small sigmas. In a log these are several.
    Java 17 knows the letters of Unicode 13. Letters that came later, such as those of Vithkuqi, have two cases for
    newer versions of Java and Python only.
    """
    return name.lower() if name.isascii() else "".join(map(_spark_character, name))


def _spark_character(character: str) -> str:
    upper = character.upper()
    lower = (upper if len(upper) == 1 else character).lower()
    # Java has one character for each; only a capital I with a dot has two in lower case.
    return lower[0]


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name."""
        ...


_N = TypeVar("_N", bound=Named)
_V = TypeVar("_V")


class NameSet(frozenset[str]):
    """Names to look up without regard to case; iteration yields them folded."""

    __slots__ = ()

    def __new__(cls, names: Iterable[str] = ()) -> Self:
        """Return the set of the names, folded."""
        return super().__new__(cls, [name.lower() for name in names])

    @classmethod
    def of(cls, items: Iterable[Named]) -> Self:
        """Return the names of columns, checks or other things that have one."""
        return super().__new__(cls, [item.name.lower() for item in items])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())


class NameMap(Generic[_V]):
    """Values by names to look up without regard to case; iteration yields the names folded, in their order.

    Of two spellings the last one counts.
    """

    __slots__ = ("_values",)

    def __init__(self, items: Iterable[tuple[str, _V]] = ()) -> None:
        self._values = {name.lower(): value for name, value in items}

    @staticmethod
    def of(items: Iterable[_N]) -> NameMap[_N]:
        """Return columns, checks or other things by their names."""
        named: NameMap[_N] = NameMap()
        named._values = {item.name.lower(): item for item in items}
        return named

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._values

    def __getitem__(self, name: str) -> _V:
        return self._values[name.lower()]

    def __setitem__(self, name: str, value: _V) -> None:
        self._values[name.lower()] = value

    def get(self, name: str) -> _V | None:
        """Return the value of a name, if there is one."""
        return self._values.get(name.lower())

    def setdefault(self, name: str, value: _V) -> _V:
        """Return the value of a name, which is set if it had none before.

        Args:
            name: The name, in any case.
            value: What it is set to then.
        """
        return self._values.setdefault(name.lower(), value)

    def pop(self, name: str) -> _V | None:
        """Remove a name, and return its value, if there is one."""
        return self._values.pop(name.lower(), None)

    def values(self) -> ValuesView[_V]:
        """Return the values in the order of their names."""
        return self._values.values()


def nearest_name(name: str, names: Iterable[str]) -> str | None:
    """Return the name that resembles a mistyped one most, in any case; ``None`` if none does."""
    spellings = NameMap((known, known) for known in names)
    near = next(iter(get_close_matches(folded(name), list(spellings), n=1)), None)
    return None if near is None else spellings[near]


def proposal(name: str, names: Iterable[str], otherwise: str) -> str:
    """Return the remedy for a name that does not exist."""
    near = nearest_name(name, names)
    return otherwise if near is None else f"did you mean {near}?"


ELEMENT = "element"
"""The part of a path that leads to the elements of an array."""

KEY = "key"
"""The part of a path that leads to the keys of a map."""

VALUE = "value"
"""The part of a path that leads to the values of a map."""


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

_WORD = re.compile(r"[\w-]+")
_PART = re.compile(r"(?:^|\.)(?:`(?P<quoted>(?:[^`]|``)*)`(?=\.|\Z)|(?P<bare>[^.]*))")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


class WrittenPart(NamedTuple):
    """One part of a written path."""

    name: str
    is_quoted: bool


def split_path(text: str) -> tuple[WrittenPart, ...]:
    r"""Split a path at the dots outside of back-quotes."""
    if "`" not in text:
        return tuple(WrittenPart(part, is_quoted=False) for part in text.split("."))
    return tuple(map(_written, _PART.finditer(text)))


def first_part(text: str) -> tuple[WrittenPart, str]:
    """Split a path after its first part, as :func:`split_path` does."""
    match = next(_PART.finditer(text))
    return _written(match), text[match.end() + 1 :]


def path_text(names: Iterable[str]) -> str:
    """Write a path so that :func:`split_path` reads it, with back-quotes where they are needed."""
    return ".".join(name if _WORD.fullmatch(name) else quoted(name) for name in names)


def quoted(name: str) -> str:
    r"""Write a name in back-quotes, for use inside quotes of a shell, of TOML and of an ini file."""
    text = _ESCAPED.sub(lambda match: f"\\u005c{match[0][1:]}", name).replace("`", "``")
    return "`" + "".join(char if char.isprintable() and char != "'" else code_unit_escapes(char) for char in text) + "`"


def _written(match: re.Match[str]) -> WrittenPart:
    if match["quoted"] is None:
        return WrittenPart(match["bare"], is_quoted=False)
    return WrittenPart(_unescaped(match["quoted"].replace("``", "`")), is_quoted=True)


def _unescaped(text: str) -> str:
    units = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).encode("utf-16-be", "surrogatepass")
    return units.decode("utf-16-be", "surrogatepass")


PartPath = NewType("PartPath", str)
"""What :func:`part_path` has built; ``""`` is the table itself."""

WHOLE_TABLE = PartPath("")
"""The path of the table itself."""

ENTRY_PATH = PartPath("metadata")
"""The path of the catalog entry of a table."""

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
