"""Folders and modules are small enough to be read at once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest_delta_schema

ROOT = Path(pytest_delta_schema.__file__).parent
MOST = 16
MOST_LINES = 330


def test_no_folder_has_more_than_sixteen_modules():
    modules = Counter(
        path.parent.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if path.name != "__init__.py"
    )

    assert modules.total() > MOST
    assert {folder: count for folder, count in modules.items() if count > MOST} == {}


def test_no_module_has_many_more_than_three_hundred_lines():
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in ROOT.rglob("*.py")}

    assert len(lines) > MOST
    assert {path.relative_to(ROOT).as_posix() for path, count in lines.items() if count > MOST_LINES} == set()
