"""The figures about the structure of the package, counted in a small one."""

from __future__ import annotations

import pytest

from support.structure import PACKAGE, circles, counts, imports, line_kinds, modules_of, upward_imports

PROJECT = """\
[[tool.importlinter.contracts]]
type = "layers"
containers = ["pytest_delta_schema"]
layers = ["upper | other", "lower"]
"""
LOWER = f"""\
from {PACKAGE}.upper import SIZE


def lowered():
    \"\"\"Return a number.\"\"\"
    # It is the same.
    return SIZE
"""
UPPER = f"""\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from {PACKAGE}.lower import lowered

SIZE = 1
"""


@pytest.fixture
def checkout(tmp_path):
    for folder in (PACKAGE, "tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / PACKAGE / "lower.py").write_text(LOWER)
    (tmp_path / PACKAGE / "upper.py").write_text(UPPER)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    return tmp_path


def test_circles_of_imports_for_types_are_told_from_others(checkout):
    modules = modules_of(checkout)

    assert circles(imports(modules, for_types=False)) == []
    assert circles(imports(modules, for_types=True)) == [[f"{PACKAGE}.lower", f"{PACKAGE}.upper"]]


def test_an_import_of_an_upper_layer_is_listed(checkout):
    graph = imports(modules_of(checkout), for_types=True)

    assert upward_imports(graph, checkout) == [f"{PACKAGE}.lower -> {PACKAGE}.upper"]


def test_each_line_is_of_one_kind(checkout):
    kinds = line_kinds(modules_of(checkout)[f"{PACKAGE}.lower"])

    assert kinds == {"import": 1, "blank": 2, "code": 2, "docstring": 1, "comment": 1}


def test_all_figures_are_counted(checkout):
    figures = counts(checkout)

    assert figures["files of the package"] == "3"
    assert figures["lines"] == "13"
    assert figures["functions"] == "1"
    assert figures["modules with one importer"] == "1"
    assert figures["circles with TYPE_CHECKING"] == "1\n    2: lower upper"
