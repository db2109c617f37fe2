"""The style of Python code that a project asks ruff for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.project_file import toml
from pytest_delta_schema.source_code.code_text import CodeStyle

if TYPE_CHECKING:
    from pathlib import Path


def code_style(folder: Path) -> CodeStyle:
    """Return the style that ruff's configuration in a folder, or above it, asks for; ruff's default without one."""
    for parent in (folder, *folder.parents):
        for name in (".ruff.toml", "ruff.toml", "pyproject.toml"):
            section = _section(parent / name)
            if section is not None:
                width, formats = section.get("line-length"), section.get("format")
                quotes = formats.get("quote-style") if isinstance(formats, dict) else None
                style = CodeStyle(quote="'" if quotes == "single" else '"')
                return style._replace(width=width) if isinstance(width, int) and width > 0 else style
    return CodeStyle()


def _section(path: Path) -> dict[str, Any] | None:
    """Return what a file says about ruff; ``None`` if it says nothing, or cannot be read."""
    try:
        values = toml(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    tool = values.get("tool", {}) if path.name == "pyproject.toml" else {"ruff": values}
    section = tool.get("ruff") if isinstance(tool, dict) else None
    return section if isinstance(section, dict) else None
