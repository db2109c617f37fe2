"""What a project decides by names: the patterns of its consents, and its policy for changes of contracts.

It needs no pyspark, because the settings of every run name it.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names import folded, path_text, quoted, split_path
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.settings.table import DEFAULT_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.settings.table import FailOn, Role

ANY_PARTS = "**"
"""In patterns: any number of parts, none included."""

_NOT_BARE = frozenset("'\"\\")
_WILDCARDS = frozenset("*?[")


_WORD = "\0"


def part_word(word: str) -> str:
    """Return a word for a part of a table, such as ``checks``, as a name that no column has."""
    return _WORD + word


def is_part_word(name: str) -> bool:
    """Whether a name is a word for a part of a table."""
    return name.startswith(_WORD)


def names_text(names: Iterable[str]) -> str:
    """Write names of a path with dots between them, with back-quotes where they are needed."""
    return ".".join(name.removeprefix(_WORD) if is_part_word(name) else path_text((name,)) for name in names)


class PathPart(NamedTuple):
    """One name in a path."""

    name: str
    """The name, in lower case, without back-quotes."""
    is_quoted: bool = False
    """Whether it is in back-quotes, so it has no wildcards."""

    @property
    def text(self) -> str:
        """What was written, in lower case."""
        if is_part_word(self.name):
            return names_text((self.name,))
        return quoted(self.name) if self.is_quoted else self.name

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
        if self.has_wildcards:
            return not is_part_word(name) and fnmatchcase(name, self.name)
        return name == self.name


def parse_path(text: str) -> tuple[PathPart, ...]:
    r"""Read a path such as ``dev.silver.orders.`a.b```."""
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
    return ".".join(part.text for part in parts)


def matches(pattern: Sequence[PathPart], names: Sequence[str]) -> bool:
    """Whether a pattern matches a whole path: ``*`` within one part, ``**`` over any number of them.

    Neither matches a word for a part of a table.
    """
    word = next((at for at, name in enumerate(names) if is_part_word(name)), len(names))
    ends = {0}
    for part in pattern:
        if part.is_any:
            first = min(ends)
            ends = set(range(first, (word if first <= word else len(names)) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(names) and part.matches(names[end])}
        if not ends:
            return False
    return len(names) in ends


def could_name(parts: Sequence[PathPart], names: Sequence[str]) -> bool:
    """Whether a path is that of some names, if dots outside of back-quotes could be part of a name."""
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


_TABLE_PARTS = len(QualifiedName._fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatibilityPolicy:
    """For whom a change of a contract is judged, which verdict fails it, and how long a drop is announced before."""

    roles: tuple[Role, ...] = DEFAULT_ROLES
    """Whom a change may not break; findings for others are shown and fail nothing."""
    fail_on: FailOn = "breaking"
    """The least verdict that fails a change: ``breaking``, ``dangerous``, or ``never`` for none."""
    min_notice: int = 0
    """How many days a column or a table has to be deprecated before it may be dropped."""


@dataclass(frozen=True, slots=True)
class CompatibilityEntry:
    """The policy of the tables that a path matches."""

    path: str
    """The dotted name of a table in models, in any case: ``*`` matches one part or a piece of it, ``**`` any number of
    parts; a part in back-quotes has no wildcards."""
    _: KW_ONLY
    policy: CompatibilityPolicy = CompatibilityPolicy()
    parts: tuple[PathPart, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _table_parts(self.path))

    def matches(self, name: QualifiedName) -> bool:
        """Whether the path matches a table, without regard to case."""
        return matches(self.parts, [folded(part) for part in name])


def compatibility_of(entries: Iterable[CompatibilityEntry], name: QualifiedName) -> CompatibilityPolicy:
    """Return the policy of a table: that of the longest path that matches its name; of two equally long the first."""
    longest = max((entry for entry in entries if entry.matches(name)), key=lambda entry: len(entry.path), default=None)
    return CompatibilityPolicy() if longest is None else longest.policy


def _table_parts(path: str) -> tuple[PathPart, ...]:
    given = f"path {path!r}"
    form = "write catalog.schema.table, where * is one part and ** any number of parts"
    try:
        parts = parse_path(path)
    except ValueError as error:
        msg = f"{given} names no table: {error}; {form}"
        raise DeclarationError(msg) from None
    if any(ANY_PARTS in part.name and part.has_wildcards and not part.is_any for part in parts):
        msg = f"{given} has {ANY_PARTS} inside of a part; {form}"
        raise DeclarationError(msg)
    named = [part for part in parts if not part.is_any]
    if len(named) > _TABLE_PARTS or (len(named) == len(parts) and len(named) < _TABLE_PARTS):
        msg = f"{given} matches no table, because the name of a table has {_TABLE_PARTS} parts; {form}"
        raise DeclarationError(msg)
    return parts
