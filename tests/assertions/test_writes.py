"""Assertions about writes, and the schemas side by side that their texts show."""

from __future__ import annotations

import pytest
from pyspark.sql.types import ArrayType

from pytest_delta_schema import Column, WriteOptions, assert_accepts, assert_evolves, assert_rejects
from pytest_delta_schema.diagnostics.errors import WriteError
from pytest_delta_schema.testing.scenario import INT, LONG, TEXT, field, struct
from support.models import table
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


def test_a_table_evolves_to_another_model():
    target = table(A, Column("c", DOUBLE))

    assert assert_evolves(table(A), frame(a=INT, c=DOUBLE), to=target).accepted
    assert assert_evolves(
        table(A),
        frame(c=DOUBLE),
        WriteOptions(mode="overwrite", overwrite_schema=True),
        to=frame(c=DOUBLE),
    ).accepted


def test_an_evolution_to_something_else_fails():
    with pytest.raises(WriteError) as caught:
        assert_evolves(table(A), frame(a=INT, c=DOUBLE), to=table(A))

    assert str(caught.value) == (
        "dev.silver.orders: the write is accepted, but the table has an unexpected schema after it\n\n"
        "     expected  after the write\n+ c  -         double"
    )
