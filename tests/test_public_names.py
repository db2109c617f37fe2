"""Public names: how many the root has, that each loads when it is used, and that each is documented."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pytest_delta_schema
from support import reference
from support.pages import ROOT as PROJECT
from support.pages import page_names

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(pytest_delta_schema.__file__)
PACKAGES = [
    ".".join(path.relative_to(ROOT.parent.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(ROOT.parent.rglob("*.py"))
    if "lazy_exports(__name__)" in path.read_text("utf-8")
]
NAMES = [(package, name) for package in PACKAGES for name in import_module(package).__all__]


PUBLIC = {f"pytest_delta_schema.{home}".rstrip("."): reference.public(home) for home in ("", *reference.PACKAGES)}
SHOWN = sorted({name for _, name in NAMES}.union(*PUBLIC.values()))


@cache
def api():
    """Return the page of the site with all public names."""
    return reference.built("docs/reference/api.md")


def test_the_root_has_at_most_42_names_in_120_lines():
    assert len(pytest_delta_schema.__all__) <= 42
    assert len(ROOT.read_text("utf-8").splitlines()) <= 120


def test_packages_have_public_names():
    assert len(PACKAGES) >= 15


@pytest.mark.parametrize(("package", "name"), NAMES, ids=map(".".join, NAMES))
def test_every_public_name_loads(package, name):
    assert getattr(import_module(package), name) is not None
    assert name in dir(import_module(package))


def test_every_name_of_the_root_is_public_in_its_package():
    for name in import_module("pytest_delta_schema").__all__:
        owners = [package for package, other in NAMES if other == name and package != "pytest_delta_schema"]
        assert owners or hasattr(import_module("pytest_delta_schema.diagnostics.errors"), name), name


def test_other_names_do_not_load():
    with pytest.raises(AttributeError, match="module 'pytest_delta_schema' has no attribute 'Tabel'"):
        _ = pytest_delta_schema.Tabel


def test_the_version_is_that_of_the_distribution():
    assert pytest_delta_schema.__version__ == version("pytest-delta-schema")


def test_a_star_import_gets_the_public_names():
    names: dict[str, object] = {}
    exec("from pytest_delta_schema.plan import *", names)  # noqa: S102 - an import that cannot stand in a function

    assert names["ColumnAdd"] is import_module("pytest_delta_schema.plan").ColumnAdd


def test_importing_packages_loads_no_library():
    code = f"import sys, {', '.join(PACKAGES)}; print([n for n in ('pyspark', 'pytest', 'syrupy', 'delta', 'sqlglot') if n in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


PROTOCOLS = [
    value
    for value in (getattr(import_module(package), name) for package, name in NAMES)
    if getattr(value, "_is_protocol", False)
]


def lacks(name: str, value: Callable[..., Any], doc: str | None) -> list[str]:
    """Return what a docstring lacks: all of it, or the names of arguments where there are two or more."""
    if not doc or doc.startswith(f"{name}("):
        return [name]
    arguments = [
        argument for argument in inspect.signature(value).parameters if not argument.startswith(("self", "cls", "_"))
    ]
    if len(arguments) < 2:
        return []
    return [f"{name}: {argument}" for argument in arguments if re.search(rf"(?m)^ *\*{{0,2}}{argument}: ", doc) is None]


def undocumented(name: str, value: object) -> list[str]:
    """Return what the docstring of a function, or of a class and its methods, lacks."""
    if not inspect.isclass(value):
        return lacks(name, value, inspect.getdoc(value)) if inspect.isfunction(value) else []
    is_made = not issubclass(value, (Enum, BaseException)) and value not in PROTOCOLS
    faults = lacks(name, value, value.__doc__) if is_made else [] if value.__doc__ else [name]
    for method, function in vars(value).items():
        plain = getattr(function, "__func__", function)
        if method.startswith("_") or not inspect.isfunction(plain):
            continue
        inherited = [vars(protocol)[method] for protocol in PROTOCOLS if method in vars(protocol) and protocol != value]
        documents = [plain.__doc__, *(function.__doc__ for function in inherited)]
        faults += min((lacks(f"{name}.{method}", plain, document) for document in documents), key=len)
    return faults


@pytest.mark.parametrize(("package", "name"), NAMES, ids=map(".".join, NAMES))
def test_every_public_name_is_documented_with_its_arguments(package, name):
    assert undocumented(name, getattr(import_module(package), name)) == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="griffelib needs Python 3.11")
@pytest.mark.parametrize("name", SHOWN)
def test_every_public_name_has_an_example_that_the_reference_shows(name):
    remedy = f"write a test of {name} in examples/api, add its package to support.reference.PACKAGES"

    assert re.search(rf"^###+ `{name}`$", api(), re.MULTILINE), remedy
    assert reference.example(name) in api()


def imported(text: str) -> list[tuple[str, str]]:
    """Return the names that a file or a page imports from this package, each with its module."""
    imports = re.findall(r"^from (pytest_delta_schema[\w.]*) import (\([^)]*\)|.*)$", text, re.MULTILINE)
    return [
        (module, name) for module, names in imports for name in re.findall(r"\w+", re.sub(r"#.*| as \w+", "", names))
    ]


def test_examples_and_pages_import_public_names_only():
    files = [*map(PROJECT.joinpath, page_names()), *(PROJECT / "examples").rglob("*.py")]
    names = {(path.name, *name) for path in files for name in imported(path.read_text("utf-8"))}

    assert len(names) > 200
    assert [name for name in sorted(names) if name[2] not in PUBLIC.get(name[1], ())] == []


def test_a_name_without_an_example_is_told_which_test_to_write():
    with pytest.raises(ValueError, match=r"examples/api has 0 tests of the name .*test_column_split\b.*; write one"):
        reference.example("ColumnSplit")


def test_an_example_has_to_use_its_name(monkeypatch):
    monkeypatch.setitem(reference.SHOWN_WITH, "ColumnSplit", "ColumnAdd")

    with pytest.raises(ValueError, match="the example of ColumnSplit does not use it"):
        reference.example("ColumnSplit")
