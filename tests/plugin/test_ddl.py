"""The checks ``rules`` and ``ddl``: faults of declarations, reviewed SQL, and texts that tests keep themselves."""

from __future__ import annotations

from support.plugin_project import MODELS, ORDERS


def test_without_a_snapshot_the_check_fails_with_the_command_that_creates_it(project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    project.models(ORDERS)

    result = project.run()

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.orders: there is no snapshot yet",
            "CREATE TABLE `dev`.`silver`.`orders` (",
            "This snapshot is new; review it, and accept it with: pytest --snapshot-update",
            (
                "Then commit the folder __snapshots__: from then on pytest fails if the SQL or the state changes, and"
                " reviewers see the difference."
            ),
        ],
    )
    result.stdout.fnmatch_lines(
        [
            "*short test summary info*",
            "FAILED models.py::dev.silver.orders::ddl - there is no snapshot yet",
            "=*1 failed, 1 passed*",
        ],
        consecutive=True,
    )


def test_without_syrupy_the_check_is_skipped_with_its_reason(project):
    project.models(ORDERS)

    result = project.run("-p", "no:syrupy", "-rs")

    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["SKIPPED [[]1[]] models.py:8: snapshots need the syrupy plugin, which is switched off"]
    )


def test_a_text_of_a_test_shows_every_change_and_how_it_is_accepted(project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    project.settings()
    module = "def test_it(delta_snapshot):\n    assert {!r} == delta_snapshot\n"
    lines = [f"column {number}" for number in range(500)]
    project.pytester.makepyfile(test_sql=module.format("\n".join(lines)))
    new = project.run()
    project.run("--snapshot-update").assert_outcomes(passed=1)
    lines[0], lines[250] = "column zero", "column middle"
    project.pytester.makepyfile(test_sql=module.format("\n".join(lines)))

    changed = project.run("-vv")

    for result in (new, changed):
        result.stdout.fnmatch_lines(["E *Review it, and accept it with: pytest --snapshot-update"])
    shown = [line[1:].strip() for line in changed.outlines if line.startswith("E ")]
    assert {"-column 0", "+column zero", "-column 250", "+column middle"} < set(shown)
    assert len(shown) < 30


RULES = """
import pytest
from pytest_delta_schema.diagnostics.errors import Diagnostic

class Commented:
    def check(self, table):
        for column in table.columns:
            if not column.comment:
                yield Diagnostic(rule="Commented", code="X1", table=table.qualified_name, path=f"columns.{column.name}",
                                message=f"column {column.name} has no comment", remedy="write one")

class Frozen:
    def check(self, action):
        yield Diagnostic(rule="Frozen", code="X2", table=str(action.table), path="",
                        message="the catalog is frozen", remedy="wait until Monday")

class Broken:
    def check(self, table):
        if table.table_name == "strange":
            raise KeyError("oops")
        return ()

def pytest_delta_schema_model_rules(config):
    return [Commented(), Broken()]

def pytest_delta_schema_plan_rules(config):
    return [Frozen()]
"""


def test_rules_of_the_project_come_from_hooks_and_one_that_raises_is_named(project):
    project.models(
        ORDERS + "other = table('dev.silver.other', Column('a', LongType()), Column('b', LongType()))\n"
        "strange = table('dev.silver.strange', Column('a', LongType(), comment='A'))\n"
    )
    project.pytester.makeconftest(RULES)

    result = project.run("--delta-apply", "--delta-backend", "memory", "-m", "delta_rules or delta_apply")

    result.assert_outcomes(passed=1, failed=3, skipped=2)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.other: column a has no comment; write one [[]X1 Commented]",
            "dev.silver.other: column b has no comment; write one [[]X1 Commented]",
            "dev.silver.strange: rule Broken itself failed with KeyError: 'oops'; fix the rule [[]DS100 Broken]",
            "*blocked: the catalog is frozen",
            "  ! dev.silver.orders: the catalog is frozen; wait until Monday [[]X2 Frozen]",
        ],
    )


INVALID = f"""{ORDERS}
bad = table("dev.silver.bad", Column("id", LongType()), Column("ID", LongType()), primary_key=["id", "x"])
"""


def test_a_broken_declaration_is_one_failed_check_with_all_violations_and_no_other_check_of_its_table(project):
    project.models(INVALID)

    result = project.run("--delta-apply", "--delta-backend", "memory", "--snapshot-update", "-rfs")

    result.assert_outcomes(passed=3, failed=1, skipped=2)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.bad: columns id, ID have one name*[[]DS103 DuplicateColumn]",
            "declared at models.py:20",
            "dev.silver.bad: *x*[[]DS104 InvalidPrimaryKeyColumn]",
            "apply: 1 applied, 1 blocked, 3 statements run",
            "  blocked     dev.silver.bad: columns id, ID have one name*",
            "FAILED models.py::dev.silver.bad::rules - columns id, ID*",
            "SKIPPED [[]2[]] models.py:20: the declaration breaks a rule; the check rules of this table shows it",
        ],
    )
    alone = project.run("-m", "delta_ddl")
    alone.stdout.fnmatch_lines(["FAILED models.py::dev.silver.bad::ddl - columns id, ID*"])


BACKENDS = [
    # the backend of the project, that of the run, and whether a check is a constraint
    ("databricks", "memory", True),
    ("memory", "", False),
    ("", "databricks", True),
    ("", "", False),
]


def test_a_snapshot_shows_checks_as_the_backend_of_the_project_takes_them(project):
    project.models(ORDERS)
    follows = []
    for of_project, of_run, _ in BACKENDS:
        project.settings(MODELS, *([f'backend = "{of_project}"'] if of_project else []))
        options = project.options(*([f"--delta-backend={of_run}"] if of_run else []))
        follows.append((of_project, of_run, options.settings.checks_follow))

    assert follows == BACKENDS
