"""Show settings in messages, in the form in which they are pasted into ``pyproject.toml``."""

from __future__ import annotations

import json

SECTION = "tool.pytest_delta_schema"
"""The section of ``pyproject.toml`` that holds the settings of a project."""


def toml_setting(name: str, value: object) -> str:
    """Return a setting with its value and its section.

    Args:
        name: The key of the setting, such as ``enable_features``.
        value: Its value: a text, a flag, a number or a list of those.
    """
    return f"{name} = {json.dumps(value, ensure_ascii=False)} in [{SECTION}]"
