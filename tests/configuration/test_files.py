"""Sections whose names are nearly that of this package, in every file that may have them."""

from __future__ import annotations

import time

import pytest

from pytest_delta_schema.configuration.files import misspelt_sections
from pytest_delta_schema.settings.table import may_have_misspelt_section

TO_WRITE = "is not read; write [tool.pytest_delta_schema]"
TO_MOVE = "is not read; move it to [tool.pytest_delta_schema] of pyproject.toml"

MISSPELT = {
    "[tool.pytest-delta-schema]": "tool.pytest-delta-schema",
    "[tool.pytest.delta-schema]": "tool.pytest.delta-schema",
    "[tool.pytestdeltaschema]": "tool.pytestdeltaschema",
    "[tool.pytest_delta_shema]": "tool.pytest_delta_shema",
    "[tool.pytest_detla_schema]": "tool.pytest_detla_schema",
    "[tools.pytest_delta_schema]": "tools.pytest_delta_schema",
    "[pytest_delta_schema]": "pytest_delta_schema",
    "[[tool.pytest-delta-schema.allow]]": "tool.pytest-delta-schema",
    '[ tool . "pytest-delta-schema" ] # settings': "tool.pytest-delta-schema",
    "[tool]\npytest-delta-schema = { max_risk = 'scan' }": "tool.pytest-delta-schema",
    "[tool]\npytest-delta-schema.max_risk = 'scan'": "tool.pytest-delta-schema",
    "tool.pytest-delta-schema.max_risk = 'scan'": "tool.pytest-delta-schema",
}
"""What a pyproject.toml holds, and the name that the message repeats."""

OTHERS = (
    "[tool.pytest_delta_schema]",
    "[tool.pytest_delta_schema.properties]",
    "[[tool.pytest_delta_schema.allow]]",
    "[tool]\npytest_delta_schema.max_risk = 'scan'",
    "[tool.delta-schema]",
    "[tool.pytest-delta]",
    "[tool.pytest.ini_options]",
    "[tool.pytest_json_schema]",
    "[tool.poetry.dependencies]\npytest-delta-schema = '^0.1'",
    "[tool.uv.sources]\npytest-delta-schema = { path = '..' }",
    "[tool.pixi.pypi-dependencies]\npytest_delta_schema = '*'",
    "[project]\nname = 'pytest-delta-schema'\ndependencies = ['pytest-delta-schema']",
    "[project]\ndescription = '''\n[tool.pytest-delta-schema]\n'''",
)


def reported(folder, text, file="pyproject.toml"):
    path = folder / file
    path.write_text(f"{text}\n", "utf-8")
    return misspelt_sections(path)


def test_a_name_that_is_nearly_ours_is_reported_with_the_right_one(tmp_path):
    expected = {text: [f"[{name}] {TO_WRITE}"] for text, name in MISSPELT.items()}

    assert {text: reported(tmp_path, text) for text in MISSPELT} == expected


def test_sections_of_other_tools_and_our_own_are_none_of_them(tmp_path):
    assert {text: faults for text in OTHERS if (faults := reported(tmp_path, text))} == {}


def test_other_files_have_no_such_section_at_all(tmp_path):
    files = [
        ("pytest.ini", "[pytest_delta_schema]\nmax_risk = scan", "pytest_delta_schema"),
        ("pytest.ini", "[pytest]\n\n[pytest-delta-schema]\nmax_risk = scan", "pytest-delta-schema"),
        ("tox.ini", "[tool.pytest_delta_schema]\nmax_risk = scan", "tool.pytest_delta_schema"),
        ("tox.ini", "[testenv:pytest-delta-schema]\ndeps = x", None),
        ("setup.cfg", "[tool:pytest_delta_schema]\nmax_risk = scan", "tool:pytest_delta_schema"),
        ("setup.cfg", "[options]\ninstall_requires =\n  pytest-delta-schema==1\n", None),
        ("pytest.toml", "[tool.pytest_delta_schema]\nmax_risk = 'scan'", "tool.pytest_delta_schema"),
    ]

    assert [(file, text, reported(tmp_path, text, file)) for file, text, _ in files] == [
        (file, text, [] if name is None else [f"[{name}] {TO_MOVE}"]) for file, text, name in files
    ]


def test_what_cannot_be_read_is_left_to_its_reader(tmp_path):
    path = tmp_path / "pyproject.toml"

    assert misspelt_sections(path) == []
    for content in (b"[tool.pytest-delta-schema\n", b"[tool.pytest-delta-schema]\nx = '\xff'\n"):
        path.write_bytes(content)
        assert misspelt_sections(path) == []


@pytest.mark.parametrize("text", ["[" * 65_000, "[ " * 32_000, "[" + "a." * 32_000 + "]", "eltas" * 13_000])
def test_no_file_takes_long(tmp_path, text):
    """A quadratic search takes at least ten seconds; a linear one less than half a second."""
    path = tmp_path / "pytest.ini"
    path.write_text(text, encoding="utf-8")
    start = time.process_time()

    assert misspelt_sections(path) == []
    assert not may_have_misspelt_section(text.encode())

    assert time.process_time() - start < 5
