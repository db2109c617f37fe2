"""Tables whose names a case-sensitive catalog stores in another case than their models: one table, named as stored."""

from __future__ import annotations

import pytest

from pytest_delta_schema import ForeignKey, QualifiedName
from pytest_delta_schema.models.names import StoredName
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state import CatalogState, TableState
from support.tables import NAME, catalog, column, state, stored, table

MIXED = StoredName.of(QualifiedName("dev", "silver", "Orders"))
PARENT = StoredName.of(QualifiedName("dev", "Silver", "Parents"))


def sql(plan):
    return script(statement for action in plan.actions for statement in statements(action))


def test_a_stored_name_is_the_name_in_lower_case():
    assert MIXED == NAME
    assert hash(MIXED) == hash(NAME)
    assert (str(MIXED), str(MIXED.written)) == ("dev.silver.orders", "dev.silver.Orders")
    assert NAME.written is NAME
    assert type(StoredName.of(NAME)) is QualifiedName


def test_a_table_in_another_case_is_clean_and_noted():
    plan = TablePlanner().plan([table(column())], catalog(state(stored("id"), name=MIXED)))

    assert plan.is_empty
    assert list(map(str, plan.notes)) == [
        "dev.silver.orders: the catalog stores it as dev.silver.Orders; names match without case"
    ]


def test_it_is_altered_as_it_is_stored():
    plan = TablePlanner().plan([table(column(), comment="All")], catalog(state(stored("id"), name=MIXED)))

    assert sql(plan) == "COMMENT ON TABLE `dev`.`silver`.`Orders` IS 'All';"
    assert plan.align_tables[0].table == NAME


@pytest.mark.parametrize(
    ("has_schema", "text"),
    [
        (True, "CREATE TABLE `Dev`.`Silver`.`orders` ("),
        (False, "CREATE SCHEMA IF NOT EXISTS `Dev`.`Silver`;"),
    ],
)
def test_a_new_table_is_created_in_the_schema_as_stored(has_schema, text):
    absent = StoredName.of(QualifiedName("Dev", "Silver", "orders"))

    plan = TablePlanner().plan(
        [table(column())], catalog(TableState(name=absent, exists=False, schema_exists=has_schema))
    )

    assert sql(plan).startswith(text)


@pytest.mark.parametrize("exists", [True, False])
def test_a_foreign_key_points_at_its_parent_as_it_is_stored(exists):
    parent = table(column(is_nullable=False), name="dev.silver.parents", primary_key=["id"])
    child = table(column(), column("p"), foreign_keys=[ForeignKey(["p"], parent)])
    there = state(stored("id"), stored("p")) if exists else TableState(name=NAME, exists=False)
    key = TablePlanner().plan([parent], catalog(state(stored("id", is_nullable=False), name=PARENT)))

    plan = TablePlanner().plan([child], CatalogState(tables={NAME: there, PARENT: key.align_tables[0].observed}))

    (action,) = plan.actions
    assert sql(plan).endswith("FOREIGN KEY (`p`) REFERENCES `dev`.`Silver`.`Parents` (`id`);")
    assert set(action.parents) == {parent.name}


def test_what_a_model_only_reports_names_the_stored_table():
    matched = table(column(), comment="All", owns={"comments": "report"})

    plan = TablePlanner().plan([matched], catalog(state(stored("id"), name=MIXED)))

    assert plan.mismatches[0].table.written == MIXED.written
