"""``pytest --delta-apply``: applied, verified and reported; or refused by data checks, risk, or other processes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from support.plugin_project import ORDERS

BEFORE = """MemoryCatalog(
    [stored("dev.silver.orders", OLD, ColumnState("created_ts", "timestamp", True, ""))],
    rows={QualifiedName("dev", "silver", "orders"): [{"id": %s}]},
)"""
LEGACY = """MemoryCatalog([stored("dev.silver.orders", ID, ColumnState("legacy", "bigint", True, ""),
    table_properties={"delta.columnMapping.mode": "name"})])"""
ONLY_ID = "orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False))\n"


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

    result = project.run_all("--delta-apply", "--snapshot-update", "-rP")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "  ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN",
            "    `id` SET NOT NULL;",
            "apply: 1 applied, 6 statements run",
        ],
    )


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
DYING = """
import pytest
from pytest_delta_schema import MemoryCatalog, QualifiedName
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.state import ColumnState, TableState

class Dying(MemoryCatalog):
    has_run = False
    def run(self, statement):
        super().run(statement)
        self.has_run = True
    def snapshot(self, models):
        if self.has_run:
            raise StatementError("the server is gone")
        return super().snapshot(models)

@pytest.fixture(scope="session")
def delta_catalog():
    return Dying([TableState(
        name=QualifiedName("dev", "silver", "orders"), columns=(ColumnState("id", "bigint", False, ""),)
    )])
"""


def test_statements_before_a_server_died_are_counted_and_can_be_restored(project):
    project.models(ORDERS)
    project.pytester.makeconftest(DYING)

    result = project.run("--delta-apply", "--snapshot-update")

    result.stdout.fnmatch_lines(
        [
            "*dev.silver.orders: all 5 statements ran, and then the table could not be read back: the server is gone*",
            "*to restore:  RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0*",
            "apply: 1 failed, 5 statements run",
        ],
    )


def test_a_schema_that_two_new_tables_need_is_listed_where_it_was_created(project):
    project.models("".join(f"{name} = table('dev.gold.{name}', Column('id', LongType()))\n" for name in ("a", "b")))

    result = project.run("--delta-apply", "--delta-backend=memory", "-m", "delta_apply")

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
"""


@pytest.mark.parametrize(
    ("options", "planned"),
    [
        (["--delta-drift", "-m", "delta_drift"], "child drifted equal new"),
        # Each table that differs is read and planned again right before its statements, and once more after them.
        (["--delta-apply", "-m", "delta_apply"], "child child child drifted drifted drifted equal new new new"),
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


def test_each_changed_table_is_listed_with_its_changes_and_the_version_to_restore(project):
    project.models(ORDERS + "new = table('dev.silver.new', Column('id', LongType(), comment='Key'))\n")
    project.catalog(BEFORE % 1)

    result = project.run("--delta-apply", "-m", "delta_apply", "--delta-warehouse=w/{worker}")

    assert CHANGES in result.stdout.str()


def test_the_sql_of_an_apply_is_shown_with_v(project):
    project.models(ORDERS + "new = table('dev.silver.new', Column('id', LongType(), comment='Key'))\n")
    project.catalog(BEFORE % 1)

    result = project.run("--delta-apply", "-m", "delta_apply", "-v")

    result.stdout.fnmatch_lines(CREATION.splitlines(), consecutive=True)


def test_nothing_to_do_is_nothing_done(project):
    project.models(ONLY_ID)
    project.catalog("""MemoryCatalog([stored("dev.silver.orders", ID)])""")

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.stdout.fnmatch_lines(["apply: 1 in sync, 0 statements run"])


def test_what_became_right_since_the_catalog_was_read_is_not_done_twice(project):
    project.models(ONLY_ID)
    project.catalog(
        """type("Moving", (MemoryCatalog,), {"snapshot": lambda self, models: (
            MemoryCatalog.snapshot(self, models),
            self._tables.update({t.name: t for t in [stored("dev.silver.orders", ID)]}))[0]})(
            [stored("dev.silver.orders", OLD)])""",
    )

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.stdout.fnmatch_lines(["apply: 1 in sync, 0 statements run"])


def test_data_that_refuses_is_counted_and_nothing_is_changed(project):
    project.models(ORDERS)
    project.catalog(BEFORE % None)

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "Blocked SQL:",
            (
                "  ! dev.silver.orders: column id cannot be NOT NULL, because 1 row holds NULL in it, of 1; fill them"
                " (they are listed by SELECT [*] FROM `dev`.`silver`.`orders` WHERE `id` IS NULL), or declare it nullable"
                " [[]DS301 NullsInColumn]"
            ),
            "apply: 1 blocked, 0 statements run",
        ],
    )


