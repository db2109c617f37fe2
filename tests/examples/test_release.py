"""``examples/release``: a column from its deprecation to its drop, with the files that were reviewed."""

from __future__ import annotations

import shutil

import pytest

from support.pages import ROOT

EXAMPLE = ROOT / "examples" / "release"


@pytest.mark.parametrize(
    ("version", "released", "end", "line"),
    [
        ("v2", "v1", "PASSED", "against ./released: 1 compatible"),
        ("v3", "v2", "PASSED", "*readers do not find it; *; allowed by its deprecation of 2026-01-31; *"),
        (
            "v3",
            "v1",
            "FAILED",
            "*readers do not find it; *; upgrade readers before this release; *; or deprecate it first, *",
        ),
    ],
)
def test_a_column_goes_after_it_was_announced(project, version, released, end, line):
    (project.path / "tox.ini").unlink()
    shutil.copytree(EXAMPLE / version, project.path, dirs_exist_ok=True)
    shutil.copytree(EXAMPLE / released / "__snapshots__", project.path / "released")

    result = project.run("--delta-against=./released", "-v")

    items = [line.rpartition("::")[2] for line in result.outlines if line.startswith("models.py::shop.sales.orders::")]
    assert [" ".join(item.split()[:2]) for item in items] == ["rules PASSED", "ddl PASSED", f"compat {end}"]
    result.stdout.fnmatch_lines([line])


def test_the_plan_of_a_release_fits_each_catalog_that_is_as_the_release_before(project):
    (project.path / "tox.ini").unlink()
    shutil.copytree(EXAMPLE / "v2", project.path, dirs_exist_ok=True)
    shutil.copytree(EXAMPLE / "v1" / "__snapshots__", project.path / "released")
    shutil.copy(EXAMPLE / "v1" / "models.py", project.path / "v1.py")
    project.pytester.makeconftest(CONFTEST)

    planned = project.run("--delta-against=./released", "--delta-plan-out=plan.json")
    ends = [project.run("--delta-apply", "--delta-plan=plan.json", f"--delta-bind=shop={name}") for name in CATALOGS]

    planned.stdout.fnmatch_lines(["delta schema: plan of 1 table written to plan.json, digest *"])
    for end, ran in zip(ends, ("applied", "applied", "blocked"), strict=True):
        end.stdout.fnmatch_lines([f"apply: 1 {ran}, *"])


CATALOGS = ("staging", "prod", "other")
CONFTEST = """
import pytest
import v1
from pytest_delta_schema import MemoryCatalog, Orchestrator, Settings

@pytest.fixture(scope="session")
def delta_catalog():
    catalog = MemoryCatalog()
    for name in ("staging", "prod"):
        settings = Settings(bindings=((("shop",), (name,)),))
        Orchestrator.over(catalog, settings=settings).sync_tables([v1.orders])
    return catalog
"""
