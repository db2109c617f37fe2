"""Rules over tables that another writer made, those of Iceberg clients included."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, Settings
from pytest_delta_schema.delta.protocol import MAPPING_PROPERTY
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.execute import Capabilities
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import Consent, PlanValidator
from pytest_delta_schema.state import ArrayState, StructState, TableState
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import named_cases
from support.models import NAME, catalog, column, state, stored, table
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


def test_the_codes_of_what_is_refused():
    for model, there, code in (
        (table(column("a b"), comment="x"), state(stored("a b")), "DS107 InvalidColumnName"),
        (table(column(), elements(True)), state(stored(), ELEMENTS), "DS106 NotNullInCollection"),
        (
            table(column("a b"), table_properties=mode(None)),
            state(stored("a b"), table_properties=mode("id")),
            "DS222 UnsupportedMappingMode",
        ),
    ):
        assert violations_with_consent(model, there).endswith(f"[{code}]")


def test_accepted():
    with named_cases(violations_with_consent) as case:
        case("nullable", table(column(), fields(nullable=True), comment="x"), state(stored(), FIELDS), "")
        case("none to name", table(column(), table_properties=mode("name")), state(stored()), "")
        for before, after in (("id", "none"), ("name", None)):
            there = state(stored(), table_properties=mode(before))
            case(f"{before} to {after}", table(column(), table_properties=mode(after)), there, "")
        mapped = table(column("a b"), column("c d"), table_properties=mode("id"))
        case("created with column mapping", mapped, TableState(name=NAME, exists=False), "")


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param((column("order id"),), id="special name"),
        pytest.param((elements(False),), id="elements"),
        pytest.param((fields(nullable=False),), id="fields"),
    ],
)
def test_a_model_of_what_exists_is_in_sync(columns):
    model = table(*columns)

    class Catalog:
        name = "foreign"
        capabilities = Capabilities()

        def snapshot(self, _models):
            return catalog(desired_state(model))

    assert PlanValidator().model_violations([model]) == ()
    assert Gate(Catalog(), [model], settings=Settings()).drift(model).status.value == "in sync"


def test_column_mapping_comes_before_what_needs_it():
    model = table(column(), column("order id"), comment="x", table_properties=mode("name"))
    plan = TablePlanner().plan([model], catalog(state(stored(), stored("order id"))))
    plain = TablePlanner().plan([table(column(), comment="x", table_properties=mode("name"))], catalog(state(stored())))

    assert PlanValidator().plan_violations(plan) == ()
    assert [type(change).__name__ for change in plan.align_tables[0].changes] == [
        "SetTableProperties",
        "SetTableComment",
    ]
    assert [type(change).__name__ for change in plain.align_tables[0].changes] == [
        "SetTableComment",
        "SetTableProperties",
    ]


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
