"""Silver: the stream keeps the newest state of each order."""

import json
from datetime import date, datetime, timezone

import pytest
from shop.models import order_events, orders
from shop.orders import latest_orders, purge_cancelled, stream_orders

from pytest_delta_schema import assert_frame_fits, assert_rows_satisfy, assert_table_equals, breaking_rows, rows_of

EVENTS = "payload string, source string"
MORNING, NOON, EVENING = (datetime(2024, 1, 1, hour, tzinfo=timezone.utc) for hour in (8, 12, 20))


def events_of(rows):
    """Return orders as the shop sends them."""
    return [{"payload": json.dumps(row, default=str), "source": "test"} for row in rows]


@pytest.fixture
def stream(delta_spark, tmp_path):
    def run(events, table):
        stream_orders(delta_spark, events.qualified_name, table.qualified_name, str(tmp_path / "checkpoint"))

    return run


def test_new_orders_are_inserted_once(make_delta_table, stream, delta_effect):
    rows = rows_of(orders, rows=3)
    events, table = make_delta_table(order_events, rows=events_of(rows)), make_delta_table(orders)

    with delta_effect(table) as first:
        stream(events, table)
    with delta_effect(table) as second:
        stream(events, table)

    assert first.only("MERGE")
    assert first.rows_added == 3
    assert second.made_no_commit()
    assert_table_equals(table, rows)


def test_newer_events_update_an_order_and_older_ones_do_not(make_delta_table, stream, delta_effect):
    first, second = rows_of(orders, rows=2, status="open", changed=NOON)
    paid = {**first, "status": "paid", "changed": EVENING}
    late = {**second, "status": "cancelled", "changed": MORNING}
    table = make_delta_table(orders, rows=[first, second])
    events = make_delta_table(order_events, rows=events_of([paid, late]))

    with delta_effect(table) as effect:
        stream(events, table)

    assert effect.only("MERGE")
    assert (effect.rows_added, effect.rows_updated) == (0, 1)
    assert effect.kept_contract(orders)
    assert_table_equals(table, [paid, second])


def test_events_that_break_the_contract_are_left_out(delta_spark):
    good = rows_of(orders, rows=2, order_id=lambda position: 100 + position)
    bad = [row for breaking in breaking_rows(orders) for row in breaking.rows]
    events = delta_spark.createDataFrame(events_of([*good, *bad]), EVENTS)

    latest = latest_orders(events)

    assert_frame_fits(orders, latest)
    assert_rows_satisfy(orders, latest)
    # Two of the events share the key 1: that is not a fault, and the newest is kept.
    assert sorted(row.order_id for row in latest.collect()) == [1, 100, 101]


def test_a_purge_deletes_only_old_cancelled_orders(make_delta_table, delta_clone, delta_spark, delta_effect):
    last_year, this_year = date(2023, 12, 31), date(2024, 1, 1)
    cancelled, paid, recent = rows_of(
        orders,
        [
            {"ordered": last_year, "status": "cancelled"},
            {"ordered": last_year, "status": "paid"},
            {"ordered": this_year, "status": "cancelled"},
        ],
    )
    table = make_delta_table(orders, rows=[cancelled, paid, recent])
    clone = delta_clone(table)

    with delta_effect(clone) as effect:
        purge_cancelled(delta_spark, clone.qualified_name, before="2024-01-01")

    assert effect.only("DELETE")
    assert effect.rows_removed == 1
    assert_table_equals(clone, [paid, recent])
    assert_table_equals(table, [cancelled, paid, recent])
