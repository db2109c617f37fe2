"""Add written modules to the setting ``models``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.configuration.project_file import shown_path
from pytest_delta_schema.plugin.options.project_text import ProjectText
from pytest_delta_schema.plugin.options.registration import project_folder
from pytest_delta_schema.settings.text import SECTION

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_delta_schema.plugin.options.option_values import Options


def add_modules(config: pytest.Config, options: Options, files: Iterable[Path]) -> list[str]:
    """Append a section with ``models`` to ``pyproject.toml``, if the project has none.

    It returns the lines to show: what was written, or what to write by hand.
    """
    names = [_dotted(config, file) for file in files if file not in options.models]
    packages = tuple(f"{package}." for package in options.packages)
    missing = sorted({name for name in names if not f"{name}.".startswith(packages)})
    if not missing:
        return []
    listed = ", ".join(f'"{name}"' for name in missing)
    path = project_folder(config) / "pyproject.toml"
    shown = shown_path(path, config.rootpath)
    try:
        project = ProjectText.read(path, config)
        appended = None if options.models or project.has_section else project.appended(missing)
        if appended is not None:
            with path.open("ab") as file:
                file.write(appended)
            return [f"  wrote       {shown}, models = [{listed}]"]
    except (OSError, pytest.UsageError):
        pass
    return [f"  to do       add {listed} to models in [{SECTION}] of {shown}"]


def _dotted(config: pytest.Config, file: Path) -> str:
    """Return the name by which a module, or the package of a folder with a file for each table, is imported."""
    folders = [path for path in (*config.getini("pythonpath"), config.rootpath) if file.is_relative_to(path)]
    path = file.relative_to(folders[0]) if folders else file
    parts = path.with_suffix("").parts
    return ".".join(parts[:2] if len(parts) > 2 else parts)  # noqa: PLR2004 - folder, schema, table
