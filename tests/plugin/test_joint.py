"""An apply creates the missing tables of all checks together, a sync writes all entries; each reports its own."""

from __future__ import annotations

import json
import signal
from collections import Counter

import pytest

from support.logs import field
from support.plugin_project import CATALOG
from support.unity import lake

MODELS = """
from pytest_delta_schema import ForeignKey
def model(name, *parents, **options):
    keys = [ForeignKey(["id"], f"dev.{parent}") for parent in parents]
    id_ = Column("id", LongType(), is_nullable=False)
    return table(f"dev.{name}", id_, primary_key=["id"], foreign_keys=keys, **options)
a, b, c, d = model("silver.a"), model("silver.b"), model("gold.c", "silver.a"), model("gold.d", "silver.b")
"""
HEAD = CATALOG.partition("@pytest.fixture")[0]
CONFTEST = """
from pathlib import Path
from pytest_delta_schema.diagnostics.errors import StatementError
RAN = Path(__file__).parent / "ran.txt"

class Journal(MemoryCatalog):
    def run(self, statement):
        if (statement.kind.value, statement.table.table) in {fail}:
            raise StatementError("disk full")
        super().run(statement)
        with RAN.open("a") as file:
            file.write(f"{{statement.table.table}}: {{statement.kind.value}}\\n")

@pytest.fixture(scope="{scope}")
def delta_catalog():
    return Journal()

def pytest_runtest_logreport(report):
    if report.when == "call":
        with RAN.open("a") as file:
            file.write(f"{{report.nodeid.rpartition('.')[2]}} {{report.outcome}}\\n")
"""
APPLY = ("--delta-apply", "-m", "delta_apply")


@pytest.fixture
def joint(project):
    """Run an apply of four tables, and return what pytest shows and what happened in which order."""

    def run(*args, fail=(), scope="session", extra="", models=MODELS, subprocess=False):
        project.models(models)
        project.pytester.makeconftest(HEAD + CONFTEST.format(fail=list(fail), scope=scope) + extra)
        result = project.run(*APPLY, *args, subprocess=subprocess)
        ran = project.path / "ran.txt"
        return result, ran.read_text().splitlines() if ran.exists() else []

    return run


ALL = [
    "a: create schema",
    "a: create table",
    "a: add primary key",
    "b: create table",
    "b: add primary key",
    "c: create schema",
    "c: create table",
    "c: add primary key",
    "c: add foreign key",
    "d: create table",
    "d: add primary key",
    "d: add foreign key",
]


def test_the_first_check_creates_all_tables_and_each_reports_its_own(joint):
    result, ran = joint("-v")

    result.assert_outcomes(passed=4)
    assert sorted(ran[:12]) == sorted(ALL)
    assert ran[12:] == [f"{name}::apply passed" for name in "abcd"]
    result.stdout.fnmatch_lines(
        [
            "apply: 4 applied, 12 statements run",
            "  applied     dev.gold.c, 2 changes",
            "    + schema dev.gold  (absent) -> created",
            "    CREATE SCHEMA IF NOT EXISTS `dev`.`gold`;",
            "    CREATE TABLE `dev`.`gold`.`c` (",
            "    ALTER TABLE `dev`.`gold`.`c` ADD CONSTRAINT *FOREIGN KEY*",
            "  applied     dev.gold.d, 1 change",
            "    CREATE TABLE `dev`.`gold`.`d` (",
            "  applied     dev.silver.a, 2 changes",
            "  applied     dev.silver.b, 1 change",
        ],
    )
    result.stdout.no_fnmatch_line("*which did not run*")


def test_a_failure_is_that_of_its_own_check_and_stops_only_the_children(joint):
    result, ran = joint(fail=[("create table", "b")])

    result.assert_outcomes(passed=2, failed=2)
    assert ran[-4:] == ["a::apply passed", "b::apply failed", "c::apply passed", "d::apply failed"]
    assert [line for line in ran if line.startswith("d:") and "apply" not in line] == []
    result.stdout.fnmatch_lines(
        [
            "dev.silver.b: statement 1 of 2 failed: disk full",
            "  to restore:  nothing was changed",
            "apply: 2 applied, 1 blocked, 1 failed, 7 statements run",
            "  blocked     dev.gold.d does not exist *needs dev.silver.b, which does not exist",
        ],
    )


