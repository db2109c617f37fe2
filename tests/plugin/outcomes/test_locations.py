"""What the outcomes of a run say about the lines of declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.plugin.outcomes import outcome_of
from support.plugin_project import HEAD
from support.runs.marked_source import unmarked

if TYPE_CHECKING:
    from pytest_delta_schema.engine.outcomes import TableOutcome

DRIFTED = """
orders = «»«columns.old»Table(
    "dev", "silver", "orders",
    [
        Column("id", LongType(), «columns.id»is_nullable=False, «columns.id.comment»comment="Order ID"),
        «columns.amount»Column("amount", DecimalType(18, 2)),
    ],
    table_properties={«properties.team»"team": "sales"},
    «primary_key»primary_key=["id"],
)«/»«/columns.old»
"""
STORED = """MemoryCatalog([stored(
    "dev.silver.orders", ColumnState("id", "bigint", True, ""), ColumnState("old", "bigint", True, "")
)])"""


class Outcomes:
    """Keeps the outcomes of a run."""

    def __init__(self) -> None:
        self.all: list[TableOutcome] = []

    def pytest_runtest_logreport(self, report):
        outcome = outcome_of(report)
        if outcome is not None:
            self.all.append(outcome)


def test_every_change_of_a_drifted_table_is_where_its_part_is_declared(project):
    source, marks = unmarked((HEAD + DRIFTED).lstrip())
    project.pytester.makepyfile(models=source)
    project.catalog(STORED)
    outcomes = Outcomes()

    result = project.run("--delta-drift", "-m", "delta_drift", plugins=[outcomes])

    (outcome,) = outcomes.all
    file = str(project.path / "models.py")
    located = {change.path: change.location for change in outcome.changes}
    assert {"": outcome.location, **located} == {path: Location(file, *mark) for path, mark in marks.items()}
    violation = next(item for item in outcome.diagnostics if item.rule == "DropWithoutConsent")
    assert violation.location == Location(file, *marks[""])
    line, _, _ = marks[""]
    result.stdout.fnmatch_lines([f"declared at models.py:{line}"])


def test_a_table_that_passes_has_the_line_alone_and_no_file_is_read(project, monkeypatch):
    project.models("orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False))\n")
    project.catalog('MemoryCatalog([stored("dev.silver.orders", ID)])')
    outcomes = Outcomes()

    def refuse(*_):
        pytest.fail("a source file was read")

    monkeypatch.setattr("pytest_delta_schema.engine.source_map.decode_source", refuse)
    project.run("--delta-drift", "-m", "delta_drift", plugins=[outcomes])

    (outcome,) = outcomes.all
    assert outcome.location == Location(str(project.path / "models.py"), 7)


@pytest.mark.parametrize("folder", ["venv/lib/site-packages", "../elsewhere"])
def test_a_table_of_an_installed_package_is_where_the_project_lists_it(project, monkeypatch, folder):
    package = project.path / folder
    package.mkdir(parents=True)
    (package / "shop_tables.py").write_text(HEAD + unmarked(DRIFTED)[0])
    monkeypatch.syspath_prepend(package)
    project.ini("python_files = test_*.py")
    project.pytester.makepyfile(test_tables="import shop_tables\n\ndelta_tables = [\n    shop_tables.orders,\n]\n")
    project.catalog(STORED)
    outcomes = Outcomes()

    project.run("--delta-drift", "-m", "delta_drift", plugins=[outcomes])

    (outcome,) = outcomes.all
    assert {outcome.location, *(change.location for change in outcome.changes)} == {
        Location(str(project.path / "test_tables.py"), 3)
    }


def test_a_table_of_another_folder_of_the_repository_is_where_it_is_declared(project, monkeypatch):
    shared = project.path.parent / f"{project.path.name}-shared"
    shared.mkdir()
    monkeypatch.setenv("CI_PROJECT_DIR", str(project.path.parent))
    source, marks = unmarked((HEAD + DRIFTED).lstrip())
    (shared / "shared_tables.py").write_text(source)
    monkeypatch.syspath_prepend(shared)
    project.ini("python_files = test_*.py")
    project.pytester.makepyfile(test_tables="from shared_tables import orders\n\ndelta_tables = [orders]\n")
    project.catalog(STORED)
    outcomes = Outcomes()

    project.run("--delta-drift", "-m", "delta_drift", plugins=[outcomes])

    (outcome,) = outcomes.all
    assert outcome.location == Location(str(shared / "shared_tables.py"), *marks[""])


def test_a_table_that_another_file_of_the_project_lists_is_where_it_is_declared(project):
    source, marks = unmarked((HEAD + DRIFTED).lstrip())
    project.ini("python_files = test_*.py")
    project.pytester.makepyfile(shop=source, test_tables="import shop\n\ndelta_tables = [shop.orders]\n")
    project.catalog(STORED)
    outcomes = Outcomes()

    project.run("--delta-drift", "-m", "delta_drift", plugins=[outcomes])

    (outcome,) = outcomes.all
    assert outcome.location == Location(str(project.path / "shop.py"), *marks[""])
