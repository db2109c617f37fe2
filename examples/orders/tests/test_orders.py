"""The pipeline, against a table that is made from the contract."""

from datetime import datetime
from decimal import Decimal

import pytest
from pipeline.models import orders
from pipeline.orders import append_orders

from pytest_delta_schema import assert_table_equals

RAW = "id string, created string, amount string"


def test_orders_are_appended_once_each(make_delta_table, delta_spark, delta_effect):
    table = make_delta_table(orders, rows=[{"id": 1, "amount": 10}])
    order = ("2", "2026-01-31T08:00:00", "19.99")
    raw = delta_spark.createDataFrame([order, order, (None, None, None)], RAW)

    with delta_effect(table) as effect:
        append_orders(raw, table.qualified_name)

    assert effect.only("WRITE")
    assert effect.rows_added == 1
    assert effect.kept_contract(orders)
    created = datetime(2026, 1, 31, 8)  # noqa: DTZ001 - in the time zone of the session
    assert_table_equals(table, [{"id": 1, "amount": 10}, {"id": 2, "created_ts": created, "amount": Decimal("19.99")}])


def test_a_batch_that_fails_leaves_nothing(make_delta_table, delta_spark, delta_effect):
    table = make_delta_table(orders)
    raw = delta_spark.createDataFrame([("1", "2026-01-31T08:00:00", "a lot")], RAW)

    with pytest.raises(Exception, match="CAST_INVALID_INPUT"), delta_effect(table) as effect:
        append_orders(raw, table.qualified_name)

    assert effect.made_no_commit()
