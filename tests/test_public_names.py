"""Public names: how many the root has, that each loads when it is used, and that each is documented."""

from __future__ import annotations

import inspect
import subprocess
import sys
from enum import Enum
from importlib import import_module
from pathlib import Path

import pytest

import pytest_delta_schema

ROOT = Path(pytest_delta_schema.__file__)
PACKAGES = [
    ".".join(path.relative_to(ROOT.parent.parent).parent.parts)
    for path in sorted(ROOT.parent.rglob("__init__.py"))
    if "lazy_exports" in path.read_text("utf-8")
]
NAMES = [(package, name) for package in PACKAGES for name in import_module(package).__all__]


def test_the_root_has_at_most_55_names_in_120_lines():
    assert len(pytest_delta_schema.__all__) <= 55
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
        assert owners or hasattr(import_module("pytest_delta_schema.errors"), name), name


def test_other_names_do_not_load():
    with pytest.raises(AttributeError, match="module 'pytest_delta_schema' has no attribute 'Tabel'"):
        _ = pytest_delta_schema.Tabel


def test_a_star_import_gets_the_public_names():
    names: dict[str, object] = {}
    exec("from pytest_delta_schema.plan import *", names)  # noqa: S102 - an import that cannot stand in a function

    assert names["ColumnAdd"] is import_module("pytest_delta_schema.plan").ColumnAdd


def test_importing_packages_loads_no_library():
    code = f"import sys, {', '.join(PACKAGES)}; print([n for n in ('pyspark', 'pytest', 'syrupy', 'delta', 'sqlglot') if n in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def undocumented(name: str, value: object) -> list[str]:
    """Return what lacks a docstring, or ``Args:`` where it has two arguments or more."""
    doc = inspect.getdoc(value)
    if not doc or (inspect.isclass(value) and doc.startswith(f"{value.__name__}(")):
        return [name]
    if inspect.isclass(value) and (issubclass(value, (Enum, BaseException)) or getattr(value, "_is_protocol", False)):
        return []
    parameters = inspect.signature(value).parameters.values()
    arguments = [
        parameter.name
        for parameter in parameters
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    return [f"{name}({', '.join(arguments)})"] if len(arguments) > 1 and "Args:" not in doc else []


@pytest.mark.parametrize(("package", "name"), NAMES, ids=map(".".join, NAMES))
def test_every_public_name_is_documented(package, name):
    value = getattr(import_module(package), name)

    assert not (inspect.isclass(value) or inspect.isfunction(value)) or undocumented(name, value) == []
