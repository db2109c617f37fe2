"""Find and read the section of a project's ``pyproject.toml``, without pytest."""

# Annotations are not postponed here: a named tuple compiles each postponed one, and every pytest run loads this module.

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pytest_delta_schema.settings.table import BY_NAME, TOML_KEYS, nearest, project_file_of
from pytest_delta_schema.settings.text import SECTION

_TOOL, _KEY = SECTION.split(".")


class ProjectFile(NamedTuple):
    """The section of one file."""

    path: Path | None = None
    """The file; ``None`` if there is no section."""
    values: Mapping[str, Any] = {}
    faults: tuple[str, ...] = ()
    """A message for everything in the section that cannot be used."""


def read_project_file(folder: Path, root: Path | None = None) -> ProjectFile:
    """Read the section of the nearest ``pyproject.toml``, in ``folder`` or above it.

    Messages name the file relative to ``root``; ``None`` for its whole path.
    """
    path = project_file_of(folder)
    if path is None:
        return ProjectFile()
    prefix = f"{shown_path(path, root)}: "
    try:
        text = path.read_text("utf-8")
        # Most projects have no section, and the parser takes longer to import than everything else here.
        section = _section(text) if _KEY in text else None
    except (OSError, ValueError) as error:
        return ProjectFile(path, faults=(f"{prefix}cannot be read: {error}",))
    if section is None:
        return ProjectFile()
    if not isinstance(section, dict):
        return ProjectFile(path, faults=(f"{prefix}{_KEY} is not a table; write [{SECTION}] and its keys below",))
    from pytest_delta_schema.configuration.error import SettingError
    from pytest_delta_schema.configuration.toml_values import value_from_toml

    values, faults = {}, [unknown_setting(key) for key in section if key not in TOML_KEYS]
    for key, value in section.items():
        if key in TOML_KEYS:
            try:
                values[key] = value_from_toml(BY_NAME[key], value, key, path.parent)
            except SettingError as error:
                faults += error.faults
    return ProjectFile(path, values, tuple(f"{prefix}[{SECTION}]: {fault}" for fault in faults))


def unknown_setting(name: str) -> str:
    """Return the message for a key of the section that is not a setting, with the nearest one."""
    near = nearest(name, TOML_KEYS)
    if near is not None:
        return f"there is no setting {name}; did you mean {near}?"
    return f"there is no setting {name}; settings are {', '.join(TOML_KEYS)}"


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
    return tomllib.loads(text)
