"""Canonical types: equal types are equal values, whichever side wrote them down."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.models.types import parse_type
from pytest_delta_schema.state import ArrayState, ColumnState, MapState, StructState, types
from pytest_delta_schema.state.spark_types import canonical_type, unknown_parts, unstorable
from pytest_delta_schema.state.types import children, describe_type, equal_types, is_assignable, not_null_in_collections
from support.case_tables import cases

INT, TEXT = spark.IntegerType(), spark.StringType()


def struct(*fields: tuple[str, object, bool]) -> spark.StructType:
    return spark.StructType([spark.StructField(name, kind, nullable) for name, kind, nullable in fields])


def test_every_type_has_one_canonical_form():
    texts = (
        "binary boolean tinyint char(3) date decimal(10,0) decimal(18,2) double float int bigint void smallint string"
    )
    others = "timestamp_ntz timestamp varchar(10) variant"
    for text in (*f"{texts} {others}".split(" "), "array<int>"):
        assert describe_type(canonical_type(parse_type(text))) == text
    with cases(lambda data_type: describe_type(canonical_type(data_type))) as case:
        case(spark.StringType("UTF8_LCASE"), "string collate UTF8_LCASE")
        case(spark.DayTimeIntervalType(), "interval day to second")
        case(spark.ArrayType(INT, containsNull=False), "array<int not null>")
        case(spark.MapType(TEXT, INT, valueContainsNull=False), "map<string, int not null>")
        nested = struct(("a", INT, False), ("b c", spark.ArrayType(TEXT), True))
        case(nested, "struct<a: int not null, b c: array<string>>")


def test_nested_comments_are_kept_for_the_creation():
    data_type = spark.StructType([spark.StructField("a", INT, metadata={"comment": "An a"})])

    assert canonical_type(data_type) == StructState((ColumnState("a", "int", True, "An a"),))


def test_the_parts_of_a_type_are_columns():
    with cases(children) as case:
        case("int", ())
        case(StructState((A, B)), (A, B))
        case(ArrayState("int", False), (ColumnState("element", "int", False, ""),))
        key, value = ColumnState("key", "string", False, ""), ColumnState("value", "int", True, "")
        case(MapState("string", "int", True), (key, value))


A = ColumnState("a", "int", True, "")
B = ColumnState("b", "string", True, "")


def test_equality_of_types():
    with cases(
        lambda left, right: equal_types(left, right) if equal_types(left, right) is equal_types(right, left) else None
    ) as case:
        case("int", "int", True)
        case("int", "bigint", False)
        case("decimal(18,2)", "decimal(18,3)", False)
        case("varchar(10)", "string", False)
        case(StructState((A, B)), StructState((B, A)), True)
        case(StructState((A,)), StructState((A._replace(name="A"),)), True)
        case(StructState((A,)), StructState((A._replace(comment="x"),)), True)
        case(StructState((A,)), StructState((A._replace(is_nullable=False),)), False)
        case(StructState((A,)), StructState((A, B)), False)
        case(StructState((A,)), "int", False)
        case(ArrayState("int", True), ArrayState("int", False), False)
        case(ArrayState(StructState((A, B)), True), ArrayState(StructState((B, A)), True), True)
        case(MapState("string", "int", True), MapState("string", "int", False), False)
        case(
            MapState("string", StructState((A,)), True),
            MapState("string", StructState((A._replace(comment="c"),)), True),
            True,
        )
        case(ArrayState("int", True), MapState("string", "int", True), False)


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
    columns = [ColumnState("d", "date", True, ""), ColumnState("e", ArrayState("time(6)", True), True, "")]
    assert [*unknown_parts(columns)] == [(ColumnPath("e", "element"), "time(6)")]


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


def test_values_of_one_type_fit_another():
    with cases(is_assignable) as case:
        case("string", "varchar(3)", True)
        case("char(2)", "string", True)
        case("int", "bigint", False)
        case(ArrayState("string", True), ArrayState("varchar(3)", False), True)
        case(MapState("string", "int", True), MapState("string", "int", False), True)
        case(MapState("string", "int", True), MapState("string", "bigint", True), False)
        case(
            StructState((ColumnState("A", "int", True, ""), ColumnState("b", "string", True, "x"))),
            StructState((ColumnState("B", "string", False, ""), ColumnState("a", "int", True, ""))),
            True,
        )
        case(StructState((ColumnState("a", "int", True, ""),)), StructState(()), False)


def test_equal_nested_types_are_one_object_and_not_too_many_are_kept(monkeypatch):
    monkeypatch.setattr(types, "_SHARED", {})
    monkeypatch.setattr(types, "_MOST_SHARED", 2)
    first, second, third = (ArrayState(name, contains_null=True) for name in ("int", "bigint", "string"))

    assert types.shared(first) is types.shared(ArrayState("int", contains_null=True))
    types.shared(second)
    assert types.shared(third) is third
    assert list(types._SHARED) == [third]
