"""Public names: that each loads when it is used, and that the reference shows an example of each."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import pytest_delta_schema
from support import reference

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


def test_every_public_name_loads():
    assert len(packages()) >= 15
    assert [
        (package, name)
        for package, name in names()
        if getattr(import_module(package), name) is None or name not in dir(import_module(package))
    ] == []


def test_other_names_do_not_load():
    with pytest.raises(AttributeError, match="module 'pytest_delta_schema' has no attribute 'Tabel'"):
        _ = pytest_delta_schema.Tabel


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