def test_a_statement_that_fails_is_reported_with_all_statements(project):
    project.models(ORDERS)
    project.catalog(FAILING)

    result = project.run("--delta-apply", "-m", "delta_apply")

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


def test_columns_are_dropped_with_consent_only(project):
    project.models(ONLY_ID)
    project.catalog(LEGACY)

    refused = project.run("--delta-apply", "-m", "delta_apply")
    allowed = project.run("--delta-apply", "-m", "delta_apply", "--delta-allow", "drop-column DEV.silver.orders.Legacy")

    refused.stdout.fnmatch_lines(["apply: 1 blocked, 0 statements run", "*legacy*"])
    allowed.stdout.fnmatch_lines(["apply: 1 applied, 1 statement run"])


FAILING = """type("Failing", (MemoryCatalog,), {"run": lambda self, statement: fail(self, statement)})(
    [stored("dev.silver.orders", OLD, ColumnState("created_ts", "timestamp", True, ""))])
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.sql import StatementKind
def fail(self, statement):
    if statement.kind is StatementKind.ADD_PRIMARY_KEY:
        raise StatementError("disk full")
    MemoryCatalog.run(self, statement)"""


def test_a_table_that_stops_midway_is_restored_if_that_is_wanted(project):
    project.models(ORDERS)
    project.catalog(FAILING)

    result = project.run("--delta-apply", "-m", "delta_apply", "--delta-set=on_failure=restore")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["  to restore:  restored to version 0: RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"],
    )


def test_an_apply_names_the_version_before_it(project):
    project.models(ORDERS)
    project.catalog(BEFORE % 1)

    result = project.run("--delta-apply", "-m", "delta_apply", "-rP", "--junitxml=out.xml")

    result.stdout.fnmatch_lines(["  -- to restore: RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"])
    assert '<property name="delta.version" value="0" />' in (project.path / "out.xml").read_text()


MODELS = """
from pytest_delta_schema import Check
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("amount", LongType()),
    primary_key=["id"], checks=[Check("positive", "amount > 0")], comment="New")
"""
CATALOG = """MemoryCatalog(
    [stored("dev.silver.orders", ID, ColumnState("amount", "bigint", True, ""))],
    rows={QualifiedName("dev", "silver", "orders"): [{"id": n %% 9, "amount": %s} for n in range(10)]},
)"""
CLEAN, BROKEN = CATALOG % "1", CATALOG % "n - 7"
CHECK = "dev.silver.orders: check positive (amount > 0) cannot be added, because 8 rows break it, of 10"
KEY = "dev.silver.orders: primary key pk_dev_silver_orders__id (id) cannot be added, because 1 row repeats the key of another, of 10"
LISTED = "; correct them (they are listed by SELECT [*] FROM `dev`.`silver`.`orders` WHERE NOT coalesce((amount > 0), false)), or change the check [[]DS302 RowsViolateCheck]"


@pytest.mark.parametrize("how", ["option", "ini"])
def test_drift_reports_that_an_apply_would_fail_and_why(project, how):
    project.models(MODELS)
    project.catalog(BROKEN)
    if how == "ini":
        project.settings('models = ["models"]', 'preflight = "count"')

    result = project.run(
        "--delta-drift",
        "-m",
        "delta_drift",
        *(["--delta-preflight=count"] if how == "option" else []),
    )

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.orders has drifted, 3 changes: *; blocked: check positive (amount > 0) cannot be added, because *",
            "Blocked SQL:",
            f"  ! {CHECK}, such as id = 0, 1, 2, 3, 4{LISTED}",
            f"  ! {KEY}, such as id = 0; remove them *",
            "drift: 1 blocked, 0 statements run",
        ],
    )


def test_drift_alone_asks_nothing(project):
    project.models(MODELS)
    project.catalog(BROKEN)

    project.run("--delta-drift", "-m", "delta_drift").stdout.fnmatch_lines(["drift: 1 drifted, 0 statements run"])


