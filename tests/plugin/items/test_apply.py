"""``pytest --delta-apply``: applied, verified, reported; refused where several processes would change one catalog."""

from __future__ import annotations

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
        """
    )

    result = project.run_all("--delta-apply", "--snapshot-update", "-rP")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "  ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN",
            "    `id` SET NOT NULL;",
            "apply: 1 applied, 6 statements run",
        ]
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
        ]
    )


def test_a_schema_that_two_new_tables_need_is_listed_where_it_was_created(project):
    project.models("".join(f"{name} = table('dev.gold.{name}', Column('id', LongType()))\n" for name in ("a", "b")))

    result = project.run("--delta-apply", "--delta-backend=memory", "-m", "delta_apply")

    result.assert_outcomes(passed=2, deselected=4)
    assert (
        "apply: 2 applied, 3 statements run\n"
        "  applied     dev.gold.a, 2 changes\n"
        "    + schema dev.gold  (absent) -> created\n"
        "    + table            (absent) -> created with 1 column\n"
        "  applied     dev.gold.b, 1 change\n"
        "    + table  (absent) -> created with 1 column\n"
    ) in result.stdout.str()


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
            [stored("dev.silver.orders", OLD)])"""
    )

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.stdout.fnmatch_lines(["apply: 1 in sync, 0 statements run"])


def test_data_that_refuses_is_counted_and_nothing_is_changed(project):
    project.models(ORDERS)
    project.catalog(BEFORE % None)

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "Blocked SQL:",
            (
                "  ! dev.silver.orders: column id cannot be NOT NULL, because 1 row holds NULL in it, of 1; fill them"
                " (they are listed by SELECT [*] FROM `dev`.`silver`.`orders` WHERE `id` IS NULL), or declare it nullable"
                " [[]DS301 NullsInColumn]"
            ),
            "apply: 1 blocked, 0 statements run",
        ]
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
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_columns_are_dropped_with_consent_only(project):
    project.models(ONLY_ID)
    project.catalog(LEGACY)

    refused = project.run("--delta-apply", "-m", "delta_apply")
    allowed = project.run("--delta-apply", "-m", "delta_apply", "--delta-allow", "drop-column DEV.silver.orders.Legacy")

    refused.stdout.fnmatch_lines(["apply: 1 blocked, 0 statements run", "*legacy*"])
    allowed.stdout.fnmatch_lines(["apply: 1 applied, 1 statement run"])


def test_consent_may_stand_in_the_ini_file(project):
    project.ini("delta_models = models", "delta_allow =", "  drop-column dev.silver.orders.legacy")
    project.models(ONLY_ID)
    project.catalog(LEGACY)

    project.run("--delta-apply", "-m", "delta_apply").stdout.fnmatch_lines(["apply: 1 applied, 1 statement run"])
    assert project.run("-m", "delta_rules").ret == 0


def test_workers_of_xdist_may_not_change_one_catalog(project):
    project.models(ORDERS)

    result = project.run("--delta-apply", "-n2")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --delta-apply changes a catalog, and xdist*--delta-warehouse *{worker}*"])


def test_workers_with_catalogs_of_their_own_may(project):
    project.models(ORDERS)

    result = project.run(
        "--delta-apply", "-n2", "--delta-backend=memory", "--delta-warehouse", "w/{worker}", "--snapshot-update"
    )

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["apply: 1 applied, 3 statements run"])


FAILING = """type("Failing", (MemoryCatalog,), {"run": lambda self, statement: fail(self, statement)})(
    [stored("dev.silver.orders", OLD, ColumnState("created_ts", "timestamp", True, ""))])
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.sql import StatementKind
def fail(self, statement):
    if statement.kind is StatementKind.ADD_PRIMARY_KEY:
        raise StatementError("disk full")
    MemoryCatalog.run(self, statement)"""


@pytest.mark.parametrize("how", ["option", "ini"])
def test_a_table_that_stops_midway_is_restored_if_that_is_wanted(project, how):
    project.models(ORDERS)
    project.catalog(FAILING)
    if how == "ini":
        project.ini("delta_models = models", "delta_on_failure = restore")

    args = ["--delta-on-failure=restore"] if how == "option" else []
    result = project.run("--delta-apply", "-m", "delta_apply", *args)

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(
        ["  to restore:  restored to version 0: RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"]
    )


def test_an_apply_names_the_version_before_it(project):
    project.models(ORDERS)
    project.catalog(BEFORE % 1)

    result = project.run("--delta-apply", "-m", "delta_apply", "-rP", "--junitxml=out.xml")

    result.stdout.fnmatch_lines(["  -- to restore: RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"])
    assert '<property name="delta.version" value="0" />' in (project.path / "out.xml").read_text()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--delta-drift", "--delta-on-failure=restore"],
            "--delta-on-failure has no effect without --delta-apply; give that, too",
        ),
        (["--delta-apply", "--delta-on-failure=panic"], "--delta-on-failure is 'panic'; choose leave or restore"),
    ],
)
def test_what_to_do_on_failure_must_make_sense(project, args, message):
    project.models(ORDERS)

    result = project.run(*args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])
