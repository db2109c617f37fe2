"""Fixtures that create tables do so in the catalogs of others only where the setting ``scratch_catalog`` names one."""

from __future__ import annotations

import pytest

from support.plugin_project import ORDERS

CONFTEST = """
import pytest
from pytest_delta_schema import MemoryCatalog

class Named(MemoryCatalog):
    name = "{name}"
    def clone_table(self, source, clone): ...

@pytest.fixture(scope="session")
def delta_catalog():
    return Named()
"""
USES = """
import pytest
from models import orders


def test_table(make_delta_table): make_delta_table(orders)
def test_tables(make_delta_tables): make_delta_tables([orders])
def test_schema(make_delta_schema): make_delta_schema("dev")
def test_clone(delta_clone): pass
"""
MESSAGE = (
    "this test creates tables, and others may use the catalogs of the backend {}; name one for scratch tables in"
    ' pyproject.toml: [tool.pytest_delta_schema] scratch_catalog = "scratch"; or run it with --delta-backend=local'
)


def runs(project, name, *ini):
    project.ini("delta_models = models", "delta_backend = memory", *ini)
    project.models(ORDERS)
    project.pytester.makeconftest(CONFTEST.replace("{name}", name))
    project.pytester.makepyfile(test_use=USES)
    return project


NAMED = [f"test_use.py::test_{kind}" for kind in ("table", "tables", "schema", "clone")]


@pytest.mark.parametrize(
    ("name", "ini", "args", "refused"),
    [
        ("unity", [], [], True),
        ("unity", [], ["--delta-drift"], True),
        ("unity", ["delta_scratch_catalog = scratch"], [], False),
        ("unity", ["delta_scratch_catalog = scratch"], ["--delta-drift"], False),
        ("session", [], [], False),
        ("session", [], ["--delta-drift"], True),
        ("session", [], ["--delta-apply"], True),
        ("session", ["addopts = --delta-drift"], [], True),
        ("session", ["delta_scratch_catalog = scratch"], ["--delta-drift"], False),
        ("memory", [], ["--delta-drift"], False),
        ("local", [], ["--delta-drift"], False),
        ("of the tests", [], ["--delta-drift"], False),
    ],
)
def test_fixtures_refuse_the_catalogs_of_others(project, name, ini, args, refused):
    project = runs(project, name, *ini)

    result = project.run(*args, *NAMED)

    counts = result.parseoutcomes()
    assert (counts.get("errors", 0), counts.get("passed", 0)) == ((4, 0) if refused else (0, 4))
    assert (MESSAGE.format(name) in result.outlines) is refused