@pytest.mark.parametrize(
    ("mode", "ends"),
    [("--delta-drift", "drift: 1 drifted"), ("--delta-apply", "apply: 1 applied")],
)
def test_off_asks_nothing(project, mode, ends):
    project.models(MODELS)
    project.catalog(
        """type("Mute", (MemoryCatalog,), {"data_checks": None})(
            [stored("dev.silver.orders", ID, ColumnState("amount", "bigint", True, ""))])""",
    )

    result = project.run(mode, "--delta-preflight=off", "-m", "delta_drift or delta_apply")

    result.stdout.fnmatch_lines([f"{ends}, *"])


def test_limit_stops_at_the_first_row(project):
    project.models(MODELS)
    project.catalog(BROKEN)

    result = project.run("--delta-apply", "-m", "delta_apply", "--delta-preflight", "limit")

    result.stdout.fnmatch_lines(
        [f"  ! {CHECK.replace('8 rows break it, of 10', 'at least 1 row breaks it')}, such as id = 0{LISTED}"],
    )


def test_no_samples_if_they_are_not_wanted(project):
    project.settings('models = ["models"]', "preflight_samples = 0")
    project.models(MODELS)
    project.catalog(BROKEN)

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.stdout.fnmatch_lines([f"  ! {CHECK}{LISTED}"])


@pytest.mark.parametrize(("catalog", "expected"), [(CLEAN, ["passed"]), (BROKEN, [CHECK, KEY])])
def test_the_answer_lands_in_junits_properties(project, catalog, expected):
    project.models(MODELS)
    project.catalog(catalog.replace("n % 9", "n") if catalog is CLEAN else catalog)

    project.run("--delta-drift", "--delta-preflight=count", "-m", "delta_drift", "--junitxml=out.xml")

    properties = ET.parse(project.path / "out.xml").iter("property")
    values = [item.get("value") for item in properties if item.get("name") == "delta.preflight"]
    assert [text.partition(", such as")[0] for text in values] == expected


def test_a_data_check_that_fails_is_reported_like_a_statement_that_fails(project):
    project.models(MODELS)
    project.catalog(
        """type("Broken", (MemoryCatalog,), {"data_checks": lambda *_: fail()})(
            [stored("dev.silver.orders", ID, ColumnState("amount", "bigint", True, ""))])
from pytest_delta_schema.diagnostics.errors import StatementError
def fail():
    raise StatementError("no cluster")""",
    )

    result = project.run("--delta-drift", "--delta-preflight=count", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    story = "dev.silver.orders: its rows cannot be read: no cluster; fix the cause and run again"
    result.stdout.fnmatch_lines([story, "drift: 1 failed, 0 statements run", f"  failed      {story}"])


def test_a_table_that_does_not_exist_has_no_rows_to_ask(project):
    project.models(MODELS)

    result = project.run("--delta-drift", "--delta-preflight=count", "-m", "delta_drift", "--delta-backend=memory")

    result.stdout.fnmatch_lines(["drift: 1 drifted, 0 statements run"])


@pytest.mark.parametrize(
    ("lines", "args", "message"),
    [
        (
            (),
            ["--delta-preflight=count"],
            "--delta-preflight has no effect without --delta-drift or --delta-apply; give*",
        ),
        (
            (),
            ["--delta-drift", "--delta-preflight=all"],
            "--delta-preflight is 'all'; choose count, limit or off",
        ),
        (
            ("preflight = 'some'",),
            ["--delta-drift"],
            "*: preflight is 'some'; choose count, limit or off",
        ),
        (
            ("preflight_samples = 'many'",),
            ["--delta-apply"],
            "*: preflight_samples is 'many'; write a whole number, 0 or more",
        ),
    ],
)
def test_an_invalid_value_is_a_usage_error(project, lines, args, message):
    project.models(MODELS)
    project.settings('models = ["models"]', *lines)

    result = project.run(*args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


@pytest.mark.parametrize("mode", ["--delta-drift", "--delta-apply"])
def test_values_that_a_new_partition_would_not_keep_hold_a_rewrite_back(project, mode):
    project.models("""orders = table("dev.silver.orders", Column("id", LongType()), Column("p", StringType()),
    partitioned_by=["p"])""")
    project.catalog(
        """MemoryCatalog([stored("dev.silver.orders", ID, ColumnState("p", "string", True, ""))], rows={QualifiedName("dev", "silver", "orders"): [{"id": 1, "p": ""}, {"id": 2, "p": "a"}]})""",
    )

    result = project.run(
        mode,
        "--delta-preflight=count",
        "-m",
        mode[2:].replace("-", "_"),
        "--delta-allow=rewrite dev.silver.orders",
    )

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "  ! dev.silver.orders: column p cannot become a partition column, because 1 row holds a value that is read *, of 2, such as p = ; replace the values (they are listed by *), or choose another layout [[]DS306 Part*",
        ],
    )


