"""The ini files of pytest: which of their keys are settings of this package, without pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iniconfig import IniConfig, ParseError

from pytest_delta_schema.configuration.project_file import toml
from pytest_delta_schema.settings.table import SINCE_PYTEST_9

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PREFIX = "delta_"


def delta_keys(path: Path) -> list[str]:
    """Return the keys of an ini file that begin with ``delta_``, in the sections that pytest reads.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is not valid.
    """
    text = path.read_text("utf-8")
    if _PREFIX not in text:
        return []
    keys = _toml_keys(toml(text)) if path.suffix == ".toml" else _ini_keys(path, text)
    return [key for key in keys if key.startswith(_PREFIX)]


def keys_since_pytest_9(path: Path) -> list[str]:
    """Return the keys that begin with ``delta_`` in a table that pytest reads from version 9 on.

    The path is one of ``SINCE_PYTEST_9``; it need not exist, or be valid.
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


def _ini_keys(path: Path, text: str) -> Iterator[str]:
    try:
        sections = IniConfig(path, text).sections
    except ParseError as error:
        msg = f"line {error.lineno + 1}: {error.msg}"
        raise ValueError(msg) from error
    yield from sections.get("tool:pytest" if path.suffix == ".cfg" else "pytest", {})
