"""``pytest --delta-apply``: applied, verified and reported; or refused by data checks, risk, or other processes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from support.plugin_project import ORDERS

BEFORE = """MemoryCatalog(
    [stored("dev.silver.orders", OLD, ColumnState("created_ts", "timestamp", True, ""))],
    rows={QualifiedName("dev", "silver", "orders"): [{"id": %s}]},
)"""
ONLY_ID = "orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False))\n"
NEW = "new = table('dev.silver.new', Column('id', LongType(), comment='Key'))\n"
APPLY = ("--delta-apply", "-m", "delta_apply")
DRIFT = ("--delta-drift", "-m", "delta_drift")
CHANGES = """\
apply: 2 applied, 7 statements run
  applied     dev.silver.new, 1 change
    + table  (absent) -> created with 1 column
  applied     dev.silver.orders, 8 changes; to restore: RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0
    + columns.amount                               (absent) -> decimal(18,2)
    ~ columns.id                                   nullable -> not null  [scan]
    + primary_key                                  (absent) -> pk_dev_silver_orders__id (id)  [scan]
    ~ columns.amount.comment                       ''       -> 'Order total'
    ~ columns.created_ts.comment                   ''       -> 'Creation time'
    ~ columns.id.comment                           ''       -> 'Order ID'
    ~ comment                                      ''       -> 'Orders table'
    + properties.delta.autoOptimize.optimizeWrite  (absent) -> 'true'
====="""
CREATION = """\
  applied     dev.silver.new, 1 change
    + table  (absent) -> created with 1 column

    CREATE TABLE `dev`.`silver`.`new` (
      `id` BIGINT COMMENT 'Key'
    )
    USING DELTA;

  applied     dev.silver.orders, 8 changes; *
"""


def test_tables_are_aligned_and_users_tests_find_them(project):
    project.models(ORDERS)
    project.catalog(BEFORE % 1)
    project.pytester.makepyfile(
        test_after="""
        import models
        from pytest_delta_schema import assert_no_drift
        def test_it(delta_catalog):
            assert_no_drift(models.orders, catalog=delta_catalog)
        """,
    )

    result = project.run_all("--delta-apply", "--snapshot-update", "-rP", "--junitxml=out.xml")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "  -- to restore: RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0",
            "  ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN",
            "    `id` SET NOT NULL;",
            "apply: 1 applied, 6 statements run",
        ],
    )
    assert '<property name="delta.version" value="0" />' in (project.path / "out.xml").read_text()


def test_each_changed_table_is_listed_with_its_changes_and_with_v_its_sql(project):
    project.models(ORDERS + NEW)
    project.catalog(BEFORE % 1)

    result = project.run(*APPLY, "--delta-warehouse=w/{worker}")
    verbose = project.run(*APPLY, "-v")

    assert CHANGES in result.stdout.str()
    verbose.stdout.fnmatch_lines(CREATION.splitlines(), consecutive=True)


def test_a_schema_that_two_new_tables_need_is_listed_where_it_was_created(project):
    project.models("".join(f"{name} = table('dev.gold.{name}', Column('id', LongType()))\n" for name in ("a", "b")))

    result = project.run(*APPLY, "--delta-backend=memory")

    result.assert_outcomes(passed=2)
    assert (
        "apply: 2 applied, 3 statements run\n"
        "  applied     dev.gold.a, 2 changes\n"
        "    + schema dev.gold  (absent) -> created\n"
        "    + table            (absent) -> created with 1 column\n"
        "  applied     dev.gold.b, 1 change\n"
        "    + table  (absent) -> created with 1 column\n"
    ) in result.stdout.str()


COUNTING = """
import pytest
from pytest_delta_schema import MemoryCatalog, QualifiedName
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.state import ColumnState, TableState

planned, compared = [], TablePlanner.compared

def counting(planner, desired, state):
    planned.append(desired.name.table)
    return compared(planner, desired, state)

TablePlanner.compared = counting

