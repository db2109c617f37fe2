"""Read a ``pyproject.toml``, and append the modules of models to it; existing text is not changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_delta_schema.configuration.project_file import toml
from pytest_delta_schema.diagnostics.errors import os_error_text
from pytest_delta_schema.settings.text import SECTION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_PYTEST = '[tool.pytest.ini_options]\npythonpath = ["."]\n'
"""The section that pytest 8 and 9 read."""
_KEY = SECTION.partition(".")[2]


class ProjectText(NamedTuple):
    """A ``pyproject.toml``, which need not exist."""

    path: Path
    text: str
    tool: dict[str, Any]
    """Its table ``tool``; empty if it has none."""
    configured_by: Path | None
    """The file that configures pytest; ``None`` if there is none."""

    @classmethod
    def read(cls, path: Path, config: pytest.Config) -> ProjectText:
        """Read the file.

        Raises:
            pytest.UsageError: If it cannot be read; nothing was written.
        """
        try:
            text = path.read_bytes().decode()
        except FileNotFoundError:
            text = ""
        except OSError as error:
            msg = f"{path} cannot be read: {os_error_text(error)}; nothing was written"
            raise pytest.UsageError(msg) from None
        except ValueError as error:
            msg = f"{path} is not UTF-8: {error}; nothing was written"
            raise pytest.UsageError(msg) from None
        tool = _tool(text, path)
        return cls(path, text, tool, _configured_by(config, path, tool))

    @property
    def has_section(self) -> bool:
        """Whether it has the section of this package."""
        return _KEY in self.tool

    def settings(self, modules: Sequence[str]) -> str:
        """Return the lines that name the modules of models, with the section of pytest if nothing configures it."""
        section = f"[{SECTION}]\nmodels = [{', '.join(map(_quoted, modules))}]\n"
        return section if self.configured_by else f"{_PYTEST}\n{section}"

    def appended(self, modules: Sequence[str]) -> bytes | None:
        """Return what is written after the text, so it names the modules; ``None`` if it cannot be extended there.

        It begins on a new line, after an empty one, with the line ends of the text.
        """
        gap = "" if not self.text else "\n" if self.text.endswith("\n") else "\n\n"
        ends = "\r\n" if "\r\n" in self.text else "\n"
        added = f"{gap}{self.settings(modules)}".replace("\n", ends)
        is_read = _tool(self.text + added, self.path).get(_KEY) == {"models": list(modules)}
        return added.encode() if is_read else None


def _quoted(name: str) -> str:
    return f'"{name}"'


def _configured_by(config: pytest.Config, project: Path, tool: dict[str, Any]) -> Path | None:
    if config.inipath is None or not config.inipath.is_file():
        return project if "pytest" in tool else None
    return config.inipath if config.inipath != project or "pytest" in tool else None


def _tool(text: str, path: Path) -> dict[str, Any]:
    try:
        tool = toml(text.replace("\r\n", "\n")).get("tool", {})
    except ValueError as error:
        msg = f"{path} cannot be read: {error}; nothing was written"
        raise pytest.UsageError(msg) from None
    return tool if isinstance(tool, dict) else {}
