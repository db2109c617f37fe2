"""The checks ``rules`` and ``ddl``: faults of declarations, and reviewed SQL that is never lost."""

from __future__ import annotations

import pytest

from support.plugin_project import ORDERS

TWO = f"{ORDERS}\nother = table('dev.silver.other', Column('id', LongType()))\n"
ONE = ["__snapshots__/models/dev.silver.orders.ddl.sql", "__snapshots__/models/dev.silver.orders.state.json"]
BOTH = [*ONE, "__snapshots__/models/dev.silver.other.ddl.sql", "__snapshots__/models/dev.silver.other.state.json"]
REVIEWED = """\
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL COMMENT 'Order ID',
  `created_ts` TIMESTAMP COMMENT 'Creation time',
  `amount` DECIMAL(18,2) COMMENT 'Order total'
)
USING DELTA
COMMENT 'Orders table'
TBLPROPERTIES (
  'delta.autoOptimize.optimizeWrite' = 'true'
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
"""


def test_a_snapshot_is_the_whole_script(project):
    project.models(ORDERS)

    project.run("--snapshot-update").assert_outcomes(passed=2)

    assert project.snapshots() == ONE
    assert (project.path / ONE[0]).read_text() == REVIEWED
    project.run().assert_outcomes(passed=2)


def test_without_a_snapshot_the_check_fails_with_the_command_that_creates_it(project):
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
            "FAILED models.py::dev.silver.orders::ddl - there is no snapshot yet",
        ],
    )


def test_a_changed_model_shows_a_difference_without_colours(project):
    project.models(ORDERS)
    project.run("--snapshot-update")
    project.models(ORDERS.replace("DecimalType(18, 2)", "DecimalType(20, 2)"))

    result = project.run("--color=yes")

    text = result.stdout.str()
    assert "\n-  `amount` DECIMAL(18,2) COMMENT 'Order total'\n+  `amount` DECIMAL(20,2) COMMENT" in text
    result.stdout.fnmatch_lines(["dev.silver.orders: its SQL is not the one in the snapshot"])


def test_the_short_summary_is_one_line_on_ci_as_well(project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    project.models(ORDERS)

    result = project.run()

    lines = result.outlines[next(i for i, line in enumerate(result.outlines) if "short test summary" in line) :]
    assert lines[1] == ("FAILED models.py::dev.silver.orders::ddl - there is no snapshot yet")
    assert lines[2].startswith("=")


def test_a_snapshot_that_is_no_text_is_reported_as_unreadable(project):
    project.models(ORDERS)
    project.run("--snapshot-update")
    (project.path / ONE[0]).write_bytes(b"\xff\xfe\x00")

    result = project.run()

    result.stdout.fnmatch_lines(["dev.silver.orders: the snapshot cannot be read or written: *"])


def test_the_defaults_of_the_project_are_part_of_the_script(project):
    project.settings('models = ["models"]', 'default_properties = { "team" = "sales=eu", "delta.appendOnly" = "true" }')
    project.models(ORDERS)

    project.run("--snapshot-update").assert_outcomes(passed=2)

    assert "'team' = 'sales=eu'" in (project.path / ONE[0]).read_text()
    project.settings('models = ["models"]')
    project.run().assert_outcomes(passed=1, failed=1)


def test_without_syrupy_the_check_is_skipped_with_its_reason(project):
    project.models(ORDERS)

    result = project.run("-p", "no:syrupy", "-rs")

    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["SKIPPED [[]1[]] models.py:8: snapshots need the syrupy plugin, which is switched off"],
    )


def test_any_text_can_be_kept_with_the_fixture(project):
    project.pytester.makepyfile(
        test_sql="""
        import pytest
        def test_it(delta_snapshot):
            assert delta_snapshot == "SELECT 1;\\r\\nSELECT 2;"
        def test_numbers(delta_snapshot):
            delta_snapshot == 1
            assert isinstance(delta_snapshot.executions[0].exception, TypeError)
        """,
    )
    project.settings()

    project.run("--snapshot-update").assert_outcomes(passed=2)

    assert (project.path / "__snapshots__/test_sql/test_it.sql").read_bytes() == b"SELECT 1;\nSELECT 2;\n"


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["--collect-only"], id="collect only"),
        pytest.param(["-k", "other"], id="by word"),
        pytest.param(["-m", "delta_rules"], id="by mark"),
        pytest.param(["models.py::dev.silver.other"], id="by node"),
        pytest.param(["--deselect", "models.py::dev.silver.orders"], id="deselected"),
        pytest.param(["--delta-drift"], id="drifted"),
        pytest.param(["-x", "--delta-drift"], id="stopped early"),
    ],
)
def test_updating_a_part_keeps_the_snapshots_of_the_rest(project, args):
    project.models(TWO)
    project.catalog("MemoryCatalog()")
    project.run("--snapshot-update")

    project.run("--snapshot-update", *args)

    assert project.snapshots() == BOTH


@pytest.mark.parametrize("broken", ["raise RuntimeError", "def test_it(): assert False"])
def test_updating_while_something_is_broken_keeps_all_snapshots(project, broken):
    project.models(TWO)
    project.run("--snapshot-update")
    project.models(ORDERS)
    project.pytester.makepyfile(test_broken=broken)

    project.run("--snapshot-update")

    assert project.snapshots() == BOTH


