"""Each recipe of the contributing guide is followed in a copy of the package, and tells what was forgotten.

The patches next to this file are small real additions. ``git diff -U1`` writes one again where the code has moved on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from support.recipes import follow, listed_files, patches, python

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Followed:
    """A recipe, and the addition that follows it.

    Args:
        title: Its heading in the guide.
        names: What the words in capitals of the guide are called here.
        tests: The tests that tell what was forgotten, with options of pytest.
        messages: What is said where a file is forgotten, by its path.
        works: A program that uses the addition, and ends without an error.
    """

    title: str
    names: dict[str, str] = field(default_factory=dict)
    tests: tuple[str, ...]
    messages: dict[str, str]
    works: str


RECIPES = {
    "change_kind": Followed(
        title="A change kind",
        names={"ASPECT": "comments"},
        tests=("tests/plan/test_change_kinds.py", "tests/report/test_codes.py", "-k", "DropTableComment or DD181"),
        messages={
            "plan/changes/comments.py": "'pytest_delta_schema.plan.changes' has no attribute 'DropTableComment'",
            "plan/changes/order.py": "step=Step.DROP_TABLE_COMMENT",
            "plan/aspects/comments.py": "no plan and no rule has the code of UndeclaredTableComment",
            "sql/aspects/comments.py": "sql/aspects/comments.py or sql/compiler.py does not render DropTableComment",
            "sql/statement.py": "kind=StatementKind.DROP_TABLE_COMMENT",
            "backends/memory/changes.py": "backends/memory/changes.py does not apply DropTableComment",
        },
        works="""
from pytest_delta_schema import Column, MemoryCatalog, Orchestrator, Table, plan_script
from pytest_delta_schema.plan.describe import change_lines
commented, bare = (Table("dev", "s", "t", [Column("id", "int")], comment=text) for text in ("All", ""))
orchestrator = Orchestrator.over(MemoryCatalog())
orchestrator.sync_tables([commented])
plan = orchestrator.plan_tables([bare])
assert [line[:4] for line in change_lines(*plan.align_tables)] == [("-", "comment", "'All'", "(absent)")]
assert "COMMENT ON TABLE `dev`.`s`.`t` IS NULL;" in plan_script(plan)
orchestrator.sync_tables([bare])
assert orchestrator.plan_tables([bare]).is_empty
""",
    ),
    "aspect": Followed(
        title="An aspect",
        names={"ASPECT": "row_filters"},
        tests=(
            *("tests/plan/test_change_kinds.py", "tests/package/test_aspects.py", "tests/rules/test_standard_rules.py"),
            *("-x", "-k", "row_filters or RowFilter or (every and not stage)"),
        ),
        messages={
            "delta/names/part_path.py": "delta/names/part_path.py names other aspects",
            "models/table.py": "Table has no argument row_filter",
            "state/states.py": "cannot import name 'RowFilterState' from 'pytest_delta_schema.state.states'",
            "state/keys.py": "state/keys.py does not compare row_filters",
            "state/json_format/json_form.py": "state/json_format/json_form.py leaves row_filters out",
            "plan/changes/row_filters.py": "cannot import name 'row_filters' from partially initialized module",
            "plan/changes/__init__.py": "cannot import name 'RowFilterAdd' from 'pytest_delta_schema.plan.changes'",
            "plan/changes/order.py": "step=Step.DROP_ROW_FILTER",
            "plan/aspects/row_filters.py": "No module named 'pytest_delta_schema.plan.aspects.row_filters'",
            "plan/planner.py": "plan/planner.py or state/keys.py does not compare row_filters",
            "sql/aspects/row_filters.py": "cannot import name 'row_filters' from 'pytest_delta_schema.sql.aspects'",
            "sql/compiler.py": "sql/compiler.py does not render RowFilter",
            "sql/statement.py": "kind=StatementKind.ADD_ROW_FILTER",
            "rules/aspects/row_filters.py": "No module named 'pytest_delta_schema.rules.aspects.row_filters'",
            "rules/standard_rules.py": "rules/standard_rules.py lacks rules",
            "backends/databricks/information_schema.py": "backends/databricks reads no row_filters",
        },
        works="""
from pytest_delta_schema import Column, MemoryCatalog, Orchestrator, Table, plan_script
table = Table("dev", "s", "t", [Column("id", "int")], row_filter="dev.gov.own_rows(id)")
orchestrator = Orchestrator.over(MemoryCatalog())
sql = "ALTER TABLE `dev`.`s`.`t` SET ROW FILTER `dev`.`gov`.`own_rows` ON (`id`)"
assert sql in plan_script(orchestrator.plan_tables([table]))
orchestrator.sync_tables([table])
assert orchestrator.plan_tables([table]).is_empty
""",
    ),
    "rule": Followed(
        title="A rule",
        names={"ASPECT": "comments"},
        tests=("tests/rules/test_standard_rules.py",),
        messages={
            "rules/aspects/comments.py": "No module named 'pytest_delta_schema.rules.aspects.comments'",
            "rules/standard_rules.py": "'CommentWithOuterSpace': 'aspects/comments.py'",
        },
        works="""
