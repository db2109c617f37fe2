"""Settings in messages: named as in ``pyproject.toml``, in a form that can be pasted there."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pytest_delta_schema
from pytest_delta_schema.settings.table import INI_KEYS, SECTION, TOML_KEYS, toml_setting

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(pytest_delta_schema.__file__).parent
ABOUT_INI_FILES = ("settings/table.py", "configuration/files.py", "plugin/")
"""What declares ini keys, reads them, or writes the page about them."""

FIXTURES_TOO = {"warehouse"}
"""Keys whose ini form is the name of a fixture as well."""


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("enable_features", ["typeWidening"], 'enable_features = ["typeWidening"] in [tool.pytest_delta_schema]'),
        ("sync_recreate", True, "sync_recreate = true in [tool.pytest_delta_schema]"),
        ("read_threads", 4, "read_threads = 4 in [tool.pytest_delta_schema]"),
        ("warehouse", 'a "b" \\ ü', 'warehouse = "a \\"b\\" \\\\ ü" in [tool.pytest_delta_schema]'),
    ],
)
def test_a_setting_is_a_line_of_toml_and_its_section(name, value, text):
    assert toml_setting(name, value) == text
    line, _, section = text.rpartition(" in ")
    assert tomllib.loads(f"{section}\n{line}\n")["tool"]["pytest_delta_schema"] == {name: value}
    assert section == f"[{SECTION}]"


def literals() -> Iterator[tuple[str, str]]:
    """Yield each text in the code of the package, with its file."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield name, node.value


def test_no_message_names_a_setting_by_its_ini_key_alone():
    keys = re.compile(rf"\bdelta_({'|'.join(set(INI_KEYS) - FIXTURES_TOO)})\b")

    keys_in_texts = {(name, key[0]) for name, text in literals() for key in keys.finditer(text)}

    assert {(name, key) for name, key in keys_in_texts if not name.startswith(ABOUT_INI_FILES)} == set()


def test_every_setting_that_a_message_shows_is_a_key_of_the_section():
    calls = re.compile(r"toml_setting\(\s*[\"'](\w+)")

    named = {key for path in PACKAGE.rglob("*.py") for key in calls.findall(path.read_text("utf-8"))}

    assert named
    assert named <= set(TOML_KEYS)
