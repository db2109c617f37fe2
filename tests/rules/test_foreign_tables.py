"""Rules over tables that another writer made, those of Iceberg clients included."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, Settings
from pytest_delta_schema.delta.protocol import MAPPING_PROPERTY
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.execute import Capabilities
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import Consent, PlanValidator, default_plan_rules
from pytest_delta_schema.state import ArrayState, StructState, TableState
from pytest_delta_schema.state.desired import desired_state
from support.models import NAME, catalog, column, state, stored, table

ELEMENTS = stored("a", ArrayState("int", contains_null=False))
FIELDS = stored("r", ArrayState(StructState((stored("n", "int", is_nullable=False),)), contains_null=True))


def elements(contains_null):
    return Column("a", spark.ArrayType(spark.IntegerType(), containsNull=contains_null))


def fields(*, nullable):
    return Column("r", spark.ArrayType(spark.StructType([spark.StructField("n", spark.IntegerType(), nullable)])))


def mode(value):
    return {MAPPING_PROPERTY: value}


def texts(model, there):
    plan = TablePlanner().plan([model], catalog(there))
    validator = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", str(NAME))]))
    return [str(violation) for violation in validator.plan_violations(plan)]


@pytest.mark.parametrize(
    ("model", "there", "expected"),
    [
        pytest.param(
            table(column(), column("order id"), comment="x"),
            state(stored(), stored("order id")),
            [
                (
                    "column names 'order id' of the table hold one of space , ; { } ( ) = tab newline, and Delta refuses every"
                    " change of it without column mapping; declare the property delta.columnMapping.mode='name'"
                    " [DS107 InvalidColumnName]"
                ),
            ],
            id="any change of a table with special names",
        ),
        pytest.param(
            table(column(), elements(True)),
            state(stored(), ELEMENTS),
            [
                (
                    "column a.element is not null on the table and nullable in the model, which Delta does not change inside"
                    " an array or a map; declare it as not null [DS106 NotNullInCollection]"
                ),
            ],
            id="elements that may be NULL",
        ),
        pytest.param(
            table(fields(nullable=False)),
            state(stored("r", ArrayState(StructState((stored("n", "int"),)), contains_null=True))),
            [
                (
                    "column r.element.n is nullable on the table and not null in the model, which Delta does not change inside"
                    " an array or a map; declare it as nullable [DS106 NotNullInCollection]"
                ),
            ],
            id="fields that may not be NULL",
        ),
        pytest.param(
            table(column(comment="x"), fields(nullable=False)),
            state(stored(), FIELDS),
            [
                (
                    "column r.element.n is NOT NULL inside an array or a map, and until it is nullable, Delta changes neither"
                    " columns nor column mapping; declare it nullable, and apply that before anything else"
                    " [DS106 NotNullInCollection]"
                ),
            ],
            id="any change of columns next to such a field",
        ),
        pytest.param(
            table(fields(nullable=False), table_properties=mode("name")),
            state(FIELDS),
            [
                (
                    "column r.element.n is NOT NULL inside an array or a map, and until it is nullable, Delta changes neither"
                    " columns nor column mapping; declare it nullable, and apply that before anything else"
                    " [DS106 NotNullInCollection]"
                ),
            ],
            id="column mapping next to such a field",
        ),
        pytest.param(
            table(column(), table_properties=mode("name")),
            state(stored(), table_properties=mode("id")),
            [
                (
                    "column mapping is id on the table and name in the model, which Delta refuses; declare"
                    " delta.columnMapping.mode='id' [DS222 UnsupportedMappingMode]"
                ),
            ],
            id="id to name",
        ),
        pytest.param(
            table(column("a b"), table_properties=mode("none")),
            state(stored("a b"), table_properties=mode("name")),
            [
                (
                    "column mapping is name on the table and none in the model, which Delta refuses, because the column names"
                    " 'a b' hold one of space , ; { } ( ) = tab newline; declare delta.columnMapping.mode='name'"
                    " [DS222 UnsupportedMappingMode]"
                ),
            ],
            id="name to none with special names",
        ),
        pytest.param(
            table(column("a b"), table_properties=mode(None)),
            state(stored("a b"), table_properties=mode("id")),
            [
                (
                    "column mapping is id on the table and none in the model, which Delta refuses, because the column names"
                    " 'a b' hold one of space , ; { } ( ) = tab newline; declare delta.columnMapping.mode='id'"
                    " [DS222 UnsupportedMappingMode]"
                ),
            ],
            id="id to absent with special names",
        ),
    ],
)
def test_refused(model, there, expected):
    assert texts(model, there) == [f"dev.silver.orders: {text}" for text in expected]


@pytest.mark.parametrize(
    ("model", "there"),
    [
        pytest.param(table(column(), fields(nullable=True), comment="x"), state(stored(), FIELDS), id="nullable"),
        pytest.param(table(column(), table_properties=mode("name")), state(stored()), id="none to name"),
        pytest.param(
            table(column(), table_properties=mode("none")),
            state(stored(), table_properties=mode("id")),
            id="id to none",
        ),
        pytest.param(
            table(column(), table_properties=mode(None)),
            state(stored(), table_properties=mode("name")),
            id="name to absent",
        ),
        pytest.param(
            table(column("a b"), column("c d"), table_properties=mode("id")),
            TableState(name=NAME, exists=False),
            id="created with column mapping",
        ),
    ],
)
def test_accepted(model, there):
    assert texts(model, there) == []


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
    declared = {} if declared is None else declared
    model = table(Column("c", after), table_properties={**WIDE, **declared})
    plan = TablePlanner().plan([model], catalog(state(stored("c", before), table_properties={**WIDE, **properties})))
    return [str(violation) for violation in PlanValidator().plan_violations(plan)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tinyint", spark.DoubleType()),
        ("int", spark.DoubleType()),
        ("int", spark.DecimalType(10, 0)),
        ("bigint", spark.DecimalType(20, 0)),
        ("decimal(10,2)", spark.DecimalType(12, 3)),
        ("date", spark.TimestampNTZType()),
    ],
)
def test_types_that_iceberg_refuses(before, after):
    shown = after.simpleString()
    assert iceberg_texts(before, after, {}) == []
    for properties in (COMPAT, UNIFORM):
        assert iceberg_texts(before, after, properties) == [
            (
                f"dev.silver.orders: column c is {before} on the table and {shown} in the model, and the table has Iceberg"
                f" metadata, which cannot follow that change; declare {before} [DS223 TypeChangeUnsupportedByIceberg]"
            ),
        ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tinyint", spark.ShortType()),
        ("smallint", spark.IntegerType()),
        ("int", spark.LongType()),
        ("float", spark.DoubleType()),
        ("decimal(10,2)", spark.DecimalType(12, 2)),
        ("varchar(3)", spark.StringType()),
    ],
)
def test_types_that_iceberg_accepts(before, after):
    assert iceberg_texts(before, after, COMPAT) == []


def test_the_plan_counts():
    before, after = "int", spark.DoubleType()

    assert len(iceberg_texts(before, after, {}, COMPAT)) == 1
    assert iceberg_texts(before, after, COMPAT, {"delta.enableIcebergCompatV2": "false"}) == []
    assert iceberg_texts(before, after, UNIFORM, dict.fromkeys(UNIFORM)) == []
    assert iceberg_texts(before, after, {"delta.universalFormat.enabledFormats": "hudi"}) == []
