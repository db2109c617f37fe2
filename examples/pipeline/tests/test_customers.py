"""Silver: each change of a customer closes one version and begins the next."""

from datetime import date

from shop.customers import UPDATE, update_customers
from shop.models import customers

from pytest_delta_schema import assert_table_equals

NEW_YEAR, SPRING = date(2024, 1, 1), date(2024, 4, 1)
ANNA = {"customer_id": 1, "name": "Anna", "country": "DE", "valid_from": NEW_YEAR}
BRUNO = {"customer_id": 2, "name": "Bruno", "country": "IT", "valid_from": NEW_YEAR}


def test_a_customer_who_moves_gets_a_new_version(make_delta_table, delta_spark, delta_effect):
    table = make_delta_table(customers, rows=[ANNA, BRUNO])
    moved = {**ANNA, "country": "FR", "valid_from": SPRING}
    same = {**BRUNO, "valid_from": SPRING}
    updates = delta_spark.createDataFrame([moved, same], UPDATE)

    with delta_effect(table) as effect:
        update_customers(updates, table.qualified_name)

    assert effect.only("MERGE")
    assert (effect.rows_updated, effect.rows_added, effect.rows_removed) == (1, 1, 0)
    assert effect.kept_contract(customers)
    assert_table_equals(table, [{**ANNA, "valid_to": SPRING}, moved, BRUNO])


def test_updates_that_change_nothing_leave_the_rows(make_delta_table, delta_spark, delta_effect):
    table = make_delta_table(customers, rows=[ANNA])
    older = {**ANNA, "name": "Ann", "valid_from": date(2023, 1, 1)}
    updates = delta_spark.createDataFrame([older], UPDATE)

    with delta_effect(table) as effect:
        update_customers(updates, table.qualified_name)

    assert effect.made_no_commit()
    assert_table_equals(table, [ANNA])
