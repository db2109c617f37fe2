"""Public names: that each loads when it is used, and that the reference shows an example of each."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import pytest_delta_schema
from support import reference
from support.pages import ROOT as PROJECT
from support.pages import page_names

ROOT = Path(pytest_delta_schema.__file__)


@cache
def packages() -> list[str]:
    return [
        ".".join(path.relative_to(ROOT.parent.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(ROOT.parent.rglob("*.py"))
        if "lazy_exports(__name__)" in path.read_text("utf-8")
    ]


def names() -> list[tuple[str, str]]:
    return [(package, name) for package in packages() for name in import_module(package).__all__]


def public_of_pages() -> dict[str, list[str]]:
    return {f"pytest_delta_schema.{home}".rstrip("."): [*reference.public(home)] for home in ("", *reference.PACKAGES)}


def test_the_root_has_at_most_42_names():
    assert len(pytest_delta_schema.__all__) <= 42


def test_every_public_name_loads():
    assert len(packages()) >= 15
    assert [
        (package, name)
        for package, name in names()
        if getattr(import_module(package), name) is None or name not in dir(import_module(package))
    ] == []


def test_every_name_of_the_root_is_public_in_its_package():
    errors = import_module("pytest_delta_schema.diagnostics.errors")
    owned = {name for package, name in names() if package != "pytest_delta_schema"}

    root = import_module("pytest_delta_schema").__all__
    assert [name for name in root if name not in owned and not hasattr(errors, name)] == []


def test_other_names_do_not_load():
    with pytest.raises(AttributeError, match="module 'pytest_delta_schema' has no attribute 'Tabel'"):
        _ = pytest_delta_schema.Tabel


def test_the_version_is_that_of_the_distribution():
    assert pytest_delta_schema.__version__ == version("pytest-delta-schema")


def test_a_star_import_gets_the_public_names():
    found: dict[str, object] = {}
    exec("from pytest_delta_schema.plan import *", found)  # noqa: S102 - an import that cannot stand in a function

    assert found["ColumnAdd"] is import_module("pytest_delta_schema.plan").ColumnAdd


def test_importing_packages_loads_no_library():
    libraries = ("pyspark", "pytest", "syrupy", "delta", "sqlglot")
    code = f"import sys, {', '.join(packages())}; print([name for name in {libraries} if name in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="griffelib needs Python 3.11")
def test_every_public_name_has_an_example_that_the_reference_shows():
    """For a name that is missing: write a test of it in examples/api, add its package to support.reference.PACKAGES."""
    api = reference.built("docs/reference/api.md")
    shown = sorted({name for _, name in names()}.union(*public_of_pages().values()))

    assert [name for name in shown if re.search(rf"^###+ `{name}`$", api, re.MULTILINE) is None] == []
    assert [name for name in shown if reference.example(name) not in api] == []


def imported(text: str) -> list[tuple[str, str]]:
    """Return the names that a file or a page imports from this package, each with its module."""
    imports = re.findall(r"^from (pytest_delta_schema[\w.]*) import (\([^)]*\)|.*)$", text, re.MULTILINE)
    return [
        (module, name) for module, found in imports for name in re.findall(r"\w+", re.sub(r"#.*| as \w+", "", found))
    ]


def test_examples_and_pages_import_public_names_only():
    files = [*map(PROJECT.joinpath, page_names()), *(PROJECT / "examples").rglob("*.py")]
    used = {(path.name, *name) for path in files for name in imported(path.read_text("utf-8"))}
    public = public_of_pages()

    assert len(used) > 200
    assert [name for name in sorted(used) if name[2] not in public.get(name[1], ())] == []


def test_a_name_without_an_example_is_told_which_test_to_write(monkeypatch):
    with pytest.raises(ValueError, match=r"examples/api has 0 tests of the name .*test_column_split\b.*; write one"):
        reference.example("ColumnSplit")

    monkeypatch.setitem(reference.SHOWN_WITH, "ColumnSplit", "ColumnAdd")
    with pytest.raises(ValueError, match="the example of ColumnSplit does not use it"):
        reference.example("ColumnSplit")
