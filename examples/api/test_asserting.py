"""Assertions, write checks and test data, without a JVM."""

from decimal import Decimal

import pytest
from hypothesis import given
from pyspark.sql.types import DoubleType, StructField, StructType

from models import orders
from pytest_delta_schema import (
    Column,
    MemoryCatalog,
    Merge,
    Orchestrator,
    Table,
    When,
    WriteOptions,
    assert_accepts,
    assert_evolves,
    assert_frame_fits,
    assert_no_drift,
    assert_rejects,
    assert_table_equals,
    breaking_rows,
    check_write,
    rows_of,
    rows_strategy,
    to_struct_type,
)
from pytest_delta_schema.report import schema_diff

FITTING = to_struct_type(orders)
WIDER = StructType([*FITTING, StructField("discount", DoubleType())])


@pytest.fixture
def catalog():
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([orders])
    return catalog


def test_assert_no_drift(catalog):
    assert_no_drift(orders, catalog=catalog)


def test_assert_accepts():
    assert_accepts(orders, FITTING)
    assert_accepts(orders, WIDER, WriteOptions(merge_schema=True))


def test_assert_rejects():
    assert_rejects(orders, WIDER, reason="extra-column")


def test_assert_evolves():
    evolved = Table("dev", "silver", "orders", [*orders.columns, Column("discount", "double")])

    assert_evolves(orders, WIDER, to=evolved)


def test_assert_frame_fits():
    assert_frame_fits(orders, FITTING)


def test_check_write():
    verdict = check_write(orders, WIDER, WriteOptions(method="insert_into"))

    assert not verdict.accepted
    assert verdict.rules == ("extra-column",)


def test_write_options():
    options = WriteOptions(method="save_as_table", mode="overwrite", overwrite_schema=True)

    assert check_write(orders, WIDER, options).resulting_schema.fieldNames() == ["id", "amount", "status", "discount"]


def test_merge():
    verdict = check_write(orders, WIDER, Merge(matched="all", not_matched="all", evolves=True))

    assert verdict.resulting_schema.fieldNames() == ["id", "amount", "status", "discount"]


def test_when():
    clauses = [When("source.status = 'deleted'", then="delete"), "all"]

    assert_accepts(orders, FITTING, Merge(matched=clauses))


def test_schema_diff():
    assert "+ discount  -     double" in schema_diff(orders, WIDER, nullability=False)


def test_assert_table_equals(catalog):
    catalog.insert(orders.name, [{"id": 1, "amount": 5}])

    assert_table_equals(orders, [{"id": 1, "amount": 5, "status": None}], catalog=catalog)
    assert_table_equals(orders, [{"id": 1, "amount": 5}], ignore=["status"], catalog=catalog)


def test_rows_of():
    first, second = rows_of(orders, rows=2, status="open")

    assert first == {"id": 1, "amount": Decimal("1.00"), "status": "open"}
    assert second["id"] == 2


def test_breaking_rows():
    broken = [str(rows.constraint) for rows in breaking_rows(orders)]

    assert broken == ["not null id", "check positive", "primary key pk_dev_silver_orders__id"]


@given(rows=rows_strategy(orders, max_size=3))
def test_rows_strategy(rows):
    assert all(row["amount"] > 0 for row in rows)
