"""Plans as scripts for review."""

from __future__ import annotations

from pytest_delta_schema import plan_script
from pytest_delta_schema.plan import TablePlan, TablePlanner
from pytest_delta_schema.state import TableState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import BOTH, INT
from support.tables import NAME, catalog, column, table


def test_every_table_has_a_header_with_its_changes():
    before = table(column(), column("n", INT), column("legacy"))
    after = table(column(is_nullable=False), column("N"), table_properties=BOTH)

    plan = TablePlanner().plan([after], catalog(desired_state(before)))

    assert plan_script(plan) == (
        "-- dev.silver.orders: 5 changes, destructive\n"
        "--   + properties.delta.columnMapping.mode  (absent) -> 'name'  [feature: clients that do not know columnMapping can"
        " neither read nor write the table]\n"
        "--   + properties.delta.enableTypeWidening  (absent) -> 'true'  [feature: clients that do not know typeWidening can"
        " neither read nor write the table]\n"
        "--   ~ columns.n                            int      -> bigint\n"
        "--   - columns.legacy                       bigint   -> (not in the model)  [destructive]\n"
        "--   ~ columns.id                           nullable -> not null  [scan]\n"
        "\n"
        "ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (\n"
        "  'delta.columnMapping.mode' = 'name',\n"
        "  'delta.enableTypeWidening' = 'true'\n"
        ");\n"
        "\n"
        "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n"
        "  `n` TYPE BIGINT;\n"
        "\n"
        "ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);\n"
        "\n"
        "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n"
        "  `id` SET NOT NULL;\n"
        "\n"
        "-- note: dev.silver.orders: column N is stored as n; names match without case, and Delta has no rename by case alone:"
        " write n in the model to silence this note, or rename it over a third name in two applies"
    )


def test_nothing_in_a_header_becomes_sql():
    plan = TablePlanner().plan(
        [table(column("a\nDROP TABLE x;--\u2028y"), comment="b\r\nDROP TABLE x")],
        catalog(TableState(name=NAME, exists=False)),
    )

    header = plan_script(plan).split("CREATE TABLE")[0]

    assert "DROP TABLE x" in header
    assert [line for line in header.split("\n") if "DROP" in line and not line.startswith("-- ")] == []


def test_an_empty_plan_is_one_line():
    assert plan_script(TablePlan()) == "-- nothing changes"


def test_a_rewrite_names_the_clients_that_the_first_clustering_excludes():
    before = table(column(), column("d"), partitioned_by=["d"])
    after = table(column(), column("d"), clustered_by=["d"])

    plan = TablePlanner().plan([after], catalog(desired_state(before)))

    assert plan_script(plan).splitlines()[1] == (
        "--   ~ layout  partitioned by (d) -> clustered by (d)"
        "  [rewrite: clients that do not know clustering, domainMetadata can no longer write the table]"
    )
