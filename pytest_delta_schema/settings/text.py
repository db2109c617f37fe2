"""Show settings in messages, in the form in which they are pasted into ``pyproject.toml``."""

from __future__ import annotations

import json
from collections.abc import Mapping

SECTION = "tool.pytest_delta_schema"
"""The section of ``pyproject.toml`` that holds the settings of a project."""


def toml_setting(name: str, value: object) -> str:
    """Return a setting with its value and its section.

    The value is a text, a flag, a number, a list of those, or a table of them.
    """
    return f"{name} = {_toml(value)} in [{SECTION}]"


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_toml(key)} = {_toml(item)}' for key, item in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)
