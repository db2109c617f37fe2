"""Planned changes: the MERGE into the orders, and the stream from the events, must survive them."""

from dataclasses import replace

from shop.models import order_events, orders
from shop.orders import EVENT, latest_orders

from pytest_delta_schema import Column, Merge, Table, When, check_write, to_struct_type
from pytest_delta_schema.write_check import check_stream

# The MERGE of shop/orders.py, and the columns of its source.
merge = Merge(matched=When("source.changed > target.changed", "all"), not_matched="all")
columns = [Column(*column.split(" ")) for column in EVENT.split(", ")]
latest = to_struct_type(Table("dev", "silver", "latest", columns))
with_coupon = replace(orders, columns=[*orders.columns, Column("coupon", "string")])

payload, *others = order_events.columns
with_region = replace(order_events, columns=[payload, *others, Column("region", "string")])
strict = replace(order_events, columns=[replace(payload, is_nullable=False), *others])


def test_the_merge_fits_the_table():
    assert check_write(orders, latest, merge).accepted


def test_a_new_column_breaks_the_merge():
    verdict = check_write(with_coupon, latest, merge)

    assert verdict.rules == ("unresolved-column",)
    assert verdict.findings[0].message.endswith("coupon of the source")


def test_a_merge_that_names_its_columns_survives():
    named = {name: name for name in latest.fieldNames()}
    by_name = Merge(matched=When("source.changed > target.changed", named), not_matched=named)

    assert check_write(with_coupon, latest, by_name).accepted


def test_delta_agrees_on_the_merge(delta_probe, delta_spark):
    events = delta_spark.createDataFrame([], "payload string")

    assert delta_probe(with_coupon, latest_orders(events), merge).rules == ("unresolved-column",)
    assert delta_probe(with_coupon, latest_orders(events), replace(merge, evolves=True)).accepted


def test_a_new_column_ends_the_stream_once():
    verdict = check_stream(order_events, with_region)

    assert (verdict.answer, verdict.condition) == ("restarts", "DELTA_SCHEMA_CHANGED_WITH_VERSION")


def test_a_stream_that_was_stopped_for_the_deployment_reads_on():
    assert check_stream(order_events, with_region, "lagging").answer == "continues"


def test_not_null_blocks_a_stream_that_has_events_left_to_read():
    verdict = check_stream(order_events, strict, "lagging")

    assert verdict.answer == "blocked"
    assert verdict.remedy == ("spark.databricks.delta.streaming.unsafeReadOnNullabilityChange.enabled=true",)
