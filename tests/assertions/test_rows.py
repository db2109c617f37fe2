"""Rows against a contract, before anything is written."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, InvalidModelError, Unique, assert_rows_satisfy
from pytest_delta_schema.diagnostics.errors import RowsError
from support.tables import column, table

pytestmark = pytest.mark.spark


@pytest.fixture
def model():
    return table(
        column(is_nullable=False),
        Column("name", spark.VarcharType(5)),
        Column("xs", spark.ArrayType(spark.StructType([spark.StructField("a", spark.IntegerType())]))),
        column("n", is_nullable=False),
        checks=[Check("short", "name IS NULL OR length(name) < 4"), Check("positive", "id > 0")],
        primary_key=["id"],
    )


def frame(local_session, rows, schema="id bigint, name string, xs array<struct<A: int>>, n bigint"):
    return local_session.spark.createDataFrame(rows, schema)


def test_rows_that_fit_pass(local_session, model):
    assert_rows_satisfy(model, frame(local_session, [(1, "abc", [(1,)], 1), (2, None, None, 1)]))
    assert_rows_satisfy(model, frame(local_session, []))


def test_every_violation_of_rows_is_reported_at_once(local_session, model):
    rows = [(1, "abcd", None, 1), (1, None, None, None), (None, None, None, 1), (0, None, None, 1)]

    with pytest.raises(RowsError) as caught:
        assert_rows_satisfy(model, frame(local_session, rows))

    assert isinstance(caught.value, AssertionError)
    assert [(violation.path, violation.message) for violation in caught.value.diagnostics] == [
        ("columns.id", "column id is NULL in 1 of 4 rows"),
        ("columns.n", "column n is NULL in 1 of 4 rows"),
        ("checks.positive", "check positive (id > 0) is not met by 2 of 4 rows"),
        ("checks.short", "check short (name IS NULL OR length(name) < 4) is not met by 1 of 4 rows"),
        ("primary_key", "primary key (id) is repeated by 1 of 4 rows"),
    ]


def test_unique_columns_are_counted_without_rows_that_hold_null_in_one(local_session):
    model = table(column(), Column("name", spark.StringType()), unique=[Unique(["name"]), Unique(["name", "id"])])
    rows = [(1, "a"), (2, "a"), (None, "a"), (None, "a"), (3, None), (3, None)]

    with pytest.raises(RowsError) as caught:
        assert_rows_satisfy(model, frame(local_session, rows, "id bigint, name string"))

    assert [(violation.path, violation.message) for violation in caught.value.diagnostics] == [
        ("unique.uq_dev_silver_orders__name", "unique constraint (name) is repeated by 3 of 6 rows")
    ]
    assert_rows_satisfy(model, frame(local_session, [(1,), (2,)], "id bigint"))


def test_columns_that_are_left_out_are_null(local_session, model):
    with pytest.raises(RowsError) as caught:
        assert_rows_satisfy(model, frame(local_session, [(1, "a")], "ID bigint, name string"))

    assert str(caught.value) == (
        "dev.silver.orders: column n is NULL in 1 of 1 row; fill it [DS401 RowsViolateContract]"
    )


def test_types_and_undeclared_columns_are_named(local_session, model):
    rows = frame(local_session, [("1", 1, {"a": 1})], "id string, more int, xs map<string, int>")

    with pytest.raises(RowsError) as caught:
        assert_rows_satisfy(model, rows)

    assert [violation.message for violation in caught.value.diagnostics] == [
        "column id is string in the rows and bigint in the model",
        "column more is not in the model",
        "column xs is map<string, int> in the rows and array<struct<a: int>> in the model",
        "column n is NULL in 1 of 1 row",
    ]


def test_wrong_types_are_reported_with_all_other_violations(local_session):
    model = table(
        column(is_nullable=False),
        column("n", is_nullable=False),
        column("twice", is_nullable=False, generated_as="n * 2"),
        column("next", is_nullable=False, generated_as="id + 1"),
        column("m", is_nullable=False),
        Column("s", spark.StructType([spark.StructField("a", spark.LongType(), nullable=False)])),
        primary_key=["id"],
        unique=[Unique(["n"])],
        checks=[
            Check("positive", "id > 0"),
            Check("small", "twice < 9"),
            Check("low", "next < 3"),
            Check("n", "n > 5"),
        ],
    )
    rows = [(1, "x", None), (1, None, None), (5, "7", None)]

    with pytest.raises(RowsError) as caught:
        assert_rows_satisfy(model, frame(local_session, rows, "id bigint, n string, s string"))

    assert [(violation.path, violation.message) for violation in caught.value.diagnostics] == [
        ("columns.n", "column n is string in the rows and bigint in the model"),
        ("columns.s", "column s is string in the rows and struct<a: bigint not null> in the model"),
        ("columns.n", "column n is NULL in 1 of 3 rows"),
        ("columns.m", "column m is NULL in 3 of 3 rows"),
        ("checks.low", "check low (next < 3) is not met by 1 of 3 rows"),
        ("primary_key", "primary key (id) is repeated by 1 of 3 rows"),
    ]


def test_an_invalid_declaration_is_reported_first(local_session):
    with pytest.raises(InvalidModelError):
        assert_rows_satisfy(table(), frame(local_session, []))


def test_columns_that_the_table_fills_are_taken_as_it_fills_them(local_session):
    model = table(
        column(is_nullable=False, identity=True),
        column("n", is_nullable=False, default="1 + 1"),
        column("twice", is_nullable=False, generated_as="n * 2"),
        column("given", is_nullable=False),
        primary_key=["id"],
        checks=[Check("small", "twice < 9")],
    )

    assert_rows_satisfy(model, frame(local_session, [(7,), (7,)], "given bigint"))
    with pytest.raises(RowsError) as caught:
        assert_rows_satisfy(model, frame(local_session, [(5,)], "n bigint"))

    assert [violation.path for violation in caught.value.diagnostics] == ["columns.given", "checks.small"]
