"""Types given as texts."""

from __future__ import annotations

import fnmatch

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column
from pytest_delta_schema.models.spark_types import nullable_struct
from pytest_delta_schema.models.types import parse_type
from pytest_delta_schema.state.spark_types import ATOMIC
from support.case_tables import cases, refusal
from support.strategies import NAMED, REFUSED


def test_a_text_is_the_type_that_it_names():
    with cases(lambda text: Column("c", text).data_type) as case:
        for text, kind in NAMED.items():
            case(text, kind)
            if "comment" not in text.lower() and "`" not in text:
                case(kind.simpleString(), kind)
        for short in ATOMIC:
            case(short().simpleString(), short())
        case("string collate utf8_binary", spark.StringType())


def test_a_type_that_delta_does_not_store_is_its_text():
    with cases(lambda text: parse_type(text).simpleString()) as case:
        case("INTERVAL Day TO Second", "interval day to second")
        case("interval", "interval")
        case("String COLLATE UTF8_LCASE", "string collate UTF8_LCASE")
        case("geometry ( OGC:CRS84 )", "geometry(OGC:CRS84)")
        case("GEOGRAPHY(4326)", "geography(4326)")
        case("time(6)", "time(6)")
        case("Geometry", "geometry")
        case("array<struct<a: interval year, b: int>>", "array<struct<a:interval year,b:int>>")


def test_other_texts_are_refused_with_the_reason():
    wrong = {}
    for text, pattern in REFUSED.items():
        answer = refusal(Column, "c", text)
        start = f"column c: data_type {text!r} is not a Spark type: "
        if not answer.startswith(start) or not fnmatch.fnmatchcase(answer.removeprefix(start), pattern):
            wrong[text] = answer

    assert wrong == {}


@pytest.mark.parametrize("outer", ["array<", "map<int,", "struct<a:", "struct<a:array<map<int,"])
def test_types_of_a_text_are_nested_up_to_a_depth(outer):
    levels, closing = outer.count("<"), ">" * outer.count("<")
    number = 99 // levels

    assert parse_type(f"{outer * number}int{closing * number}").simpleString().count("<") == levels * number
    for wrong in (100, 20_000):
        text = refusal(Column, "c", f"{outer * wrong}int{closing * wrong}")
        start, _, rest = text.partition("... is not a Spark type: ")
        assert start.startswith(f"column c: data_type '{outer}")
        assert rest == "types are nested more than 100 deep; write the inner ones as objects of pyspark.sql.types"
        assert len(text) < 400


def test_a_frame_takes_any_rows():
    inner = spark.StructType([spark.StructField("c", spark.CharType(3), nullable=False)])
    strict = spark.StructType(
        [
            spark.StructField(
                "a", spark.ArrayType(inner, containsNull=False), nullable=False, metadata={"comment": "x"}
            ),
            spark.StructField("m", spark.MapType(spark.StringType(), spark.VarcharType(2), valueContainsNull=False)),
        ]
    )

    loose = nullable_struct(strict)

    pairs = spark.StructType([spark.StructField("c", spark.StringType())])
    assert loose == spark.StructType(
        [
            spark.StructField("a", spark.ArrayType(pairs)),
            spark.StructField("m", spark.MapType(spark.StringType(), spark.StringType())),
        ]
    )


@pytest.mark.spark
def test_spark_agrees(local_session):
    assert local_session.spark.version  # its JVM parses the texts

    for text, expected in NAMED.items():
        assert _by_spark(text) == expected, text
    for text in REFUSED:
        with pytest.raises(Exception, match=r"(?s)."):
            _by_spark(text)


def _by_spark(text):
    """Return what Spark reads, in the position of a column's type."""
    struct = spark.DataType.fromDDL(f"c {text}")
    assert isinstance(struct, spark.StructType)
    return struct.fields[0].dataType
