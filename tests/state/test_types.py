"""Canonical types: equal types are equal values, whichever side wrote them down."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.state import ArrayState, ColumnState, MapState, StructState, types
from pytest_delta_schema.state.spark_types import canonical_type, unstorable
from pytest_delta_schema.state.types import describe_type, equal_types, is_assignable, not_null_in_collections

INT, TEXT = spark.IntegerType(), spark.StringType()


def struct(*fields: tuple[str, object, bool]) -> spark.StructType:
    return spark.StructType([spark.StructField(name, kind, nullable) for name, kind, nullable in fields])


@pytest.mark.parametrize(
    ("data_type", "text"),
    [
        (spark.BinaryType(), "binary"),
        (spark.BooleanType(), "boolean"),
        (spark.ByteType(), "tinyint"),
        (spark.CharType(3), "char(3)"),
        (spark.DateType(), "date"),
        (spark.DecimalType(), "decimal(10,0)"),
        (spark.DecimalType(18, 2), "decimal(18,2)"),
        (spark.DoubleType(), "double"),
        (spark.FloatType(), "float"),
        (spark.IntegerType(), "int"),
        (spark.LongType(), "bigint"),
        (spark.NullType(), "void"),
        (spark.ShortType(), "smallint"),
        (spark.StringType(), "string"),
        (spark.StringType("UTF8_LCASE"), "string collate UTF8_LCASE"),
        (spark.TimestampNTZType(), "timestamp_ntz"),
        (spark.TimestampType(), "timestamp"),
        (spark.VarcharType(10), "varchar(10)"),
        (spark.VariantType(), "variant"),
        (spark.DayTimeIntervalType(), "interval day to second"),
        (spark.ArrayType(INT), "array<int>"),
        (spark.ArrayType(INT, containsNull=False), "array<int not null>"),
        (spark.MapType(TEXT, INT, valueContainsNull=False), "map<string, int not null>"),
        (
            struct(("a", INT, False), ("b c", spark.ArrayType(TEXT), True)),
            "struct<a: int not null, b c: array<string>>",
        ),
    ],
    ids=str,
)
def test_every_type_has_one_canonical_form(data_type, text):
    assert describe_type(canonical_type(data_type)) == text


def test_nested_comments_are_kept_for_the_creation():
    data_type = spark.StructType([spark.StructField("a", INT, metadata={"comment": "An a"})])

    assert canonical_type(data_type) == StructState((ColumnState("a", "int", True, "An a"),))


A = ColumnState("a", "int", True, "")
B = ColumnState("b", "string", True, "")


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("int", "int", True),
        ("int", "bigint", False),
        ("decimal(18,2)", "decimal(18,3)", False),
        ("varchar(10)", "string", False),
        (StructState((A, B)), StructState((B, A)), True),
        (StructState((A,)), StructState((A._replace(name="A"),)), True),
        (StructState((A,)), StructState((A._replace(comment="x"),)), True),
        (StructState((A,)), StructState((A._replace(is_nullable=False),)), False),
        (StructState((A,)), StructState((A, B)), False),
        (StructState((A,)), "int", False),
        (ArrayState("int", True), ArrayState("int", False), False),
        (ArrayState(StructState((A, B)), True), ArrayState(StructState((B, A)), True), True),
        (MapState("string", "int", True), MapState("string", "int", False), False),
        (
            MapState("string", StructState((A,)), True),
            MapState("string", StructState((A._replace(comment="c"),)), True),
            True,
        ),
        (ArrayState("int", True), MapState("string", "int", True), False),
    ],
)
def test_equality_of_types(left, right, equal):
    assert equal_types(left, right) is equal
    assert equal_types(right, left) is equal


@pytest.mark.skipif(not hasattr(spark, "TimeType"), reason="Spark 4.1 brought the type TIME")
def test_what_delta_cannot_store_is_named_by_path():
    odd = spark.CalendarIntervalType()
    data_type = struct(
        ("ok", INT, True),
        ("list", spark.ArrayType(odd), True),
        ("map", spark.MapType(spark.StringType("UTF8_LCASE"), struct(("deep", spark.TimeType(), True))), True),
    )

    assert [(str(path), name) for path, name in unstorable(canonical_type(data_type), ColumnPath("c"))] == [
        ("c.list.element", "interval"),
        ("c.map.key", "string collate UTF8_LCASE"),
        ("c.map.value.deep", "time(6)"),
    ]


def test_not_null_inside_collections_is_named_by_path_and_is_fine_in_structs():
    solid = struct(("a", INT, False))
    data_type = struct(
        ("fine", solid, False),
        ("list", spark.ArrayType(solid, containsNull=False), True),
        ("map", spark.MapType(solid, spark.ArrayType(INT), valueContainsNull=False), True),
    )

    assert [str(path) for path in not_null_in_collections(canonical_type(data_type), ColumnPath("c"))] == [
        "c.list.element",
        "c.list.element.a",
        "c.map.value",
        "c.map.key.a",
    ]


@pytest.mark.parametrize(
    ("given", "declared", "expected"),
    [
        ("string", "varchar(3)", True),
        ("char(2)", "string", True),
        ("int", "bigint", False),
        (ArrayState("string", True), ArrayState("varchar(3)", False), True),
        (MapState("string", "int", True), MapState("string", "int", False), True),
        (MapState("string", "int", True), MapState("string", "bigint", True), False),
        (
            StructState((ColumnState("A", "int", True, ""), ColumnState("b", "string", True, "x"))),
            StructState((ColumnState("B", "string", False, ""), ColumnState("a", "int", True, ""))),
            True,
        ),
        (StructState((ColumnState("a", "int", True, ""),)), StructState(()), False),
    ],
    ids=str,
)
def test_values_of_one_type_fit_another(given, declared, expected):
    assert is_assignable(given, declared) is expected


def test_equal_nested_types_are_one_object_and_not_too_many_are_kept(monkeypatch):
    monkeypatch.setattr(types, "_SHARED", {})
    monkeypatch.setattr(types, "_MOST_SHARED", 2)
    first, second, third = (ArrayState(name, contains_null=True) for name in ("int", "bigint", "string"))

    assert types.shared(first) is types.shared(ArrayState("int", contains_null=True))
    types.shared(second)
    assert types.shared(third) is third
    assert list(types._SHARED) == [third]
