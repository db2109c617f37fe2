"""Add written modules to the setting ``models``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.configuration.project_file import shown_path
from pytest_delta_schema.plugin.options.project_text import (
    PYTEST_SECTION,
    appended_text,
    configured_by,
    project_content,
    project_text,
    tool_table,
)
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
    missing = sorted(
        {name for name in names if not any(f"{name}.".startswith(f"{known}.") for known in options.packages)}
    )
    if not missing:
        return []
    listed = ", ".join(f'"{name}"' for name in missing)
    project = project_folder(config) / "pyproject.toml"
    shown = shown_path(project, config.rootpath)
    try:
        before = project_content(project)
        text = project_text(before, project)
        tool = tool_table(text, project)
        settings = f"[{SECTION}]\nmodels = [{listed}]\n"
        is_configured = configured_by(config, project, tool) is not None
        added = appended_text(text, settings if is_configured else f"{PYTEST_SECTION}\n{settings}")
        is_free = not options.models and SECTION.partition(".")[2] not in tool
        if is_free and tool_table(text + added, project).get("pytest_delta_schema") == {"models": missing}:
            with project.open("ab") as file:
                file.write(added.encode())
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
