"""Foreign keys in the plugin, parents first, and tables of a schema that no model declares."""

from __future__ import annotations

import pytest

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
KEY = "KeyState('%s', ('id',))"
MOVED = """MemoryCatalog([
    stored("dev.silver.customers", ID, primary_key=KeyState("old", ("id",))),
    stored("dev.silver.a_orders", ID, ColumnState("customer", "bigint", True, ""), foreign_keys=(
        ForeignKeyState("fk_dev_silver_a_orders__customer", ("customer",), QualifiedName("dev", "silver", "customers"),
            ("id",)),)),
])
from pytest_delta_schema.state import ForeignKeyState, KeyState"""
MEMORY = ("--delta-backend", "memory")


def test_parents_are_applied_before_their_children(project):
    project.models(FAMILY)

    result = project.run("--delta-apply", "-m", "delta_apply", "-v", *MEMORY)

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*customers::apply PASSED*", "*a_orders::apply PASSED*"])
    result.stdout.fnmatch_lines(["apply: 2 applied, 5 statements run"])


def test_a_circle_is_applied_at_once(project):
    project.models(CIRCLE)

    result = project.run("--delta-apply", "-m", "delta_apply", *MEMORY)

    result.stdout.fnmatch_lines(["apply: 1 in sync, 1 applied, 8 statements run"])


def test_a_child_alone_needs_its_parent(project):
    project.models(FAMILY)

    result = project.run("--delta-apply", "-m", "delta_apply", "-k", "orders", *MEMORY)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*needs dev.silver.customers, which does not exist; apply that table first*DS209*"])


def test_half_a_circle_alone_is_refused_as_well(project):
    project.models(CIRCLE)

    result = project.run("--delta-apply", "-m", "delta_apply", "-k", "left", *MEMORY)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*needs dev.silver.right, which does not exist*"])


def test_new_tables_drift_without_being_blocked_by_each_other(project):
    project.models(CIRCLE)

    result = project.run("--delta-drift", "-m", "delta_drift", *MEMORY)

    result.stdout.fnmatch_lines(["drift: 2 drifted, 0 statements run"])
    result.stdout.no_fnmatch_line("*blocked:*")


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


def test_scratch_tables_point_at_the_scratch_tables_made_before(project):
    project.models(FAMILY)
    project.pytester.makepyfile(
        """
        import models

        def test_without_a_parent(make_delta_table):
            assert make_delta_table(models.orders).foreign_keys == ()

        def test_with_a_parent(make_delta_table, delta_catalog):
            parent = make_delta_table(models.customers)
            child = make_delta_table(models.orders)
            (key,) = delta_catalog.snapshot([child]).tables[child.name].foreign_keys
            assert (key.parent, key.columns) == (parent.name, ("customer",))
        """,
    )

    project.run("-m", "not delta", *MEMORY).assert_outcomes(passed=2)


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


@pytest.fixture
def held(project):
    project.models(MODELS)
    project.catalog(HELD)

    def say(mode):
        project.settings('models = ["models"]', f'unmanaged = "{mode}"', 'unmanaged_ignore = ["*.TMP_*", "prod.*"]')

    return say


def test_a_table_that_no_model_declares_fails_its_schema(project, held):
    held("fail")

    result = project.run("--delta-drift", "-m", "delta_drift or delta_unmanaged")

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


def test_or_is_only_reported(project, held):
    held("report")

    result = project.run("--delta-drift", "-m", "delta_unmanaged")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"  note        {HEAD}"])


def test_other_runs_have_no_such_item(project, held):
    held("fail")

    applied = project.run("--delta-apply", "--collect-only", "-q")
    alone = project.run("--collect-only", "-q")

    for result in (applied, alone):
        assert "unmanaged" not in result.stdout.str()


def test_schemas_are_looked_at_where_they_are_bound_to(project, held):
    held("fail")

    result = project.run("--delta-drift", "-m", "delta_unmanaged", "--delta-bind=dev.silver=ci.x")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*dev.silver holds 1 table that no model declares: ci.x.theirs"])


def test_another_word_is_a_usage_error(project, held):
    held("drop")

    result = project.run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *: unmanaged is 'drop'; choose ignore, report or fail"])
