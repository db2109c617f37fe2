"""The ini files of pytest: which of their keys are settings of this package, without pytest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.project_file import toml
from pytest_delta_schema.settings.table import SINCE_PYTEST_9

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SECTION = re.compile(r"\[\s*([^\]]+?)\s*\]")
_KEY = re.compile(r"(delta_\w+)\s*[=:]")
_PREFIX = "delta_"


def delta_keys(path: Path) -> list[str]:
    """Return the keys of an ini file that begin with ``delta_``, in the sections that pytest reads.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is no text, or no TOML.
    """
    text = path.read_text("utf-8")
    if _PREFIX not in text:
        return []
    keys = _toml_keys(toml(text)) if path.suffix == ".toml" else _ini_keys(text, path.suffix)
    return [key for key in keys if key.startswith(_PREFIX)]


def keys_since_pytest_9(path: Path) -> list[str]:
    """Return the keys that begin with ``delta_`` in a table that pytest reads from version 9 on.

    Args:
        path: One of the files of ``SINCE_PYTEST_9``; it need not exist, or be valid.
    """
    try:
        text = path.read_text("utf-8")
        table = toml(text) if _PREFIX in text else {}
    except (OSError, ValueError):
        return []
    for part in SINCE_PYTEST_9[path.name].split("."):
        table = _table(table, part)
    return [key for key in table if key.startswith(_PREFIX)]


def _toml_keys(document: dict[str, Any]) -> Iterator[str]:
    tool = _table(_table(document, "tool"), "pytest")
    for table in (_table(document, "pytest"), tool, _table(tool, "ini_options")):
        yield from table


def _table(document: dict[str, Any], key: str) -> dict[str, Any]:
    table = document.get(key)
    return table if isinstance(table, dict) else {}


def _ini_keys(text: str, suffix: str) -> Iterator[str]:
    """Yield keys as pytest's parser finds them: at the beginning of a line; what is indented continues a value."""
    wanted, section = "tool:pytest" if suffix == ".cfg" else "pytest", ""
    for line in text.splitlines():
        header, key = _SECTION.match(line), _KEY.match(line)
        section = header[1] if header else section
        if key and section == wanted:
            yield key[1]