@pytest.fixture(scope="session")
def delta_catalog():
    names = [QualifiedName("dev", "silver", name) for name in ("drifted", "equal")]
    return MemoryCatalog([TableState(name=name, columns=(ColumnState("id", "bigint", True, ""),)) for name in names])

def pytest_sessionfinish():
    print("\\nplanned", *sorted(planned))
    TablePlanner.compared = compared
"""


@pytest.mark.parametrize(
    ("options", "planned"),
    [
        (DRIFT, "child drifted equal new"),
        # Each table that differs is read and planned again right before its statements, and once more after them.
        (APPLY, "child child child drifted drifted drifted equal new new new"),
    ],
)
def test_a_table_is_compared_once_with_what_was_read_of_it(project, options, planned):
    project.models(
        "from pytest_delta_schema import ForeignKey\n"
        "equal = table('dev.silver.equal', Column('id', LongType()))\n"
        "drifted = table('dev.silver.drifted', Column('id', LongType(), comment='Key'))\n"
        "new = table('dev.silver.new', Column('id', LongType(), is_nullable=False), primary_key=['id'])\n"
        "child = table('dev.silver.child', Column('id', LongType()), foreign_keys=[ForeignKey(['id'], new)])\n"
    )
    project.pytester.makeconftest(COUNTING)

    result = project.run(*options, "-s", "--delta-backend=memory")

    result.stdout.fnmatch_lines([f"planned {planned}"])


def test_what_became_right_since_the_catalog_was_read_is_not_done_twice(project):
    project.models(ONLY_ID)
    project.catalog(
        """type("Moving", (MemoryCatalog,), {"snapshot": lambda self, models: (
            MemoryCatalog.snapshot(self, models),
            self._tables.update({t.name: t for t in [stored("dev.silver.orders", ID)]}))[0]})(
            [stored("dev.silver.orders", OLD)])""",
    )

    project.run(*APPLY).stdout.fnmatch_lines(["apply: 1 in sync, 0 statements run"])


FAILING = """type("Failing", (MemoryCatalog,), {"run": lambda self, statement: fail(self, statement)})(
    [stored("dev.silver.orders", OLD, ColumnState("created_ts", "timestamp", True, ""))])
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.sql import StatementKind
def fail(self, statement):
    if statement.kind is StatementKind.ADD_PRIMARY_KEY:
        raise StatementError("disk full")
    MemoryCatalog.run(self, statement)"""


def test_a_statement_that_fails_is_reported_with_all_statements_and_the_table_restored_if_that_is_wanted(project):
    project.models(ORDERS)
    project.catalog(FAILING)

    result = project.run(*APPLY)
    restored = project.run(*APPLY, "--delta-set=on_failure=restore")

    result.stdout.fnmatch_lines(
        [
            "dev.silver.orders: statement 3 of 6 failed: disk full",
            "  done:",
            "      `id` SET NOT NULL;",
            "  failed:",
            "  not run:",
            "  to restore:  RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0",
            "  to continue: *",
            "apply: 1 failed, 2 statements run",
            "  failed      dev.silver.orders: statement 3 of 6 failed: disk full",
        ],
    )
    assert "Traceback" not in result.stdout.str()
    restored.assert_outcomes(failed=1)
    restored.stdout.fnmatch_lines(
        ["  to restore:  restored to version 0: RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"],
    )


MODELS = """
from pytest_delta_schema import Check
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("amount", LongType()),
    primary_key=["id"], checks=[Check("positive", "amount > 0")], comment="New")
