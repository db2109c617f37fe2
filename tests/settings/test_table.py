"""Settings in messages: named as in ``pyproject.toml``, in a form that can be pasted there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import pytest_delta_schema
from pytest_delta_schema.settings.table import SECTION, TOML_KEYS, toml_setting

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


PACKAGE = Path(pytest_delta_schema.__file__).parent


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("enable_features", ["typeWidening"], 'enable_features = ["typeWidening"] in [tool.pytest_delta_schema]'),
        ("owned_properties", True, "owned_properties = true in [tool.pytest_delta_schema]"),
        ("preflight_samples", 4, "preflight_samples = 4 in [tool.pytest_delta_schema]"),
        ("warehouse", 'a "b" \\ ü', 'warehouse = "a \\"b\\" \\\\ ü" in [tool.pytest_delta_schema]'),
    ],
)
def test_a_setting_is_a_line_of_toml_and_its_section(name, value, text):
    assert toml_setting(name, value) == text
    line, _, section = text.rpartition(" in ")
    assert tomllib.loads(f"{section}\n{line}\n")["tool"]["pytest_delta_schema"] == {name: value}
    assert section == f"[{SECTION}]"


def test_every_setting_that_a_message_shows_is_a_key_of_the_section():
    calls = re.compile(r"toml_setting\(\s*[\"'](\w+)")

    named = {key for path in PACKAGE.rglob("*.py") for key in calls.findall(path.read_text("utf-8"))}

    assert named
    assert named <= set(TOML_KEYS)
