"""Types given as texts."""

from __future__ import annotations

import fnmatch

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.types import parse_type
from pytest_delta_schema.state.spark_types import ATOMIC
from support.strategies import NAMED, REFUSED


@pytest.mark.parametrize("text", NAMED)
def test_a_text_is_the_type_that_it_names(text):
    assert Column("c", text).data_type == NAMED[text]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("INTERVAL Day TO Second", "interval day to second"),
        ("interval", "interval"),
        ("String COLLATE UTF8_LCASE", "string collate UTF8_LCASE"),
        ("geometry ( OGC:CRS84 )", "geometry(OGC:CRS84)"),
        ("GEOGRAPHY(4326)", "geography(4326)"),
        ("time(6)", "time(6)"),
        ("Geometry", "geometry"),
        ("array<struct<a: interval year, b: int>>", "array<struct<a:interval year,b:int>>"),
    ],
)
def test_a_type_that_delta_does_not_store_is_its_text(text, shown):
    assert parse_type(text).simpleString() == shown


def test_the_plain_collation_is_that_of_every_string():
    assert parse_type("string collate utf8_binary") == spark.StringType()


@pytest.mark.parametrize("text", REFUSED)
def test_other_texts_are_refused_with_the_reason(text):
    with pytest.raises(DeclarationError) as caught:
        Column("c", text)

    prefix = f"column c: data_type {text!r} is not a Spark type: "
    assert str(caught.value).startswith(prefix)
    assert fnmatch.fnmatchcase(str(caught.value).removeprefix(prefix), REFUSED[text])


@pytest.mark.parametrize("outer", ["array<", "map<int,", "struct<a:", "struct<a:array<map<int,"])
def test_types_of_a_text_are_nested_up_to_a_depth(outer):
    levels, closing = outer.count("<"), ">" * outer.count("<")
    number = 99 // levels

    assert parse_type(f"{outer * number}int{closing * number}").simpleString().count("<") == levels * number
    for wrong in (100, 20_000):
        with pytest.raises(DeclarationError) as caught:
            Column("c", f"{outer * wrong}int{closing * wrong}")
        assert str(caught.value).startswith(f"column c: data_type '{outer}")
        assert str(caught.value).endswith(
            "... is not a Spark type: types are nested more than 100 deep; write the inner ones as objects of"
            " pyspark.sql.types"
        )
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize("kind", ATOMIC)
def test_the_short_names_of_all_types_are_texts(kind):
    assert parse_type(kind().simpleString()) == kind()


@pytest.mark.parametrize("text", [text for text in NAMED if "comment" not in text.lower() and "`" not in text])
def test_the_text_that_spark_shows_is_the_same_type(text):
    assert parse_type(NAMED[text].simpleString()) == NAMED[text]


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