STOPPED = """\
  created     before their checks, which did not run: dev.gold.c, dev.gold.d
"""


def test_x_stops_at_the_first_check_that_fails_and_what_was_created_is_reported(joint, project):
    report = project.path / "report.json"
    models = MODELS.replace('"gold.d", "silver.b"', '"gold.d", "silver.a"')

    result, ran = joint("-x", f"--delta-report=json:{report}", fail=[("create table", "b")], models=models)

    result.assert_outcomes(passed=1, failed=1)
    assert ran[-2:] == ["a::apply passed", "b::apply failed"]
    assert "apply: 3 applied, 1 failed, 10 statements run\n" in result.stdout.str()
    assert STOPPED in result.stdout.str()
    content = json.loads(report.read_text())
    assert not content["runs"][0]["complete"]
    assert [table["name"] for table in content["tables"]] == [
        "dev.gold.c",
        "dev.gold.d",
        "dev.silver.a",
        "dev.silver.b",
    ]


def test_tables_whose_checks_do_not_run_are_not_created(joint):
    result, ran = joint("-k", "not silver.b and not gold.d")

    assert {line[0] for line in ran} == {"a", "c"}
    result.stdout.fnmatch_lines(["apply: 2 applied, *"])


def test_an_interruption_of_the_creation(joint):
    extra = f"""
import os
class Stopped(Journal):
    def run(self, statement):
        if (statement.kind.value, statement.table.table) == ("create table", "b"):
            os.kill(os.getpid(), {signal.SIGINT:d})
        super().run(statement)

@pytest.fixture(scope="session")
def delta_catalog():
    return Stopped()
"""
    result, _ = joint(extra=extra)

    assert result.ret == pytest.ExitCode.INTERRUPTED
    lines = result.stdout.str()
    assert "dev.silver.a: interrupted after all 3 statements, before the table was read back\n" in lines
    assert "dev.silver.b: interrupted in statement 1 of 2\n" in lines
    assert "  running, not committed:\n" in lines
    assert "not begun: dev.gold.c, dev.gold.d\n" in lines


TABLES = 120
JOINT_SYNCS_MODELS = "\n".join(f"t{n} = table('dev.silver.t{n}', Column('id', LongType()))" for n in range(TABLES))


@pytest.fixture
def unity(project, tmp_path, monkeypatch):
    monkeypatch.delenv("UNITY_CATALOG_TOKEN", raising=False)
    with lake(tmp_path / "store") as made:
        project.settings('models = ["models"]', 'backend = "unity"', f'unity_uri = "{made.server.uri}"')
        project.models(JOINT_SYNCS_MODELS)
        for number in range(TABLES):
            made.table(f"dev.silver.t{number}", field("id"))
        made.server.metastore.look()
        yield made


def calls(unity):
    """Count calls by their method and the kind of their path."""
    kinds = {"/tables": "listing", "/delta/v1/config": "config"}
    return Counter(
        f"{method} {kinds.get(path, 'delta' if path.startswith('/delta') else 'entry')}"
        for method, path in unity.server.calls
    )


def test_a_schema_is_listed_once_and_the_calls_are_linear(project, unity):
    marked = ("--delta-sync-metadata", "-m", "delta_metadata", "-n2")

    result = project.run(*marked)

    result.assert_outcomes(passed=TABLES)
    result.stdout.fnmatch_lines(["*: --delta-sync-metadata runs in one process; the workers of xdist are turned off"])
    result.stdout.fnmatch_lines([f"sync-metadata: {TABLES} metadata synced, 0 statements run"])
    expected = {"GET listing": 2, "GET delta": TABLES, "GET entry": 2 * TABLES, "POST delta": TABLES, "GET config": 1}
    assert calls(unity) == expected

    unity.server.calls.clear()
    result = project.run(*marked)

    result.stdout.fnmatch_lines([f"sync-metadata: {TABLES} in sync, 0 statements run"])
    assert calls(unity) == {"GET listing": 2, "GET delta": TABLES, "GET entry": TABLES, "GET config": 1}
