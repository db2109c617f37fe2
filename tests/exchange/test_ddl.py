"""Models as DDL, and the DDL as models: nothing that SQL can express is lost."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Table, UnknownType
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.exchange import from_ddl, to_ddl
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import refusal
from support.strategies import models

ID = Column("id", spark.LongType(), is_nullable=False)
HOSTILE = (
    *("it's", 'say "a"', "two\nlines\r\n", "back\\slash\\", "\\'", "''", "tab\tnul\0nul\x001", "${x}"),
    *("ä💥\u202e", "-- no comment", "/* nor this */", "a;b", "\\u0041", "%_\\%\\_"),
)


def declared(table: Table) -> object:
    """Return what SQL can express of a model: not that something is absent, nor the case of the name of a check."""
    state = desired_state(table)
    tags = {path: {key: value for key, value in tags.items() if value is not None} for path, tags in state.tags.items()}
    return replace(
        state,
        table_properties={key: value for key, value in state.table_properties.items() if value is not None},
        tags={path: values for path, values in tags.items() if values},
        checks=tuple(check._replace(name=folded(check.name)) for check in state.checks),
    )


@settings(deadline=None)
@given(model=models())
def test_any_model_comes_back(model):
    (again,) = from_ddl(to_ddl([model]))

    assert declared(again) == declared(model)
    assert to_ddl([again]) == to_ddl([model])


@settings(deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1), key=st.sampled_from(HOSTILE))
def test_any_text_comes_back(text, key):
    field = spark.StructField(text, spark.StringType(), metadata={"comment": text})
    columns = [Column("c", spark.StructType([field]), comment=text), Column(f"x{text}", spark.StringType())]
    options = {"comment": text, "table_properties": {f"team.{key}": text}, "tags": {key: text}}
    model = Table("dev", "silver", f"t{text}", columns, checks=[Check(key, "c IS NOT NULL")], **options)

    (again,) = from_ddl(to_ddl([model]))

    assert declared(again) == declared(model)


def test_any_type_comes_back():
    deep: spark.DataType = spark.LongType()
    for _ in range(60):
        deep = spark.StructType([spark.StructField("f", deep, nullable=False, metadata={"comment": "it's"})])
    unknown = ("interval", "string collate UTF8_LCASE", "geometry(OGC:CRS84)", "geography(4326)", "time(6)")
    for data_type in (
        *(spark.VarcharType(7), spark.CharType(3), spark.DecimalType(38, 18), spark.VariantType()),
        *(spark.DayTimeIntervalType(0, 3), spark.YearMonthIntervalType(0, 0), *map(UnknownType, unknown), deep),
    ):
        fields = spark.StructType([spark.StructField("f", data_type)])
        nested = spark.MapType(spark.StringType(), spark.ArrayType(fields))
        model = Table("dev", "silver", "t", [Column("c", data_type, comment="x"), Column("n", nested)])

        (again,) = from_ddl(to_ddl([model]))

        assert declared(again) == declared(model)


def test_tables_come_after_those_that_they_reference_and_a_schema_is_created_once():
    parent = Table("dev", "silver", "z", [ID], primary_key=["id"])
    child = Table("dev", "silver", "a", [ID], foreign_keys=[ForeignKey(["id"], parent)])

    text = to_ddl([child, parent])

    assert text.count("CREATE SCHEMA") == 1
    assert text.index("CREATE TABLE `dev`.`silver`.`z`") < text.index("CREATE TABLE `dev`.`silver`.`a`")
    assert text.endswith("REFERENCES `dev`.`silver`.`z` (`id`);\n")
    assert list(map(declared, from_ddl(text))) == list(map(declared, [parent, child]))


def test_no_tables_are_no_statements():
    assert to_ddl([]) == ""
    assert from_ddl("") == from_ddl(" ;; -- nothing\n /* at ; all */ ") == []


def test_arguments_that_mean_nothing_are_refused():
    model, other = Table("dev", "s", "a", [ID]), Table("DEV", "s", "A", [ID])

    assert refusal(to_ddl, [model, other]) == "to_ddl: dev.s.a is declared more than once; give each table once"
    given = "give the statements, or a name, as text"
    assert refusal(from_ddl, 1) == f"from_ddl: text takes a string, and was given 1; {given}"
    assert refusal(lambda: from_ddl("", catalog_name=None)) == (
        f"from_ddl: catalog_name takes a string, and was given None; {given}"
    )