def test_a_whole_and_green_update_removes_what_is_left_over(project):
    project.models(TWO)
    project.run("--snapshot-update")
    project.models(ORDERS)

    project.run("--snapshot-update").assert_outcomes(passed=2)

    assert project.snapshots() == ONE


def test_looking_at_the_collection_is_no_failure(project):
    project.models(ORDERS)
    project.run("--snapshot-update")

    assert project.run("--collect-only").ret == 0


@pytest.mark.parametrize("reviewed", [None, "SELECT 2;"], ids=["new", "changed"])
def test_a_snapshot_of_a_test_says_how_it_is_accepted(project, reviewed):
    project.settings()
    module = "def test_it(delta_snapshot):\n    assert {!r} == delta_snapshot\n"
    if reviewed is not None:
        project.pytester.makepyfile(test_sql=module.format(reviewed))
        project.run("--snapshot-update")
    project.pytester.makepyfile(test_sql=module.format("\n".join(f"SELECT {number};" for number in range(100))))

    result = project.run()

    result.stdout.fnmatch_lines(["E *Review it, and accept it with: pytest --snapshot-update"])


@pytest.mark.parametrize("ci", ["", "true"], ids=["terminal", "CI"])
def test_every_change_of_a_long_text_is_shown_and_little_else(project, monkeypatch, ci):
    monkeypatch.setenv("CI", ci)
    project.settings()
    module = "def test_it(delta_snapshot):\n    assert {!r} == delta_snapshot\n"
    lines = [f"column {number}" for number in range(500)]
    project.pytester.makepyfile(test_sql=module.format("\n".join(lines)))
    project.run("--snapshot-update").assert_outcomes(passed=1)
    lines[0], lines[250] = "column zero", "column middle"
    project.pytester.makepyfile(test_sql=module.format("\n".join(lines)))

    result = project.run("-vv")

    shown = [line[1:].strip() for line in result.outlines if line.startswith("E ")]
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
        raise KeyError("oops")
"""


def test_all_violations_of_a_table_are_shown_the_first_as_headline(project):
    project.models(
        "bad = table('dev.silver.bad', Column('id', LongType()), Column('ID', LongType()), primary_key=['id', 'x'])\n",
    )

    result = project.run("-m", "delta_rules")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.bad: columns id, ID have one name*[[]DS103 DuplicateColumn]",
            "declared at models.py:7",
            "dev.silver.bad: *x*[[]DS104 InvalidPrimaryKeyColumn]",
            "FAILED models.py::dev.silver.bad::rules - columns id, ID*",
        ],
    )


def test_rules_of_the_project_come_from_hooks(project):
    project.models(ORDERS + "other = table('dev.silver.other', Column('a', LongType()), Column('b', LongType()))\n")
    project.pytester.makeconftest(
        RULES + "def pytest_delta_schema_model_rules(config):\n    return [Commented()]\n"
        "def pytest_delta_schema_plan_rules(config):\n    return [Frozen()]\n",
    )

    result = project.run("--delta-apply", "--delta-backend", "memory", "-m", "delta_rules or delta_apply")

    result.assert_outcomes(passed=1, failed=2, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.other: column a has no comment; write one [[]X1 Commented]",
            "dev.silver.other: column b has no comment; write one [[]X1 Commented]",
            "*blocked: the catalog is frozen",
            "  ! dev.silver.orders: the catalog is frozen; wait until Monday [[]X2 Frozen]",
        ],
    )


def test_a_rule_that_raises_is_named_and_blamed(project):
    project.models(ORDERS)
    project.pytester.makeconftest(RULES + "def pytest_delta_schema_model_rules(config):\n    return [Broken()]\n")

    result = project.run("-m", "delta_rules")

    result.stdout.fnmatch_lines(
        ["dev.silver.orders: rule Broken itself failed with KeyError: 'oops'; fix the rule [[]DS100 Broken]"],
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
        ],
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


@pytest.mark.parametrize(
    ("project_backend", "run_backend", "follows"),
    [
        ("databricks", "", True),
        ("databricks", "memory", True),
        ("memory", "", False),
        ("", "databricks", True),
        ("", "", False),
    ],
)
def test_a_snapshot_shows_checks_as_the_backend_of_the_project_takes_them(
    project, project_backend, run_backend, follows
):
    project.models(
        "from pytest_delta_schema import Check\n"
        "orders = table('dev.silver.orders', Column('id', LongType()), checks=[Check('positive', 'id > 0')])\n"
    )
    project.settings('models = ["models"]', *([f'backend = "{project_backend}"'] if project_backend else []))
    chosen = [f"--delta-backend={run_backend}"] if run_backend else []

    project.run("--snapshot-update", *chosen)

    (path,) = (project.path / "__snapshots__").rglob("*.sql")
    text = path.read_text("utf-8")
    assert ("ADD CONSTRAINT `positive` CHECK (id > 0);" in text) is follows
    assert ("'delta.constraints.positive' = 'id > 0'" in text) is not follows
    project.run(*chosen).assert_outcomes(passed=2)
