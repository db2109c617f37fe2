"""Folders are small enough to be read at once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import pytest_delta_schema

PACKAGE = Path(pytest_delta_schema.__file__).parent
TESTS = Path(__file__).parents[1]
MOST = 16


@pytest.mark.parametrize("root", [PACKAGE, TESTS], ids=["package", "tests"])
def test_no_folder_has_more_than_sixteen_modules(root):
    modules = Counter(
        path.parent.relative_to(root).as_posix() for path in root.rglob("*.py") if path.name != "__init__.py"
    )

    assert modules.total() > MOST
    assert {folder: count for folder, count in modules.items() if count > MOST} == {}
