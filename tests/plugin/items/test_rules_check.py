"""The check ``rules``, and rules of the project's own."""

from __future__ import annotations

import pytest

from support.plugin_project import ORDERS

RULES = """
import pytest
from pytest_delta_schema import Diagnostic

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
        raise KeyError("oops")
"""


def test_all_violations_of_a_table_are_shown_the_first_as_headline(project):
    project.models(
        "bad = table('dev.silver.bad', Column('id', LongType()), Column('ID', LongType()), primary_key=['id', 'x'])\n"
    )

    result = project.run("-m", "delta_rules")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.bad: columns id, ID have one name*[[]DS103 DuplicateColumn]",
            "declared at models.py:7",
            "dev.silver.bad: *x*[[]DS104 InvalidPrimaryKeyColumn]",
            "FAILED models.py::dev.silver.bad::rules - columns id, ID*",
        ]
    )


def test_rules_of_the_project_come_from_hooks(project):
    project.models(ORDERS + "other = table('dev.silver.other', Column('a', LongType()), Column('b', LongType()))\n")
    project.pytester.makeconftest(
        RULES + "def pytest_delta_schema_model_rules(config):\n    return [Commented()]\n"
        "def pytest_delta_schema_plan_rules(config):\n    return [Frozen()]\n"
    )

    result = project.run("--delta-apply", "--delta-backend", "memory", "-m", "delta_rules or delta_apply")

    result.assert_outcomes(passed=1, failed=2, skipped=1, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.other: column a has no comment; write one [[]X1 Commented]",
            "dev.silver.other: column b has no comment; write one [[]X1 Commented]",
            "*blocked: the catalog is frozen",
            "  ! dev.silver.orders: the catalog is frozen; wait until Monday [[]X2 Frozen]",
        ]
    )


def test_a_rule_that_raises_is_named_and_blamed(project):
    project.models(ORDERS)
    project.pytester.makeconftest(RULES + "def pytest_delta_schema_model_rules(config):\n    return [Broken()]\n")

    result = project.run("-m", "delta_rules")

    result.stdout.fnmatch_lines(
        ["dev.silver.orders: rule Broken itself failed with KeyError: 'oops'; fix the rule [[]DS100 Broken]"]
    )


BROKEN = ORDERS + "empty = table('dev.silver.empty')\n"
SHOWN = "models.py:19: the declaration breaks a rule; the check rules of this table shows it"


def test_a_broken_declaration_is_one_failed_item_and_no_check_of_another_table(project):
    project.models(BROKEN)

    result = project.run("--delta-apply", "--delta-backend", "memory", "--snapshot-update", "-rs")

    result.assert_outcomes(passed=3, failed=1, skipped=2)
    result.stdout.fnmatch_lines(
        [
            "apply: 1 applied, 1 blocked, 3 statements run",
            "  blocked     dev.silver.empty: has no columns; *",
            f"SKIPPED [[]2[]] {SHOWN}",
        ]
    )


@pytest.mark.parametrize("mark", ["delta_ddl", "delta_drift"])
def test_a_broken_declaration_fails_a_check_that_runs_without_that_of_the_rules(project, mark):
    project.models(BROKEN)

    result = project.run("--delta-drift", "--delta-backend", "memory", "-m", mark, "--snapshot-update")

    result.stdout.fnmatch_lines([f"FAILED models.py::dev.silver.empty::{mark[6:]} - has no columns; *"])


def test_the_snapshot_of_a_broken_declaration_is_not_unused(project):
    project.models(ORDERS)
    project.run("--snapshot-update")
    project.models(ORDERS.replace('"id"]', '"no"]'))

    result = project.run()

    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.no_fnmatch_line("*snapshot unused*")
    assert project.snapshots() == [
        "__snapshots__/models/dev.silver.orders.ddl.sql",
        "__snapshots__/models/dev.silver.orders.state.json",
    ]