from pytest_delta_schema import Column, Table
from pytest_delta_schema.rules import PlanValidator
table = Table("dev", "s", "t", [Column("id", "int")], comment=" All")
assert [fault.code for fault in PlanValidator().model_violations([table])] == ["DS181"]
""",
    ),
    "report_format": Followed(
        title="A report format",
        names={"FORMAT": "csv"},
        tests=("tests/report/formats/test_formats.py",),
        messages={
            "report/formats/csv.py": "No module named 'pytest_delta_schema.report.formats.csv'",
            "report/formats/report_formats.py": "Extra items in the right set:\nE     'csv'",
            "settings/table.py": "Extra items in the left set:\nE     'csv'",
        },
        works="""
import contextlib, io, pathlib, pytest
text = '''from pytest_delta_schema import Column, Table
delta_tables = [Table("dev", "s", "t", [Column("id", "int"), Column("ID", "int")])]
'''
pathlib.Path("test_tables.py").write_text(text)
with contextlib.redirect_stdout(io.StringIO()):
    pytest.main(["-p", "pytest_delta_schema.plugin", "--delta-report=csv:out.csv", "test_tables.py"])
rows = pathlib.Path("out.csv").read_text().splitlines()
assert rows[0] == "code,file,line,text", rows
assert rows[1].startswith("DS103,test_tables.py,2,"), rows
""",
    ),
    "fixture": Followed(
        title="A fixture",
        names={"FUNCTION": "column_names"},
        tests=("tests/package/recipes/fixture_in_use.py", "-p", "pytest_delta_schema.plugin", "--delta-backend=memory"),
        messages={
            "test_kit/column_names.py": "No module named 'pytest_delta_schema.test_kit.column_names'",
            "plugin/fixtures/table_fixtures.py": "fixture 'delta_columns' not found",
            "plugin/fixtures/types.py": "has no attribute 'ColumnsOf'",
        },
        works="",
    ),
    "spark_version": Followed(
        title="A Spark version",
        names={"FORMER": "spark42"},
        tests=("tests/backends/local/session/test_pairs.py", "-k", "extra or pins"),
        messages={
            "delta/spark_pairs.py": "delta/spark_pairs.py has other pairs",
            "pyproject.toml": "pyproject.toml has other extras",
            "constraints.txt": "PosixPath('constraints.txt')",
            "constraints/spark42.txt": "No such file or directory",
            "tests/backends/local/session/test_pairs.py": "delta/spark_pairs.py has other pairs",
        },
        works="""
from pytest_delta_schema.backends.local.session.supported_versions import version_fault
from pytest_delta_schema.backends.spark.compat import delta_compat, pyspark_compat
from pytest_delta_schema.backends.spark.versions import SparkVersions
assert version_fault({"pyspark": "4.3.1", "delta-spark": "4.5.0"}) == ""
assert "delta-spark==4.5.0" in version_fault({"pyspark": "4.3.1"})
assert (pyspark_compat.VERSIONS, delta_compat.VERSIONS) == ({"pyspark": ">=3.5.3,<4.4"}, {"delta-spark": ">=3.3.2,<4.6"})
assert SparkVersions(spark=(4, 3)).delta == (4, 5)
""",
    ),
}


def run_tests(recipe: Followed, folder: Path) -> str:
    """Run the tests that tell what was forgotten; return what they say, ``""`` if they pass."""
    run = python(
        folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "--import-mode=importlib", *recipe.tests
    )
    assert run.returncode in {0, 1, 2, 4}, run.stdout + run.stderr
    return run.stdout + run.stderr if run.returncode else ""


@pytest.mark.parametrize("name", RECIPES)
def test_the_guide_lists_the_files_that_are_touched(name: str):
    recipe = RECIPES[name]

    assert sorted(listed_files(recipe.title, recipe.names)) == sorted(patches(name))


@pytest.mark.parametrize("name", RECIPES)
def test_the_addition_works(name: str, tmp_path: Path):
    recipe = RECIPES[name]
    folder = follow(name, tmp_path, recipe.tests)

    assert run_tests(recipe, folder) == ""
    run = python(folder, "-c", recipe.works)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("name", "file"), [(name, file) for name, recipe in RECIPES.items() for file in recipe.messages]
)
def test_a_forgotten_file_is_told(name: str, file: str, tmp_path: Path):
    recipe = RECIPES[name]
    forgotten = next(path for path in patches(name) if path.removeprefix("pytest_delta_schema/") == file)

    assert recipe.messages[file] in run_tests(recipe, follow(name, tmp_path, recipe.tests, forgotten=forgotten))


@pytest.mark.parametrize("name", RECIPES)
def test_each_file_of_the_package_is_told(name: str):
    touched = {file.removeprefix("pytest_delta_schema/") for file in patches(name) if not file.startswith("tests/")}

    assert touched <= RECIPES[name].messages.keys()
