"""The examples are projects of their own; here each of them is used like one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.covering import ALL
from support.plugin_project import reads_tool_pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


# How many tables and tests each has. What the second ones apply is like what the first ones do.
APPLIED = {"evolution": (2, 11), "pipeline": (4, 18)}
ALIKE = {"orders": (1, 2), "loans": (1, 5), "retail": (9, 5)}


def take(example, project):
    """Let the project be an example."""
    for path in project.path.iterdir():
        path.unlink()
    ignored = shutil.ignore_patterns(".delta-warehouse", ".pytest_cache", "__pycache__")
    shutil.copytree(EXAMPLES / example, project.path, dirs_exist_ok=True, ignore=ignored)


@pytest.fixture
def shared_catalogs(spark_catalog, warehouse):
    """The folder of the catalogs of all tests on Spark, in which an example leaves no schema."""
    yield warehouse
    for catalog in (name for name in ("dev", "history") if (warehouse / name).is_dir()):
        for row in spark_catalog.spark.sql(f"SHOW SCHEMAS IN {catalog}").collect():
            spark_catalog.drop_schema(catalog, row.namespace)


@pytest.mark.spark
@pytest.mark.parametrize("example", [*APPLIED, *(ALIKE if ALL else ())])
def test_an_example_applies_gates_and_tests(project, example, shared_catalogs):
    tables, tests = (APPLIED | ALIKE)[example]
    take(example, project)
    where = f"--delta-warehouse={shared_catalogs}"

    applied = project.run_all("--delta-apply", where)

    applied.assert_outcomes(passed=3 * tables + tests)
    applied.stdout.fnmatch_lines([f"apply: {tables} applied, *"])

    if example == "evolution":
        return  # its tests have changed it
    gated = project.run("--delta-drift", "-m", "delta", where)

    gated.assert_outcomes(passed=3 * tables, deselected=tests)
    gated.stdout.fnmatch_lines([f"drift: {tables} in sync, 0 statements run"])


@reads_tool_pytest
@pytest.mark.parametrize("example", ALIKE)
def test_the_contract_of_an_example_is_valid_and_its_sql_reviewed(project, example):
    tables, tests = ALIKE[example]
    take(example, project)

    project.run("-m", "delta").assert_outcomes(passed=2 * tables, deselected=tests)


@reads_tool_pytest
def test_the_example_of_each_name_runs(project):
    take("api", project)

    result = project.run("-m", "not spark and not databricks")

    assert result.ret == 0
    assert result.parseoutcomes().keys() == {"passed", "deselected"}


@reads_tool_pytest
@pytest.mark.spark
def test_the_examples_of_names_on_spark_run(project, shared_catalogs):
    take("api", project)

    result = project.run("-m", "spark", f"--delta-warehouse={shared_catalogs}")

    assert result.ret == 0
    assert result.parseoutcomes().keys() == {"passed", "deselected"}


@pytest.mark.spark
@pytest.mark.own_jvm
def test_the_example_on_unity_catalog_runs(project):
    take("unity", project)

    result = project.run(subprocess=True)

    result.assert_outcomes(passed=3)
