"""Find sections whose names are nearly that of this package, which nothing would read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.project_file import toml
from pytest_delta_schema.settings.table import may_have_misspelt_section
from pytest_delta_schema.settings.text import SECTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_MOST_EDITS = 2
_MOST_PARTS = 4
_HEADER = re.compile(r"\[+\s*([^\]]+?)\s*\]")
_PARTS = tuple(SECTION.split("."))
_FOLDED = str.maketrans("", "", "-_.: \t\"'")


def misspelt_sections(path: Path) -> list[str]:
    """Return a message for each section of a file whose name is nearly ours; none if the file cannot be read.

    A name is nearly ours if it is equal without case, ``-``, ``_`` and ``.``, or at most two edits away, with or
    without ``tool``. Outside of a ``pyproject.toml``, so is the right name.

    The file need not exist.
    """
    try:
        content = path.read_bytes()
        # Few files have such a name, and the parser of TOML takes longer to import than everything else here.
        if not may_have_misspelt_section(content):
            return []
        text = content.decode("utf-8-sig")
        names = _toml_sections(toml(text)) if path.suffix == ".toml" else _ini_sections(text)
        sections = dict.fromkeys(names)
    except (OSError, ValueError):
        return []  # what reads the file reports this
    if path.name == "pyproject.toml":
        sections.pop(SECTION, None)
        remedy = f"write [{SECTION}]"
    else:
        remedy = f"move it to [{SECTION}] of pyproject.toml"
    return [f"[{name}] is not read; {remedy}" for name in sections]


def _toml_sections(table: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the dotted names of tables, or keys, that are ours or nearly so."""
    for key, value in table.items():
        names = (*above, key)
        if _is_near(names):
            yield ".".join(names)
        elif isinstance(value, dict) and len(names) < _MOST_PARTS:
            yield from _toml_sections(value, names)


def _ini_sections(text: str) -> Iterator[str]:
    for line in text.splitlines():
        header = _HEADER.match(line)
        if header is not None:
            parts = header[1].split(".")
            ends = range(1, len(parts) + 1)
            if any(_is_near(parts[:end]) for end in ends):
                yield header[1]


def _is_near(names: Iterable[str]) -> bool:
    folded = "".join(names).lower().translate(_FOLDED)
    wanted = ("".join(_PARTS[start:]).translate(_FOLDED) for start in range(len(_PARTS)))
    return any(abs(len(folded) - len(name)) <= _MOST_EDITS and _edits(folded, name) <= _MOST_EDITS for name in wanted)


def _edits(one: str, other: str) -> int:
    """Return how many characters have to be added, removed or replaced to turn a text into another."""
    row = list(range(len(other) + 1))
    for count, character in enumerate(one, start=1):
        diagonal, row[0] = row[0], count
        for column, wanted in enumerate(other, start=1):
            diagonal, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, diagonal + (character != wanted)),
            )
    return row[-1]
