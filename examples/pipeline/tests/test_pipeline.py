"""All jobs in a row, as they run every night."""

import json
from datetime import date

from shop.customers import UPDATE, update_customers
from shop.events import load_events
from shop.models import customers, daily_revenue, order_events, orders
from shop.orders import stream_orders
from shop.revenue import write_revenue

from pytest_delta_schema import assert_no_drift, assert_table_equals, state_text

EVENT = {"order_id": 1, "customer_id": 7, "status": "open", "amount": 10, "ordered": "2024-01-01"}
EVENTS = [
    EVENT | {"status": "paid", "changed": "2024-01-02T09:00:00Z"},
    EVENT | {"status": "open", "changed": "2024-01-01T12:00:00Z"},
    EVENT | {"order_id": None},
]
CUSTOMER = (7, "Anna", "DE", date(2024, 1, 1))


def test_a_night(make_delta_tables, delta_spark, delta_versions, delta_snapshot, tmp_path):
    tables = make_delta_tables([order_events, orders, customers, daily_revenue])
    bronze, silver, buyers, gold = (table.qualified_name for table in tables)
    (tmp_path / "events.json").write_text("\n".join(json.dumps(event) for event in EVENTS))

    load_events(delta_spark, str(tmp_path / "events.json"), bronze)
    stream_orders(delta_spark, bronze, silver, str(tmp_path / "checkpoint"))
    update_customers(delta_spark.createDataFrame([CUSTOMER], UPDATE), buyers)
    write_revenue(delta_spark, silver, buyers, gold)

    assert_table_equals(gold, [{"day": date(2024, 1, 1), "country": "DE", "orders": 1, "revenue": 10}])
    assert delta_versions(silver)[-1].operation == "MERGE"
    assert_no_drift(tables)
    assert state_text(silver) == delta_snapshot
