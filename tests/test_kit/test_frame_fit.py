"""Frames that can be appended as they are."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, assert_frame_fits, to_struct_type
from pytest_delta_schema.diagnostics.errors import DeclarationError, WriteError
from support.tables import column, table


def model():
    return table(
        Column("id", "bigint", is_nullable=False),
        Column("name", "varchar(10)"),
        Column("at", "timestamp", default="current_timestamp()"),
        Column("day", "date", generated_as="CAST(at AS DATE)"),
    )


def struct(*fields):
    return spark.StructType([spark.StructField(name, kind) for name, kind in fields])


ID, NAME = ("ID", spark.LongType()), ("name", spark.StringType())


@pytest.mark.parametrize(
    ("frame", "notes"),
    [
        (
            struct(NAME, ID),
            [
                "at is not in the frame: it takes its default, current_timestamp()",
                "day is not in the frame: the table generates it as CAST(at AS DATE)",
            ],
        ),
        (to_struct_type(model()), []),
    ],
    ids=["by name", "all"],
)
def test_a_frame_fits_if_the_table_fills_the_other_columns(frame, notes):
    assert [note.message for note in assert_frame_fits(model(), frame).notes] == notes


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            struct(("id", spark.IntegerType()), ("more", spark.LongType())),
            """\
dev.silver.orders: the frame does not fit the model
  ! column id is int in the frame and bigint in the model; cast it to bigint
  ! column more is not in the model; declare it, or leave it out of the frame
  ! column name is not in the frame, and would be NULL; add it

        model        frame
~ id    bigint       int
- name  varchar(10)  -
- at    timestamp    -
- day   date         -
+ more  -            bigint""",
        ),
    ],
)
def test_every_column_that_does_not_fit_is_named(frame, message):
    with pytest.raises(WriteError) as caught:
        assert_frame_fits(model(), frame)

    assert isinstance(caught.value, AssertionError)
    assert str(caught.value) == message


def test_a_write_that_delta_refuses_for_another_reason():
    counted = table(column(), Column("key", "bigint", identity=True))

    with pytest.raises(WriteError, match=r"the frame does not fit the model\n  ! key.* explicit-identity-insert"):
        assert_frame_fits(counted, struct(("id", spark.LongType()), ("key", spark.LongType())))


def test_what_delta_refuses_is_named_beside_what_does_not_fit():
    counted = table(column(), Column("key", "bigint", identity=True))

    with pytest.raises(WriteError) as caught:
        assert_frame_fits(counted, struct(("id", spark.StringType()), ("key", spark.LongType())))

    _, first, second, *_ = str(caught.value).splitlines()
    assert first == "  ! column id is string in the frame and bigint in the model; cast it to bigint"
    assert second.startswith("  ! key is an identity column that is GENERATED ALWAYS, and the frame has it")


@pytest.mark.parametrize(
    ("frame", "contract", "message"),
    [
        (
            struct(ID),
            "dev.silver.orders",
            "assert_frame_fits takes a model and a frame, and was given 'dev.silver.orders' as model; give a Table",
        ),
        (
            [{"id": 1}],
            model(),
            "dev.silver.orders: what is written is [{'id': 1}]; give a DataFrame or its schema, a StructType",
        ),
    ],
    ids=["name", "rows"],
)
def test_wrong_arguments_have_a_remedy(frame, contract, message):
    with pytest.raises(DeclarationError) as caught:
        assert_frame_fits(contract, frame)

    assert str(caught.value) == message