"""
CATALOG = """MemoryCatalog(
    [stored("dev.silver.orders", ID, ColumnState("amount", "bigint", True, ""))],
    rows={QualifiedName("dev", "silver", "orders"): [{"id": %s, "amount": %s} for n in range(10)]},
)"""
CLEAN, BROKEN = CATALOG % ("n", "1"), CATALOG % ("n % 9", "n - 7")
CHECK = "dev.silver.orders: check positive (amount > 0) cannot be added, because 8 rows break it, of 10"
KEY = (
    "dev.silver.orders: primary key pk_dev_silver_orders__id (id) cannot be added, because 1 row repeats the key of"
    " another, of 10"
)
LISTED = (
    "; correct them (they are listed by SELECT [*] FROM `dev`.`silver`.`orders` WHERE NOT coalesce((amount > 0), false)),"
    " or change the check [[]DS302 RowsViolateCheck]"
)


def test_data_checks_say_that_an_apply_would_fail_and_why(project):
    project.models(MODELS)
    project.catalog(BROKEN)
    shown = [
        "dev.silver.orders has drifted, 3 changes: *; blocked: check positive (amount > 0) cannot be added, because *",
        "Blocked SQL:",
        f"  ! {CHECK}, such as id = 0, 1, 2, 3, 4{LISTED}",
        f"  ! {KEY}, such as id = 0; remove them *",
        "drift: 1 blocked, 0 statements run",
    ]

    result = project.run(*DRIFT, "--delta-preflight=count", "--junitxml=broken.xml")
    limit = project.run(*APPLY, "--delta-preflight", "limit")
    alone = project.run(*DRIFT)
    project.settings('models = ["models"]', 'preflight = "count"', "preflight_samples = 0")
    setting = project.run(*DRIFT)
    project.catalog(CLEAN)
    project.run(*DRIFT, "--junitxml=clean.xml")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(shown)
    first = CHECK.replace("8 rows break it, of 10", "at least 1 row breaks it")
    limit.stdout.fnmatch_lines([f"  ! {first}, such as id = 0{LISTED}", "apply: 1 blocked, 0 statements run"])
    alone.stdout.fnmatch_lines(["drift: 1 drifted, 0 statements run"])
    setting.stdout.fnmatch_lines([f"  ! {CHECK}{LISTED}", "drift: 1 blocked, 0 statements run"])
    for name, expected in {"broken": [CHECK, KEY], "clean": ["passed"]}.items():
        properties = ET.parse(project.path / f"{name}.xml").iter("property")
        values = [item.get("value", "") for item in properties if item.get("name") == "delta.preflight"]
        assert [text.partition(", such as")[0] for text in values] == expected


@pytest.mark.parametrize(("mode", "ends"), [(DRIFT, "drift: 1 drifted"), (APPLY, "apply: 1 applied")])
def test_off_asks_nothing(project, mode, ends):
    project.models(MODELS)
    project.catalog(
        """type("Mute", (MemoryCatalog,), {"data_checks": None})(
            [stored("dev.silver.orders", ID, ColumnState("amount", "bigint", True, ""))])""",
    )

    project.run(*mode, "--delta-preflight=off").stdout.fnmatch_lines([f"{ends}, *"])


def test_a_data_check_that_fails_is_reported_like_a_statement_that_fails(project):
    project.models(MODELS)
    project.catalog(
        """type("Broken", (MemoryCatalog,), {"data_checks": lambda *_: fail()})(
            [stored("dev.silver.orders", ID, ColumnState("amount", "bigint", True, ""))])
