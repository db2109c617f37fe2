"""Frames and strategies of rows."""

from __future__ import annotations

import sys
from decimal import Decimal
from typing import Any, cast

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from pyspark.sql.types import DecimalType, IntegerType, LongType, StringType, StructField, StructType

from pytest_delta_schema import Column, ForeignKey, Identity, Table, frame_of, rows_strategy
from pytest_delta_schema.diagnostics.errors import DeclarationError
from support.values.row_models import table


class Session:
    """A session that keeps what frames are made of."""

    def createDataFrame(self, rows, schema):  # noqa: N802 - a name of pyspark
        return rows, schema


def made(*arguments, **columns) -> Any:
    """Return the rows and the schema of a frame."""
    return frame_of(cast("Any", Session()), *arguments, **columns)


def test_a_frame_has_the_types_of_the_model_and_may_hold_null():
    more = [Column("d", "int", default=1), Column("g", "int", generated_as="d + 1")]
    model = table("id bigint not null; name varchar(9); price decimal(5,2); s struct<a: int not null>", more=more)

    rows, schema = made(model, 2, NAME=None)

    assert rows == [(1, None, Decimal("1.00"), {"a": 1}), (2, None, Decimal("2.00"), {"a": 2})]
    assert schema == StructType(
        [
            StructField("id", LongType()),
            StructField("name", StringType()),
            StructField("price", DecimalType(5, 2)),
            StructField("s", StructType([StructField("a", IntegerType())])),
        ]
    )


def test_a_frame_without_rows_has_the_columns_that_the_table_does_not_fill():
    more = [Column("d", "int", default=1)]

    rows, schema = made(table("a array<map<string,int>>", more=more), 0)

    assert (rows, schema.simpleString()) == ([], "struct<a:array<map<string,int>>>")


def test_a_default_stands_where_only_some_rows_need_another_value():
    model = table("a int", ["d < 2 OR a > 1"], more=[Column("d", "int", default=5)])

    rows, schema = made(model, 3, a=lambda position: position)

    assert (rows, schema.names) == ([(0, 1), (1, 1), (2, 5)], ["a", "d"])


def test_a_generated_column_is_computed_where_only_some_rows_give_a_value():
    model = table("a int", more=[Column("g", "int", generated_as="a + 1")])

    assert made(model, [{"a": 1, "g": 2}, {"a": 5}])[0] == [(1, 2), (5, 6)]


@pytest.mark.parametrize(
    "column",
    [Column("C", "bigint", identity=True), Column("C", "int", generated_as="hash(a)")],
    ids=["identity", "hash"],
)
def test_a_value_that_only_the_table_knows_is_given_in_all_rows_or_in_none(column):
    model = table("a int", more=[column])

    with pytest.raises(DeclarationError) as caught:
        made(model, [{"c": 7}, {"a": 5}])

    fact = "row 2 leaves C to the table, and another row does not"
    assert str(caught.value) == f"dev.silver.orders: {fact}; give a value in all rows, or in none"
    assert made(model, 1)[1].names == ["a"]


def test_a_frame_with_all_columns_has_what_the_table_fills():
    more = [
        Column("D", "int", default=4),
        Column("g", "int", generated_as="a + D"),
        Column("i", "bigint", identity=Identity(start=10, step=5)),
    ]

    rows, schema = made(table("a int", more=more), [{"a": 1}, {"a": 2, "d": 0}], all_columns=True)

    assert rows == [(1, 4, 5, 10), (2, 0, 2, 15)]
    assert schema == StructType(
        [
            StructField("a", IntegerType()),
            StructField("D", IntegerType()),
            StructField("g", IntegerType()),
            StructField("i", LongType()),
        ]
    )


@pytest.mark.parametrize(
    "column",
    [Column("C", "int", generated_as="hash(a)"), Column("C", "string", default="uuid()")],
    ids=["hash", "uuid"],
)
def test_a_value_that_only_spark_knows_is_given_in_a_frame_with_all_columns(column):
    with pytest.raises(DeclarationError) as caught:
        made(table("a int", more=[column]), 1, all_columns=True)

    fact = "row 1 leaves C to the table, whose value only Spark knows"
    assert str(caught.value) == f"dev.silver.orders: {fact}; give a value in all rows, or leave out all_columns"


def test_a_frame_needs_a_session():
    with pytest.raises(DeclarationError, match="give one, such as the fixture delta_spark"):
        frame_of("local", table("a int"))


MODEL = {"model": table("id int not null; amount int; kind string", ["amount >= 0"], primary_key=["id"])}


@given(
    rows_strategy(
        MODEL["model"], min_size=1, max_size=4, amount=st.integers(0, 9), kind=lambda position: f"k{position}"
    )
)
@settings(max_examples=20, deadline=None)
def test_strategies_draw_valid_rows(rows):
    assert 1 <= len(rows) <= 4
    assert [row["id"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(0 <= row["amount"] <= 9 for row in rows)
    assert [row["kind"] for row in rows] == [f"k{position}" for position in range(len(rows))]


def test_strategies_shrink_to_the_plain_rows():
    assert find(rows_strategy(MODEL["model"]), lambda rows: len(rows) > 1) == [
        {"id": 1, "amount": 1, "kind": "kind_1"},
        {"id": 2, "amount": 2, "kind": "kind_2"},
    ]


def test_every_example_of_a_strategy_has_the_rows_of_the_parents():
    parent = table("id bigint not null", primary_key=["id"])
    child = Table("dev", "silver", "lines", [Column("o", "bigint")], foreign_keys=[ForeignKey(["o"], parent)])

    rows = rows_strategy(child, min_size=1, parents={parent: iter([{"id": 7}])})

    assert find(rows, lambda _: True) == [{"o": 7}]


def test_a_strategy_with_an_unknown_column_is_refused_at_once():
    with pytest.raises(DeclarationError, match="there is no column amuont; did you mean amount"):
        rows_strategy(MODEL["model"], amuont=st.integers())


def test_hypothesis_is_optional(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)

    with pytest.raises(
        DeclarationError, match="rows_strategy needs hypothesis, which is not installed; run: pip install hypothesis"
    ):
        rows_strategy(MODEL["model"])
