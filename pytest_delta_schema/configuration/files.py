"""Read the section of a project's ``pyproject.toml``, and find sections that nothing reads."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.settings.table import SECTION, may_have_misspelt_section, project_file_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


_TOOL, _KEY = SECTION.split(".")


class ProjectFile(NamedTuple):
    """The section of one file, as TOML has it."""

    path: Path | None = None
    """The file; ``None`` if there is no section."""
    section: Mapping[str, Any] = {}
    shown: str = ""
    """How messages name the file."""
    faults: tuple[str, ...] = ()
    """Why the section cannot be read."""


def read_project_file(folder: Path, root: Path | None = None) -> ProjectFile:
    """Read the section of the nearest ``pyproject.toml``, in ``folder`` or above it."""
    path = project_file_of(folder)
    if path is None:
        return ProjectFile()
    shown = shown_path(path, root)
    try:
        text = path.read_text("utf-8")
        # Most projects have no section, and the parser takes longer to import than everything else here.
        section = _section(text) if _KEY in text else None
    except (OSError, ValueError) as error:
        return ProjectFile(path, faults=(f"{shown}: cannot be read: {error}",))
    if section is None:
        return ProjectFile()
    if not isinstance(section, dict):
        return ProjectFile(path, faults=(f"{shown}: {_KEY} is not a table; write [{SECTION}] and its keys below",))
    return ProjectFile(path, section, shown)


def shown_path(path: Path, root: Path | None) -> str:
    """Return how messages name a file: by its path from ``root`` if it is inside of it."""
    return path.relative_to(root).as_posix() if root is not None and path.is_relative_to(root) else str(path)


def _section(text: str) -> Any:
    tool = toml(text).get(_TOOL, {})
    return tool.get(_KEY) if isinstance(tool, dict) else None


def toml(text: str) -> dict[str, Any]:
    """Parse TOML; raise a ``ValueError`` if it is invalid."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except RecursionError:
        msg = "it is nested too deeply"
        raise ValueError(msg) from None


_MOST_EDITS = 2
_MOST_PARTS = 4
_HEADER = re.compile(r"\[([^\]]*)\]")
_FOLDED = str.maketrans("", "", "-_.: \t\"'")


def misspelt_sections(path: Path) -> list[str]:
    """Return a message for each section of a file whose name is nearly ours; none if the file cannot be read.

    A name is nearly ours if it is equal without case, ``-``, ``_`` and ``.``, or at most two edits away, with or
    without ``tool``. Outside of a ``pyproject.toml``, so is the right name.
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
        name = "" if header is None else header[1].lstrip("[").strip()
        parts = name.split(".")
        ends = range(1, min(len(parts), _MOST_PARTS) + 1)
        if any(_is_near(parts[:end]) for end in ends):
            yield name


def _is_near(names: Iterable[str]) -> bool:
    folded = "".join(names).lower().translate(_FOLDED)
    wanted = ("".join(parts).translate(_FOLDED) for parts in ((_TOOL, _KEY), (_KEY,)))
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
