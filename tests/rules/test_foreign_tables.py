"""Rules over tables that another writer made, those of Iceberg clients included."""

from __future__ import annotations

from pyspark.sql import types as spark

from pytest_delta_schema import Column
from pytest_delta_schema.delta.protocol import MAPPING_PROPERTY
from pytest_delta_schema.rules import Consent
from pytest_delta_schema.state import ArrayState, StructState, TableState
from support.case_tables import named_cases
from support.models import NAME, column, state, stored, table
from support.snapshots import ReviewedCases
from support.violations import violations_of_plan

ELEMENTS = stored("a", ArrayState("int", contains_null=False))
FIELDS = stored("r", ArrayState(StructState((stored("n", "int", is_nullable=False),)), contains_null=True))


def elements(contains_null):
    return Column("a", spark.ArrayType(spark.IntegerType(), containsNull=contains_null))


def fields(*, nullable):
    return Column("r", spark.ArrayType(spark.StructType([spark.StructField("n", spark.IntegerType(), nullable)])))


def mode(value):
    return {MAPPING_PROPERTY: value}


def violations_with_consent(model, there):
    return violations_of_plan(model, there, consents=[Consent("rewrite", str(NAME))])


def test_refused(reviewed):
    case = ReviewedCases(lambda *tables: violations_with_consent(*tables).partition(" [DS")[0])
    case(
        "any change of a table with special names",
        table(column(), column("order id"), comment="x"),
        state(stored(), stored("order id")),
    )
    case("elements that may be NULL", table(column(), elements(True)), state(stored(), ELEMENTS))
    there = state(stored("r", ArrayState(StructState((stored("n", "int"),)), contains_null=True)))
    case("fields that may not be NULL", table(fields(nullable=False)), there)
    commented = table(column(comment="x"), fields(nullable=False))
    case("any change of columns next to such a field", commented, state(stored(), FIELDS))
    mapped = table(fields(nullable=False), table_properties=mode("name"))
    case("column mapping next to such a field", mapped, state(FIELDS))
    named = table(column(), table_properties=mode("name")), state(stored(), table_properties=mode("id"))
    case("id to name", *named)
    for before, after in (("name", "none"), ("id", None)):
        model = table(column("a b"), table_properties=mode(after))
        case(f"{before} to {after}", model, state(stored("a b"), table_properties=mode(before)))
    assert case.text == reviewed


def test_accepted():
    with named_cases(violations_with_consent) as case:
        case("nullable", table(column(), fields(nullable=True), comment="x"), state(stored(), FIELDS), "")
        case("none to name", table(column(), table_properties=mode("name")), state(stored()), "")
        for before, after in (("id", "none"), ("name", None)):
            there = state(stored(), table_properties=mode(before))
            case(f"{before} to {after}", table(column(), table_properties=mode(after)), there, "")
        mapped = table(column("a b"), column("c d"), table_properties=mode("id"))
        case("created with column mapping", mapped, TableState(name=NAME, exists=False), "")


WIDE = {"delta.enableTypeWidening": "true"}
COMPAT = {"delta.enableIcebergCompatV2": "true"}
UNIFORM = {"DELTA.universalFormat.enabledFormats": "hudi, Iceberg"}


def iceberg_texts(before, after, properties, declared=None):
    model = table(Column("c", after), table_properties={**WIDE, **(declared or {})})
    return violations_of_plan(model, state(stored("c", before), table_properties={**WIDE, **properties}))


def test_types_that_iceberg_refuses():
    refused = [
        *(("tinyint", "double"), ("int", "double"), ("int", "decimal(10,0)"), ("bigint", "decimal(20,0)")),
        *(("decimal(10,2)", "decimal(12,3)"), ("date", "timestamp_ntz")),
    ]
    accepted = [
        *(("tinyint", "smallint"), ("smallint", "int"), ("int", "bigint"), ("float", "double")),
        *(("decimal(10,2)", "decimal(12,2)"), ("varchar(3)", "string")),
    ]

    assert [change for change in (*refused, *accepted) if iceberg_texts(*change, {})] == []
    assert [change for change in accepted if iceberg_texts(*change, COMPAT)] == []
    for properties in (COMPAT, UNIFORM):
        assert [iceberg_texts(*change, properties) for change in refused] == [
            f"column c is {before} on the table and {after} in the model, and the table has Iceberg metadata, which cannot"
            f" follow that change; declare {before} [DS223 TypeChangeUnsupportedByIceberg]"
            for before, after in refused
        ]


def test_the_properties_that_the_table_has_after_the_plan_count():
    off = {"delta.enableIcebergCompatV2": "false"}

    assert iceberg_texts("int", "double", {}, COMPAT).endswith("[DS223 TypeChangeUnsupportedByIceberg]")
    assert iceberg_texts("int", "double", COMPAT, off) == ""
    assert iceberg_texts("int", "double", UNIFORM, dict.fromkeys(UNIFORM)) == ""
    assert iceberg_texts("int", "double", {"delta.universalFormat.enabledFormats": "hudi"}) == ""