RISK_MODELS = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("new", LongType()), primary_key=["id"])
other = table("dev.gold.other", Column("id", LongType()))
"""
RISK_CATALOG = """MemoryCatalog([stored("dev.silver.orders", OLD)])"""
REFUSED = (
    "  ! dev.silver.orders: changes columns.id (scan), primary_key (scan) are riskier than {}, the maximum of this run;"
    " raise --delta-max-risk, or remove them from the model [[]DS212 MaxRiskExceeded]"
)


@pytest.mark.parametrize("limit", ["metadata", "feature"])
@pytest.mark.parametrize("how", ["option", "ini"])
def test_changes_above_the_limit_are_refused_and_new_tables_are_not(project, limit, how):
    project.models(RISK_MODELS)
    project.catalog(RISK_CATALOG)
    if how == "ini":
        project.settings('models = ["models"]', f'max_risk = "{limit}"')

    result = project.run(
        "--delta-apply",
        "-m",
        "delta_apply",
        *([f"--delta-max-risk={limit}"] if how == "option" else []),
    )

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([REFUSED.format(limit), "apply: 1 applied, 1 blocked, 2 statements run"])


def test_changes_within_the_limit_are_done(project):
    project.models(RISK_MODELS)
    project.catalog(RISK_CATALOG)

    result = project.run("--delta-apply", "-m", "delta_apply", "--delta-max-risk", "scan")

    result.assert_outcomes(passed=2)


def test_protected_tables_are_not_changed_and_may_be_looked_at(project):
    project.settings('models = ["models"]', 'protected = ["prod.*", "DEV.silver.*"]')
    project.models(RISK_MODELS)
    project.catalog(RISK_CATALOG)

    looked = project.run("--delta-drift", "-m", "delta_drift")
    applied = project.run("--delta-apply", "-m", "delta_apply")

    looked.stdout.fnmatch_lines(["drift: 2 drifted, 0 statements run"])
    applied.assert_outcomes(passed=1, failed=1)
    applied.stdout.fnmatch_lines(
        [
            (
                "  ! dev.silver.orders: is protected by the pattern DEV.silver.[*] of the setting protected, so no run changes it; change it in the way that"
                " was agreed on for it, or remove the pattern [[]DS213 ProtectedTable]"
            ),
        ],
    )


def test_a_pattern_that_protects_nothing_is_reported(project):
    project.settings('models = ["models"]', 'protected = ["prod.*", "dev.silver.*", "dev.siver.*"]')
    project.models(RISK_MODELS)
    project.catalog(RISK_CATALOG)

    result = project.run("--delta-apply", "-m", "delta_apply", "-k", "other", "--junitxml=report.xml")

    assert result.ret == 0
    for pattern in ("prod.*", "dev.siver.*"):
        note = f"the pattern {pattern} of the setting protected matches no table of this run; fix or remove it"
        assert result.stdout.str().count(f"  unused      {note}\n") == 1
        assert f'<property name="delta.unused" value="{note}" />' in project.path.joinpath("report.xml").read_text()
    assert "the pattern dev.silver" not in result.stdout.str()


@pytest.mark.parametrize("pattern", ["dev.silver.o[1]", "dev.silver.O[[]1]", "dev.silver.o?1?", "*[[]*"])
def test_a_protected_pattern_matches_a_table_of_that_name(project, pattern):
    project.settings('models = ["models"]', f'protected = ["{pattern}"]')
    project.models('orders = Table("dev", "silver", "o[1]", [Column("id", LongType())])')
    project.catalog("MemoryCatalog()")

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(failed=1)
    assert f"is protected by the pattern {pattern} of the setting protected" in result.stdout.str()
    assert "matches no table" not in result.stdout.str()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--delta-max-risk=scan"],
            "--delta-max-risk has no effect without --delta-drift or --delta-apply; give one of them, too",
        ),
        (
            ["--delta-drift", "--delta-max-risk=some"],
            "--delta-max-risk is 'some'; choose metadata, feature, scan, rewrite or destructive",
        ),
    ],
)
def test_an_invalid_risk_is_a_usage_error(project, args, message):
    project.models(RISK_MODELS)

    result = project.run(*args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])
