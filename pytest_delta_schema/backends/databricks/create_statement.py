"""Read from a CREATE statement what nothing else shows: generation, identities, RELY of keys, the default collation.

The list of columns and constraints is read word by word. What follows it (``WITH ROW FILTER``,
``DEFAULT COLLATION``) and other parts of a column (``MASK``) may be in a form that no parser knows yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.kit import NameMap, NameSet, sql_words
from pytest_delta_schema.state import ColumnGeneration, IdentityState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.backends.kit import SqlWord

_DEPTHS = {"(": 1, ")": -1}
_NESTED = {"ARRAY", "MAP", "STRUCT"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateStatement:
    """The parts of a CREATE statement that are read."""

    generations: NameMap[ColumnGeneration]
    """Generation expressions as they are written, and identities, by column."""
    relied: NameSet | None
    """The names of the keys with RELY; ``None`` if they are not known."""


def read_create(created: str, columns: Iterable[str]) -> CreateStatement:
    """Read a CREATE statement.

    The columns are those of its table; a statement that defines others has not been understood.

    Raises:
        ValueError: If it cannot be understood.
    """
    generations: NameMap[ColumnGeneration] = NameMap()
    defined: list[str] = []
    relied: list[str] = []
    for item in _items(_words(created)):
        relied += _relied(item)
        if not _is(item, 0, "CONSTRAINT"):
            name = item[0].text
            defined.append(name)
            generation = _generation(item, created)
            if generation is not None:
                generations[name] = generation
    if NameSet(defined) != NameSet(columns):
        raise _not_understood()
    return CreateStatement(generations=generations, relied=NameSet(relied))


def default_collation(created: str) -> str:
    """Return the default collation of a table, in upper case; ``""`` if its CREATE statement has none.

    Raises:
        ValueError: If it cannot be understood.
    """
    words, depth = _words(created), 0
    for index in range(len(words)):
        depth += _DEPTHS.get(_keyword(words, index), 0)
        if not depth and _is(words, index, "DEFAULT") and _is(words, index + 1, "COLLATION"):
            return "".join(word.text.upper() for word in words[index + 2 : index + 3])
    return ""


def _not_understood() -> ValueError:
    msg = "its CREATE statement cannot be understood"
    return ValueError(msg)


def _words(created: str) -> list[SqlWord]:
    try:
        return sql_words(created)
    except ValueError as error:
        raise _not_understood() from error


def _items(words: Sequence[SqlWord]) -> Iterator[list[SqlWord]]:
    """Yield the words of each column and constraint."""
    start = next((index for index in range(len(words)) if _is(words, index, "(")), None)
    if start is None:
        raise _not_understood()
    depth, angles = 1, 0
    item: list[SqlWord] = []
    for index in range(start + 1, len(words)):
        text = _keyword(words, index)
        depth += _DEPTHS.get(text, 0)
        if depth == 1:
            angles += (text == "<" and _keyword(words, index - 1) in _NESTED) - (text == ">" and angles > 0)
        if depth == 0 or (depth == 1 and not angles and text == ","):
            if not item:
                raise _not_understood()
            yield item
            item = []
        else:
            item.append(words[index])
        if depth == 0:
            return
    raise _not_understood()


def _relied(item: Sequence[SqlWord]) -> Iterator[str]:
    """Yield the names of the keys with RELY.

    The information schema does not show it; SHOW CREATE TABLE does (source: SPARK-52142, Spark 4.1).
    """
    name = None
    for index in range(len(item)):
        if _is(item, index, "CONSTRAINT") and index + 1 < len(item):
            name = item[index + 1].text
        elif _is(item, index, "RELY") and name is not None and not _is(item, index - 1, "CONSTRAINT"):
            yield name


def _generation(item: Sequence[SqlWord], created: str) -> ColumnGeneration | None:
    at = next((index for index in range(1, len(item)) if _is(item, index, "GENERATED")), None)
    if at is None or not (_is(item, at + 1, "ALWAYS") or _is(item, at + 2, "DEFAULT")):
        return None
    is_always = _is(item, at + 1, "ALWAYS")
    rest = item[at + (2 if is_always else 3) :]
    if not _is(rest, 0, "AS"):
        raise _not_understood()
    if _is(rest, 1, "IDENTITY"):
        identity = IdentityState(_number(rest, "WITH"), _number(rest, "BY"), is_always)
        return ColumnGeneration(identity=identity)
    if not _is(rest, 1, "("):
        raise _not_understood()
    depth = 0
    for index in range(1, len(rest)):
        depth += _DEPTHS.get(_keyword(rest, index), 0)
        if depth == 0:
            return ColumnGeneration(generated=created[rest[1].end + 1 : rest[index].start].strip())
    raise _not_understood()


def _number(words: Sequence[SqlWord], after: str) -> int:
    """Return the number after a word; 1 without it."""
    at = next((index for index in range(len(words)) if _is(words, index, after)), None)
    if at is None:
        return 1
    is_negative = _is(words, at + 1, "-")
    return int(words[at + 1 + is_negative].text) * (-1 if is_negative else 1)


def _is(words: Sequence[SqlWord], index: int, keyword: str) -> bool:
    return _keyword(words, index) == keyword


def _keyword(words: Sequence[SqlWord], index: int) -> str:
    """Return a word or a sign in upper case; ``""`` for a quoted name or a string, and beyond the end."""
    return words[index].keyword if 0 <= index < len(words) else ""
