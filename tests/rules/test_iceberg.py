"""Types that Delta widens and Iceberg does not."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import PlanValidator
from support.tables import catalog, state, stored, table

WIDE = {"delta.enableTypeWidening": "true"}
COMPAT = {"delta.enableIcebergCompatV2": "true"}
UNIFORM = {"DELTA.universalFormat.enabledFormats": "hudi, Iceberg"}


def texts(before, after, properties, declared=None):
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
def test_refused(before, after):
    shown = after.simpleString()
    assert texts(before, after, {}) == []
    for properties in (COMPAT, UNIFORM):
        assert texts(before, after, properties) == [
            (
                f"dev.silver.orders: column c is {before} on the table and {shown} in the model, and the table has Iceberg"
                f" metadata, which cannot follow that change; declare {before} [DS223 TypeChangeUnsupportedByIceberg]"
            )
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
def test_accepted(before, after):
    assert texts(before, after, COMPAT) == []


def test_the_plan_counts():
    before, after = "int", spark.DoubleType()

    assert len(texts(before, after, {}, COMPAT)) == 1
    assert texts(before, after, COMPAT, {"delta.enableIcebergCompatV2": "false"}) == []
    assert texts(before, after, UNIFORM, dict.fromkeys(UNIFORM)) == []
    assert texts(before, after, {"delta.universalFormat.enabledFormats": "hudi"}) == []
