"""Gold: the revenue of each day, by the country in which customers were on that day."""

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st
from shop.models import customers, daily_revenue, orders
from shop.revenue import revenue_by_day, write_revenue

from pytest_delta_schema import (
    WriteOptions,
    assert_accepts,
    assert_frame_fits,
    assert_table_equals,
    frame_of,
    rows_strategy,
)

MONDAY, TUESDAY = date(2024, 1, 1), date(2024, 1, 2)
VERSIONS = [
    {"country": "DE", "valid_from": MONDAY, "valid_to": TUESDAY},
    {"country": "FR", "valid_from": TUESDAY, "valid_to": None},
]


def test_the_frame_fits_the_table(delta_spark):
    frame = revenue_by_day(frame_of(delta_spark, orders), frame_of(delta_spark, customers))

    assert_frame_fits(daily_revenue, frame)
    assert_accepts(daily_revenue, frame, WriteOptions(method="write_to", mode="overwrite"))


def test_revenue_is_counted_where_the_customer_was(make_delta_table, delta_spark, delta_effect):
    sold = make_delta_table(
        orders,
        rows=[
            {"customer_id": 1, "status": "paid", "amount": 10, "ordered": MONDAY},
            {"customer_id": 1, "status": "paid", "amount": 20, "ordered": TUESDAY},
            {"customer_id": 1, "status": "open", "amount": 40, "ordered": TUESDAY},
        ],
        fill=True,
    )
    buyers = make_delta_table(customers, rows=[{"customer_id": 1, **version} for version in VERSIONS], fill=True)
    revenue = make_delta_table(daily_revenue, rows=5)

    with delta_effect(revenue) as effect:
        write_revenue(delta_spark, sold.qualified_name, buyers.qualified_name, revenue.qualified_name)

    assert effect.only("WRITE")
    assert (effect.rows_added, effect.rows_removed) == (2, 5)
    assert effect.kept_contract(daily_revenue)
    assert_table_equals(
        revenue,
        [
            {"day": MONDAY, "country": "DE", "orders": 1, "revenue": 10},
            {"day": TUESDAY, "country": "FR", "orders": 1, "revenue": 20},
        ],
    )


@settings(max_examples=5, deadline=None)
@given(rows_strategy(orders, min_size=1, customer_id=st.integers(1, 3), ordered=st.dates(MONDAY, date(2024, 1, 5))))
def test_no_revenue_is_lost_or_counted_twice(delta_spark, rows):
    versions = [{"customer_id": customer, **version} for customer in (1, 2, 3) for version in VERSIONS]
    sold, buyers = frame_of(delta_spark, orders, rows), frame_of(delta_spark, customers, versions)

    revenue = sum(row.revenue for row in revenue_by_day(sold, buyers).collect())

    assert revenue == sum(row["amount"] for row in rows if row["status"] == "paid")
