"""The pipeline from orders to figures, on tables that are made from the contracts."""

from datetime import date, datetime, timezone
from decimal import Decimal

import pytest
from retail import gold, silver
from retail.pipeline import flatten, summarize

from pytest_delta_schema import assert_no_drift, assert_table_equals

HOME = {"street": "Hauptstraße 1", "city": "Köln", "country": "DE"}
LINES = [
    {"sku": "A", "quantity": 2, "price": Decimal("9.99")},
    {"sku": "B", "quantity": 1, "price": Decimal("0.02")},
]


def test_orders_become_figures(make_delta_tables, make_delta_table, delta_spark):
    customers = make_delta_table(silver.customers, rows=[{"customer_id": 1, "home": HOME}], fill=True)
    orders = make_delta_table(
        silver.orders,
        rows=[{"order_id": 7, "ordered_at": datetime(2026, 1, 31, 12, tzinfo=timezone.utc), "lines": LINES}],
        fill=True,
    )
    lines, sales = make_delta_tables([silver.order_lines, gold.daily_sales])

    flatten(delta_spark.table(orders.qualified_name)).writeTo(lines.qualified_name).append()
    names = [table.qualified_name for table in (orders, lines, customers)]
    summarize(delta_spark, *names).writeTo(sales.qualified_name).append()

    assert_table_equals(sales, [{"day": date(2026, 1, 31), "country": "DE", "orders": 1, "turnover": 20}])
    assert_no_drift([customers, orders, lines, sales])


def test_odd_names_hold_data(make_delta_table, delta_spark):
    table = make_delta_table(silver.till_days, name="till", rows=[{"Till No.": 3, "day": date(2009, 5, 1)}])

    (row,) = delta_spark.table(table.qualified_name).collect()

    assert (row["Till No."], row["day"], row["ñ `quoted`"]) == (3, date(2009, 5, 1), None)


def test_an_empty_line_is_refused(make_delta_table, delta_catalog, delta_raises):
    lines = make_delta_table(silver.order_lines, rows=[{"order_id": 1, "line_no": 1, "sku": "A", "quantity": 1}])

    with delta_raises(lines, check="something_ordered"):
        delta_catalog.insert(lines.name, [{"order_id": 1, "line_no": 2, "sku": "A", "quantity": 0}])


@pytest.mark.parametrize("missing", ["Till No.", "day"])
def test_a_key_is_demanded_of_every_row(make_delta_table, missing):
    row = {"Till No.": 3, "day": date(2009, 5, 1)}

    with pytest.raises(Exception, match="NOT NULL constraint violated"):
        make_delta_table(silver.till_days, rows=[{**row, missing: None}])
