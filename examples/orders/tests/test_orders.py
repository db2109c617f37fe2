"""The pipeline, against a table that is made from the contract."""

from pipeline.models import orders
from pipeline.orders import append_orders

from pytest_delta_schema import assert_no_drift


def test_orders_are_appended_once_each(make_delta_table, delta_spark, delta_catalog):
    table = make_delta_table(orders, rows=[{"id": 1, "amount": 10}])
    raw = delta_spark.createDataFrame(
        [("2", "2026-01-31T08:00:00", "19.99"), ("2", "2026-01-31T08:00:00", "19.99"), (None, None, None)],
        "id string, created string, amount string",
    )

    append_orders(raw, table.qualified_name)

    rows = delta_spark.table(table.qualified_name).orderBy("id").collect()
    assert [(row.id, str(row.amount)) for row in rows] == [(1, "10.00"), (2, "19.99")]
    assert_no_drift(table, delta_catalog)
