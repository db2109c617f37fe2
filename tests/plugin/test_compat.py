"""The private names of pytest and syrupy: where they are used, and in which versions they were tried."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

import pytest_delta_schema
from pytest_delta_schema.backends.unity import deltalake_compat
from pytest_delta_schema.plugin import pytest_compat, syrupy_compat

PACKAGE = Path(pytest_delta_schema.__file__).parent
VERSIONS = {**pytest_compat.VERSIONS, **syrupy_compat.VERSIONS, **deltalake_compat.VERSIONS}
PRIVATE = re.compile(
    r"\b_pytest\b|\._fixtureinfo\b|\bno_cleanup\b|\bdisable_unused_snapshots\b|\b_syrupy\b|\breport_handler\b|\bdeltalake\.fs\b|PanicException"
)


@pytest.mark.parametrize("distribution", VERSIONS)
def test_the_installed_version_is_one_in_which_they_were_tried(distribution):
    assert version(distribution) in SpecifierSet(VERSIONS[distribution])


def test_no_other_module_uses_one():
    uses = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if PRIVATE.search(path.read_text("utf-8"))
    }

    assert uses == {"plugin/pytest_compat.py", "plugin/syrupy_compat.py", "backends/unity/deltalake_compat.py"}


@pytest.mark.parametrize(
    ("version", "added"),
    [((9, 0, 0), ["/p/shop/models.py", "/p/tests/models.py", "/lib/models.py"]), ((8, 4, 2), ["/lib/models.py"])],
    ids=["9", "8.4"],
)
def test_an_older_pytest_finds_the_modules_below_its_folders(monkeypatch, version, added):
    monkeypatch.setattr(pytest, "version_tuple", version)
    files = [Path("/p/shop/models.py"), Path("/p/tests/models.py"), Path("/lib/models.py")]

    assert pytest_compat.added_arguments(["/p/tests", "/p/shop/models.py"], files) == added
