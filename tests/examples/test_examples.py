"""The examples are projects of their own; here each of them is used like one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.covering import ALL

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.spark
@pytest.mark.own_jvm
@pytest.mark.parametrize(
    ("example", "tables", "tests"), [("orders", 1, 1), ("retail", 9, 5), ("evolution", 2, 11), ("loans", 1, 5)]
)
def test_an_example_applies_gates_and_tests(project, example, tables, tests):
    for path in project.path.iterdir():
        path.unlink()
    ignored = shutil.ignore_patterns(".delta-warehouse", ".pytest_cache", "__pycache__")
    shutil.copytree(EXAMPLES / example, project.path, dirs_exist_ok=True, ignore=ignored)

    applied = project.run("--delta-apply", subprocess=True)

    applied.assert_outcomes(passed=3 * tables + tests)
    applied.stdout.fnmatch_lines([f"apply: {tables} applied, *"])

    if example == "evolution" or not (ALL or example == "retail"):
        return  # evolution has been changed by its tests; the others repeat what retail shows
    gated = project.run("--delta-drift", "-m", "delta", subprocess=True)

    gated.assert_outcomes(passed=3 * tables, deselected=tests)
    gated.stdout.fnmatch_lines([f"drift: {tables} in sync, 0 statements run"])


@pytest.mark.spark
@pytest.mark.own_jvm
def test_the_example_on_unity_catalog_runs(project):
    for path in project.path.iterdir():
        path.unlink()
    shutil.copytree(EXAMPLES / "unity", project.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))

    result = project.run(subprocess=True)

    result.assert_outcomes(passed=3)


def test_the_examples_have_what_they_promise(project):
    (project.path / "retail").symlink_to(EXAMPLES / "retail" / "retail")
    project.ini("delta_models = retail.bronze retail.silver retail.gold")

    items = [line for line in project.run("--collect-only", "-q").outlines if line.endswith("::ddl")]

    schemas = {line.split("::")[1].split(".")[1] for line in items}
    assert (len(items) >= 8, schemas) == (True, {"bronze", "silver", "gold"})
