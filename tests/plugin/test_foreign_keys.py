"""Foreign keys in the plugin, parents first, and tables of a schema that no model declares."""

from __future__ import annotations

FAMILY = """
from pytest_delta_schema import ForeignKey
ID = Column("id", LongType(), is_nullable=False)
orders = table("dev.silver.a_orders", ID, Column("customer", LongType()),
    foreign_keys=[ForeignKey(["customer"], "dev.silver.customers")])
customers = table("dev.silver.customers", ID, primary_key=["id"])
"""
CIRCLE = """
from pytest_delta_schema import ForeignKey
ID = Column("id", LongType(), is_nullable=False)
left = table("dev.silver.left", ID, primary_key=["id"], foreign_keys=[ForeignKey(["id"], "dev.silver.right")])
right = table("dev.silver.right", ID, primary_key=["id"], foreign_keys=[ForeignKey(["id"], "dev.silver.left")])
"""
MOVED = """MemoryCatalog([
    stored("dev.silver.customers", ID, primary_key=KeyState("old", ("id",))),
    stored("dev.silver.a_orders", ID, ColumnState("customer", "bigint", True, ""), foreign_keys=(
        ForeignKeyState("fk_dev_silver_a_orders__customer", ("customer",), QualifiedName("dev", "silver", "customers"),
            ("id",)),)),
])
from pytest_delta_schema.state import ForeignKeyState, KeyState"""
MEMORY = ("--delta-backend", "memory")


APPLY = ("--delta-apply", "-m", "delta_apply")


def test_parents_are_applied_before_their_children_which_need_them(project):
    project.models(FAMILY)

    result = project.run(*APPLY, "-v", *MEMORY)
    alone = project.run(*APPLY, "-k", "orders", *MEMORY)

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*customers::apply PASSED*", "*a_orders::apply PASSED*"])
    result.stdout.fnmatch_lines(["apply: 2 applied, 5 statements run"])
    alone.assert_outcomes(failed=1)
    alone.stdout.fnmatch_lines(["*needs dev.silver.customers, which does not exist; apply that table first*DS209*"])


def test_a_circle_is_applied_at_once(project):
    project.models(CIRCLE)

    drift = project.run("--delta-drift", "-m", "delta_drift", *MEMORY)
    half = project.run(*APPLY, "-k", "left", *MEMORY)
    whole = project.run(*APPLY, *MEMORY)

    drift.stdout.fnmatch_lines(["drift: 2 drifted, 0 statements run"])
    drift.stdout.no_fnmatch_line("*blocked:*")
    half.assert_outcomes(failed=1)
    half.stdout.fnmatch_lines(["*needs dev.silver.right, which does not exist*"])
    whole.stdout.fnmatch_lines(["apply: 1 in sync, 1 applied, 8 statements run"])


def test_a_dependent_foreign_key_is_reported_with_the_changed_key_and_is_no_drift_of_the_child(project):
    project.models(FAMILY)
    project.catalog(MOVED)

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.customers has drifted, 2 changes: primary_key",
            "along with it, at dev.silver.a_orders:",
            "  - foreign_keys.fk_dev_silver_a_orders__customer *-> (absent)",
            "  + foreign_keys.fk_dev_silver_a_orders__customer  (absent) *",
            "drift: 1 in sync, 1 drifted, 0 statements run",
        ],
    )


def test_a_child_that_is_collected_follows_even_if_it_is_not_selected(project):
    project.models(FAMILY)
    project.catalog(MOVED)

    result = project.run("--delta-apply", "-m", "delta_apply", "-k", "customers", "-rP")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "  ALTER TABLE `dev`.`silver`.`a_orders` DROP CONSTRAINT `fk_dev_silver_a_orders__customer`;",
            "  ALTER TABLE `dev`.`silver`.`customers` DROP CONSTRAINT `old`;",
            "  ALTER TABLE `dev`.`silver`.`customers` ADD CONSTRAINT `pk_dev_silver_customers__id` PRIMARY KEY (`id`);",
            "  ALTER TABLE `dev`.`silver`.`a_orders` ADD CONSTRAINT `fk_dev_silver_a_orders__customer` FOREIGN KEY*;",
            "apply: 1 applied, 4 statements run",
        ],
    )


def test_a_child_that_wants_its_foreign_key_no_more_does_not_keep_the_key(project):
    without_keys = FAMILY.replace('foreign_keys=[ForeignKey(["customer"], "dev.silver.customers")]', "comment='Alone'")
    project.models(without_keys.replace('primary_key=["id"]', 'comment="No key"').replace("a_orders", "z_orders"))
    project.catalog(MOVED.replace("a_orders", "z_orders"))

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["apply: 2 applied, *"])


MODELS = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False))
lines = table("dev.silver.lines", Column("id", LongType(), is_nullable=False))
other = table("dev.gold.other", Column("id", LongType(), is_nullable=False))
"""
HELD = """MemoryCatalog([
    stored(name, ID)
    for name in (
        "dev.silver.orders", "dev.silver.lines", "dev.silver.stray", "dev.silver.tmp_1", "dev.gold.other", "dev.bronze.raw",
        "ci.x.orders", "ci.x.lines", "ci.x.theirs",
    )
])"""
HEAD = "dev.silver holds 1 table that no model declares: dev.silver.stray"


def test_a_table_that_no_model_declares_fails_its_schema_or_is_reported(project):
    project.models(MODELS)
    project.catalog(HELD)
    ignored = 'unmanaged_ignore = ["*.TMP_*", "prod.*"]'
    project.settings('models = ["models"]', 'unmanaged = "fail"', ignored)

    result = project.run("--delta-drift", "-m", "delta_drift or delta_unmanaged")
    bound = project.run("--delta-drift", "-m", "delta_unmanaged", "--delta-bind=dev.silver=ci.x")
    others = [project.run(*args, "--collect-only", "-q") for args in (["--delta-apply"], [])]
    project.settings('models = ["models"]', 'unmanaged = "report"', ignored)
    reported = project.run("--delta-drift", "-m", "delta_unmanaged")

    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        [
            f"*{HEAD}",
            (
                "Tables of models that this run did not collect count, too. No apply drops a table: declare them, parquet"
                " files with convert_from, exclude them with the setting unmanaged_ignore, or drop them by hand."
            ),
            "drift: 3 in sync, 0 statements run",
            "unmanaged: 2 schemas, 1 with undeclared tables",
            f"  drifted     {HEAD}",
            "FAILED models.py::dev.silver::unmanaged*",
        ],
    )
    result.stdout.no_fnmatch_line("*to align the catalog*")
    result.stdout.no_fnmatch_line("*--delta-adopt*")
    bound.assert_outcomes(passed=1, failed=1)
    bound.stdout.fnmatch_lines(["*dev.silver holds 1 table that no model declares: ci.x.theirs"])
    assert not any("unmanaged" in other.stdout.str() for other in others)
    reported.assert_outcomes(passed=2)
    reported.stdout.fnmatch_lines([f"  note        {HEAD}"])
