"""``pytest --delta-apply``: applied, verified and reported; or refused, stopped, or failed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from support.plugin_project import MODELS, ORDERS
from support.snapshots import TextSnapshot

BEFORE = """MemoryCatalog([stored("dev.silver.orders", OLD, ColumnState("created_ts", "timestamp", True, ""))])"""
NEW = "new = table('dev.silver.new', Column('id', LongType(), comment='Key'))\n"
APPLY = ("--delta-apply", "-m", "delta_apply")
DRIFT = ("--delta-drift", "-m", "delta_drift")
AFTER = """
import models
from pytest_delta_schema import assert_no_drift

def test_it(delta_catalog):
    assert_no_drift(models.orders, catalog=delta_catalog)
"""


def test_tables_are_aligned_and_listed_with_their_changes_and_users_tests_find_them(project, snapshot):
    project.models(ORDERS + NEW)
    project.catalog(BEFORE)
    project.pytester.makepyfile(test_after=AFTER)

    result = project.run_all(
        "--delta-apply", "--snapshot-update", "-rP", "--junitxml=out.xml", "--delta-warehouse=w/{worker}"
    )
    listed = project.run(*APPLY, "-v", "--delta-backend=memory")

    result.assert_outcomes(passed=7)
    result.stdout.fnmatch_lines(
        [
            "  -- to restore: RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0",
            "  ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN",
            "    `id` SET NOT NULL;",
        ],
    )
    assert '<property name="delta.version" value="0" />' in (project.path / "out.xml").read_text()
    sections = [run.stdout.str().partition("= delta schema =")[2].partition("\n")[2] for run in (result, listed)]
    assert "".join(re.split(r"\n(?:===|---)", text)[0] + "\n====\n" for text in sections) == snapshot(
        extension_class=TextSnapshot
    )


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


CHECKED = """
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


def test_data_checks_say_that_an_apply_would_fail_and_why(project):
    project.models(CHECKED)
    project.catalog(BROKEN)

    result = project.run(*DRIFT, "--delta-preflight=count", "--junitxml=broken.xml")
    limit = project.run(*APPLY, "--delta-preflight", "limit")
    project.settings(MODELS, 'preflight = "count"', "preflight_samples = 0")
    project.catalog(CLEAN)
    project.run(*DRIFT, "--junitxml=clean.xml")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.orders has drifted, 3 changes: *; blocked: check positive (amount > 0) cannot be added, because *",
            "Blocked SQL:",
            f"  ! {CHECK}, such as id = 0, 1, 2, 3, 4; correct them (they are listed by SELECT *",
            f"  ! {KEY}, such as id = 0; remove them *",
            "drift: 1 blocked, 0 statements run",
        ]
    )
    limit.stdout.fnmatch_lines(
        ["  ! *because at least 1 row breaks it, such as id = 0; *", "apply: 1 blocked, 0 statements run"]
    )
    for name, expected in {"broken": [CHECK, KEY], "clean": ["passed"]}.items():
        properties = ET.parse(project.path / f"{name}.xml").iter("property")
        values = [item.get("value", "") for item in properties if item.get("name") == "delta.preflight"]
        assert [text.partition(", such as")[0] for text in values] == expected


LIMITED = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("new", LongType()), primary_key=["id"])
other = table("dev.gold.other", Column("id", LongType()))
"""


def test_changes_above_the_limit_are_refused_and_new_tables_are_not(project):
    project.models(LIMITED)
    project.catalog("""MemoryCatalog([stored("dev.silver.orders", OLD)])""")

    result = project.run(*APPLY, "--delta-max-risk=metadata")

    result.assert_outcomes(passed=1, failed=1)
    shown = [
        "  ! dev.silver.orders: changes columns.id (scan), primary_key (scan) are riskier than metadata, *",
        "apply: 1 applied, 1 blocked, 2 statements run",
    ]
    result.stdout.fnmatch_lines(shown)


def test_protected_tables_are_not_changed_and_a_pattern_that_protects_nothing_is_reported(project):
    project.settings(MODELS, 'protected = ["prod.*", "DEV.silver.*"]')
    project.models(LIMITED)
    project.catalog("""MemoryCatalog([stored("dev.silver.orders", OLD)])""")

    looked = project.run(*DRIFT)
    applied = project.run(*APPLY, "--junitxml=report.xml")

    looked.stdout.fnmatch_lines(["drift: 2 drifted, 0 statements run"])
    applied.assert_outcomes(passed=1, failed=1)
    applied.stdout.fnmatch_lines(["  ! dev.silver.orders: is protected by the pattern DEV.silver.[*] of the setting *"])
    note = "the pattern prod.* of the setting protected matches no table of this run; fix or remove it"
    assert applied.stdout.str().count(f"  unused      {note}\n") == 1
    assert f'<property name="delta.unused" value="{note}" />' in project.path.joinpath("report.xml").read_text()
    assert "the pattern DEV.silver.* of the setting protected matches" not in applied.stdout.str()


FAMILY = """
from pytest_delta_schema import ForeignKey
ID = Column("id", LongType(), is_nullable=False)
orders = table("dev.silver.a_orders", ID, Column("customer", LongType()),
    foreign_keys=[ForeignKey(["customer"], "dev.silver.customers")])
customers = table("dev.silver.customers", ID, primary_key=["id"])
"""


def test_parents_are_applied_before_their_children_which_need_them(project):
    project.models(FAMILY)
    project.settings(MODELS, 'backend = "memory"')

    result = project.run(*APPLY, "-v")
    alone = project.run(*APPLY, "-k", "orders")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*customers::apply PASSED*", "*a_orders::apply PASSED*"])
    result.stdout.fnmatch_lines(["apply: 2 applied, 5 statements run"])
    alone.assert_outcomes(failed=1)
    alone.stdout.fnmatch_lines(["*needs dev.silver.customers, which does not exist; apply that table first*DS209*"])


MOVED = """MemoryCatalog([
    stored("dev.silver.customers", ID, primary_key=KeyState("old", ("id",))),
    stored("dev.silver.a_orders", ID, ColumnState("customer", "bigint", True, ""), foreign_keys=(
        ForeignKeyState("fk_dev_silver_a_orders__customer", ("customer",), QualifiedName("dev", "silver", "customers"),
            ("id",)),)),
])
from pytest_delta_schema.state import ForeignKeyState, KeyState"""


def test_a_dependent_foreign_key_is_reported_with_the_changed_key(project):
    project.models(FAMILY)
    project.catalog(MOVED)

    drift = project.run(*DRIFT)

    drift.assert_outcomes(passed=1, failed=1)
    drift.stdout.fnmatch_lines(
        [
            "dev.silver.customers has drifted, 2 changes: primary_key",
            "along with it, at dev.silver.a_orders:",
            "  - foreign_keys.fk_dev_silver_a_orders__customer *-> (absent)",
            "  + foreign_keys.fk_dev_silver_a_orders__customer  (absent) *",
            "drift: 1 in sync, 1 drifted, 0 statements run",
        ],
    )
