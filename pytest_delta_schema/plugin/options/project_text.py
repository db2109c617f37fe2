"""Read a ``pyproject.toml``, and append to it; existing text is not changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.configuration.project_file import toml
from pytest_delta_schema.diagnostics.errors import os_error_text

if TYPE_CHECKING:
    from pathlib import Path

PYTEST_SECTION = '[tool.pytest.ini_options]\npythonpath = ["."]\n'
"""The section that pytest 8 and 9 read."""


def configured_by(config: pytest.Config, project: Path, tool: dict[str, Any]) -> Path | None:
    """Return the file that configures pytest; ``None`` if there is none."""
    if config.inipath is None or not config.inipath.is_file():
        return project if "pytest" in tool else None
    return config.inipath if config.inipath != project or "pytest" in tool else None


def project_content(project: Path) -> bytes:
    """Return the bytes of a file; none if it does not exist."""
    try:
        return project.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        msg = f"{project} cannot be read: {os_error_text(error)}; nothing was written"
        raise pytest.UsageError(msg) from None


def project_text(content: bytes, project: Path) -> str:
    """Return the text of a file."""
    try:
        return content.decode()
    except ValueError as error:
        msg = f"{project} is not UTF-8: {error}; nothing was written"
        raise pytest.UsageError(msg) from None


def tool_table(text: str, project: Path) -> dict[str, Any]:
    """Return the table ``tool``; empty if it is none."""
    try:
        tool = toml(text.replace("\r\n", "\n")).get("tool", {})
    except ValueError as error:
        msg = f"{project} cannot be read: {error}; nothing was written"
        raise pytest.UsageError(msg) from None
    return tool if isinstance(tool, dict) else {}


def appended_text(text: str, added: str) -> str:
    """Return what is written after a text: on new lines, after an empty line, with the line ends of the text."""
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    ends = "\r\n" if "\r\n" in text else "\n"
    return f"{gap}{added}".replace("\n", ends)