from pytest_delta_schema.diagnostics.errors import StatementError
def fail():
    raise StatementError("no cluster")""",
    )

    result = project.run(*DRIFT, "--delta-preflight=count")

    result.assert_outcomes(failed=1)
    story = "dev.silver.orders: its rows cannot be read: no cluster; fix the cause and run again"
    result.stdout.fnmatch_lines([story, "drift: 1 failed, 0 statements run", f"  failed      {story}"])


def test_values_that_a_new_partition_would_not_keep_hold_a_rewrite_back(project):
    project.models(
        """orders = table("dev.silver.orders", Column("id", LongType()), Column("p", StringType()), partitioned_by=["p"])"""
    )
    project.catalog(
        """MemoryCatalog(
            [stored("dev.silver.orders", ID, ColumnState("p", "string", True, ""))],
            rows={QualifiedName("dev", "silver", "orders"): [{"id": 1, "p": ""}, {"id": 2, "p": "a"}]},
        )""",
    )

    for mode in (DRIFT, APPLY):
        result = project.run(*mode, "--delta-preflight=count", "--delta-allow=rewrite dev.silver.orders")

        result.assert_outcomes(failed=1)
        fact = (
            "column p cannot become a partition column, because 1 row holds a value that is read *, of 2, such as p = "
        )
        remedy = "replace the values (they are listed by *), or choose another layout [[]DS306 Part*"
        result.stdout.fnmatch_lines([f"  ! dev.silver.orders: {fact}; {remedy}"])


RISK_MODELS = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("new", LongType()), primary_key=["id"])
other = table("dev.gold.other", Column("id", LongType()))
"""
RISK_CATALOG = """MemoryCatalog([stored("dev.silver.orders", OLD)])"""
REFUSED = (
    "  ! dev.silver.orders: changes columns.id (scan), primary_key (scan) are riskier than {}, the maximum of this run;"
    " raise --delta-max-risk, or remove them from the model [[]DS212 MaxRiskExceeded]"
)


def test_changes_above_the_limit_are_refused_and_new_tables_are_not(project):
    project.models(RISK_MODELS)
    project.catalog(RISK_CATALOG)

    within = project.run(*APPLY, "--delta-max-risk", "scan")
    option = project.run(*APPLY, "--delta-max-risk=metadata")
    project.settings('models = ["models"]', 'max_risk = "feature"')
    setting = project.run(*APPLY)

    within.assert_outcomes(passed=2)
    for result, limit in ((option, "metadata"), (setting, "feature")):
        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines([REFUSED.format(limit), "apply: 1 applied, 1 blocked, 2 statements run"])


def test_protected_tables_are_not_changed_and_a_pattern_that_protects_nothing_is_reported(project):
    project.settings('models = ["models"]', 'protected = ["prod.*", "DEV.silver.*"]')
    project.models(RISK_MODELS)
    project.catalog(RISK_CATALOG)

    looked = project.run(*DRIFT)
    applied = project.run(*APPLY, "--junitxml=report.xml")

    looked.stdout.fnmatch_lines(["drift: 2 drifted, 0 statements run"])
    applied.assert_outcomes(passed=1, failed=1)
    applied.stdout.fnmatch_lines(
        [
            (
                "  ! dev.silver.orders: is protected by the pattern DEV.silver.[*] of the setting protected, so no run"
                " changes it; change it in the way that was agreed on for it, or remove the pattern [[]DS213 ProtectedTable]"
            ),
        ],
    )
    note = "the pattern prod.* of the setting protected matches no table of this run; fix or remove it"
    assert applied.stdout.str().count(f"  unused      {note}\n") == 1
    assert f'<property name="delta.unused" value="{note}" />' in project.path.joinpath("report.xml").read_text()
    assert "the pattern DEV.silver.* of the setting protected matches" not in applied.stdout.str()


def test_a_protected_pattern_matches_a_table_of_that_name(project):
    project.models('orders = Table("dev", "silver", "o[1]", [Column("id", LongType())])')
    project.catalog("MemoryCatalog()")
    for pattern in ("dev.silver.o[1]", "dev.silver.O[[]1]", "dev.silver.o?1?", "*[[]*"):
        project.settings('models = ["models"]', f'protected = ["{pattern}"]')

        result = project.run(*APPLY)

        result.assert_outcomes(failed=1)
        assert f"is protected by the pattern {pattern} of the setting protected" in result.stdout.str()
        assert "matches no table" not in result.stdout.str()


NO_EFFECT = "{} has no effect without --delta-drift or --delta-apply; give one of them, too"


@pytest.mark.parametrize("option", ["--delta-preflight=count", "--delta-max-risk=scan"])
def test_an_option_without_a_mode_is_a_usage_error(project, option):
    project.models(MODELS)

    result = project.run(option)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {NO_EFFECT.format(option.partition('=')[0])}"])
