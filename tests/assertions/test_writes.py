"""Assertions about writes, and the schemas side by side that their texts show."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql.types import ArrayType, StructType

from pytest_delta_schema import Column, WriteOptions, assert_accepts, assert_evolves, assert_rejects
from pytest_delta_schema.diagnostics.errors import DeclarationError, WriteError
from pytest_delta_schema.report import schema_diff
from pytest_delta_schema.testing.scenario import INT, LONG, TEXT, field, struct
from support.models import state, stored, table
from support.writes import DOUBLE, A, B, frame


def test_an_accepted_write_passes_and_gives_its_verdict():
    (note,) = assert_accepts(table(A, B), frame(a=INT)).notes
    assert (note.path, note.message) == ("b", "b is not in the frame: it is NULL")
    assert assert_accepts(table(A, B), frame(b=TEXT, a=LONG), WriteOptions(method="write_to")).accepted


def test_a_refused_write_fails_with_both_schemas_side_by_side():
    lines = ArrayType(struct(field("price", DOUBLE), field("sku", TEXT)))
    given = ArrayType(struct(field("price", TEXT), field("qty", INT)))

    with pytest.raises(WriteError) as caught:
        assert_accepts(table(A, B, Column("lines", lines)), frame(a=INT, lines=given, note=TEXT))

    head, *_, last = str(caught.value).split("\n\n")
    assert head.startswith(
        "dev.silver.orders: the write is refused\n  ! lines.element.price is double in the table and",
    )
    assert last == (
        "                     table   frame\n"
        "- b                    string  -\n"
        "~ lines.element.price  double  string\n"
        "- lines.element.sku    string  -\n"
        "+ lines.element.qty    -       int\n"
        "+ note                 -       string"
    ).replace("                     table", "                       table", 1)


def test_a_refusal_is_expected_by_rule_or_by_condition():
    extra = frame(a=INT, c=INT)

    assert assert_rejects(table(A), extra).rules == ("extra-column",)
    assert assert_rejects(table(A), extra, reason="extra-column").rules == ("extra-column",)
    assert assert_rejects(table(A), extra, reason="DELTA_METADATA_MISMATCH").rules == ("extra-column",)


def test_a_refusal_for_another_reason_fails():
    with pytest.raises(WriteError, match="and should be refused for type-mismatch") as caught:
        assert_rejects(table(A), frame(a=INT, c=INT), reason="type-mismatch")

    assert "[DELTA_METADATA_MISMATCH extra-column]" in str(caught.value)


def test_an_acceptance_that_should_be_a_refusal_fails():
    with pytest.raises(WriteError) as caught:
        assert_rejects(table(A), frame(a=INT), reason="extra-column")

    assert str(caught.value) == (
        "dev.silver.orders: the write is accepted, and should be refused for extra-column\n\nthe two schemas are equal"
    )


def test_a_table_evolves_to_another_model():
    target = table(A, Column("c", DOUBLE))

    assert assert_evolves(table(A), frame(a=INT, c=DOUBLE), to=target).accepted
    assert assert_evolves(
        table(A),
        frame(c=DOUBLE),
        WriteOptions(mode="overwrite", overwrite_schema=True),
        to=frame(c=DOUBLE),
    ).accepted


@pytest.mark.parametrize(
    ("to", "given", "text"),
    [
        (
            table(A),
            frame(a=INT, c=DOUBLE),
            (
                "dev.silver.orders: the write is accepted, but the table has an unexpected schema after it\n\n"
                "     expected  after the write\n+ c  -         double"
            ),
        ),
        (table(A), frame(a=INT), "dev.silver.orders: the write is accepted, and does not change the schema"),
    ],
)
def test_an_evolution_to_something_else_fails(to, given, text):
    with pytest.raises(WriteError) as caught:
        assert_evolves(table(A), given, to=to)

    assert str(caught.value) == text


def test_two_schemas_side_by_side():
    cases: list[tuple[Any, Any, list[str]]] = [
        (frame(a=INT), frame(a=INT), []),
        (frame(a=INT, b=TEXT), frame(b=TEXT, a=INT), []),
        (frame(a=INT), frame(a=LONG), ["     left  right", "~ a  int   bigint"]),
        (frame(a=INT), frame(A=INT), ["     left    right", "~ a  a: int  A: int"]),
        (
            frame(field("a", INT, nullable=False)),
            frame(a=INT),
            ["     left          right", "~ a  int not null  int"],
        ),
        (frame(), frame(a=INT), ["     left  right", "+ a  -     int"]),
        (frame(a=struct(field("x", INT))), frame(a=INT), ["     left            right", "~ a  struct<x: int>  int"]),
        (
            frame(a=struct(field("x", INT))),
            frame(field("a", struct(field("x", LONG)), nullable=False)),
            ["       left    right", "~ a    struct  struct not null", "~ a.x  int     bigint"],
        ),
        (
            StructType([field("a", INT), field("a", TEXT)]),
            frame(a=INT),
            ["     left    right", "- a  string  -"],
        ),
        (table(A), state(stored("a", "int"), stored("b")), ["     left  right", "+ b  -     bigint"]),
    ]

    assert [schema_diff(left, right).splitlines() for left, right, _ in cases] == [lines for *_, lines in cases]


def test_nullability_may_be_left_aside():
    assert schema_diff(frame(field("a", INT, nullable=False)), frame(a=INT), nullability=False) == ""


def test_something_that_is_no_schema_is_refused():
    with pytest.raises(DeclarationError, match="a schema is 'a int'; give a StructType, a DataFrame, a Table"):
        schema_diff("a int", frame(a=INT))
