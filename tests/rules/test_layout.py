"""Rules about the layout, with their messages."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.rules.consent import Consent
from pytest_delta_schema.rules.validator import default_plan_rules
from pytest_delta_schema.state import TableState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import field, struct
from support.tables import NAME, TEXT, catalog, column, table

INT = spark.IntegerType()
MANY = [column(f"c{number}") for number in range(40)]


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        pytest.param(
            [column("a"), column("b"), column("c")],
            {"partitioned_by": ["a"], "clustered_by": ["b"]},
            ["declares partitioned_by and clustered_by, which exclude each other; keep one of them"],
            id="both",
        ),
        pytest.param(
            [
                column("a"),
                Column("s", struct(field("x"))),
                column("v", spark.VariantType()),
                column("i", identity=True),
                column("z"),
            ],
            {"partitioned_by": ["gone", "s", "v", "i", "a", "A"]},
            [
                "partitioned_by names gone, which is not a column; declare it, or leave it out",
                "partitioned_by names s, but Delta does not partition by struct<x: bigint>; use an atomic column",
                "partitioned_by names v, but Delta does not partition by variant; use an atomic column",
                "partitioned_by names the identity column i, which Delta refuses; use another column",
                "partitioned_by names a twice; name it once",
            ],
            id="partitions",
        ),
        pytest.param(
            [column("a"), column("B")],
            {"partitioned_by": ["b", "a"]},
            ["is partitioned by all of its columns, so none is left for its files; leave one out"],
            id="all columns",
        ),
        pytest.param(
            [
                column("a"),
                Column("s", struct(field("x"))),
                Column("l", spark.ArrayType(struct(field("p")))),
                column("b", spark.BooleanType()),
                column("c", TEXT),
            ],
            {"clustered_by": ["gone", "s", "l.element.p", "b", "c", "C"]},
            [
                "clustered_by names gone, which is not a column or a field of a struct; declare it, or leave it out",
                "clustered_by names s, but Delta has no minimum and maximum of struct<x: bigint>; use another column",
                "clustered_by names l.element.p, which is not a column or a field of a struct; declare it, or leave it out",
                "clustered_by names b, but Delta has no minimum and maximum of boolean; use another column",
                "clustered_by names c twice; name it once",
                "is clustered by 6 columns, and Delta allows 4; keep the columns that readers filter by most",
            ],
            id="clustering",
        ),
        pytest.param(
            [column(), column("a\0b")],
            {"partitioned_by": ["a\0b"]},
            [
                (
                    "partitioned_by names 'a\\x00b', and the names of partition folders cannot hold a null"
                    " character; rename the column"
                )
            ],
            id="a null character",
        ),
        pytest.param(
            MANY,
            {"clustered_by": ["c31", "c32"]},
            [
                (
                    "clustered_by names c32, but Delta collects statistics of the first 32 columns only;"
                    " declare the column earlier, or declare the property delta.dataSkippingStatsColumns"
                )
            ],
            id="beyond the statistics",
        ),
        pytest.param(
            MANY,
            {"clustered_by": ["c39"], "table_properties": {"delta.dataSkippingStatsColumns": "c39"}},
            [],
            id="with its own statistics",
        ),
        pytest.param(
            [column("a"), Column("s", struct(field("x"), field("y.z"))), column("b.c")],
            {"clustered_by": ["s.X", "b.c", "`S`.`Y.z`"]},
            [],
            id="fine",
        ),
    ],
)
def test_declared_layouts(columns, options, expected):
    violations = PlanValidator().model_violations([table(*columns, **options)])

    texts = [
        str(violation).removeprefix("dev.silver.orders: ") for violation in violations if violation.code == "DS119"
    ]
    assert texts == [f"{value} [DS119 InvalidLayout]" for value in expected]


def test_a_rewrite_needs_consent_by_name():
    before, after = table(column(), column("d"), clustered_by=["d"]), table(column(), column("d"), partitioned_by=["d"])
    plan = TablePlanner().plan([after], catalog(desired_state(before)))
    agreed = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", str(NAME))]))
    of_another = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", "dev.silver.orders2")]))

    assert [str(item) for item in PlanValidator().plan_violations(plan)] == [
        (
            "dev.silver.orders: is clustered by (d) and partitioned by (d) in the model, so all of its data has to be"
            ' rewritten; declare the layout that it has, or consent with --delta-allow "rewrite dev.silver.orders"'
            " [DS216 RewriteWithoutConsent]"
        )
    ]
    assert agreed.plan_violations(plan) == ()
    assert len(of_another.plan_violations(plan)) == 1


@pytest.mark.parametrize(("value", "shown"), [("none", "none"), (None, "absent")], ids=["none", "absent"])
def test_the_removal_of_column_mapping_needs_consent_by_name(value, shown):
    before, after = (table(column(), table_properties={"delta.columnMapping.mode": mode}) for mode in ("id", value))
    plan = TablePlanner().plan([after], catalog(desired_state(before)))
    agreed = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", str(NAME))]))

    assert [str(item) for item in PlanValidator().plan_violations(plan)] == [
        (
            f"dev.silver.orders: has column mapping by id, and delta.columnMapping.mode is {shown} in the model, so all"
            " of its data has to be rewritten; declare delta.columnMapping.mode='id', or consent with --delta-allow"
            ' "rewrite dev.silver.orders" [DS216 RewriteWithoutConsent]'
        )
    ]
    assert agreed.plan_violations(plan) == ()


def test_one_consent_permits_both_rewrites_of_a_table():
    before = table(column(), column("d"), table_properties={"delta.columnMapping.mode": "name"})
    after = table(column(), column("d"), partitioned_by=["d"], table_properties={"delta.columnMapping.mode": "none"})
    plan = TablePlanner().plan([after], catalog(desired_state(before)))
    agreed = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", str(NAME))]))

    refused = [violation.path for violation in PlanValidator().plan_violations(plan)]
    assert [str(path) for path in refused] == ["layout", "properties.delta.columnMapping.mode"]
    assert agreed.plan_violations(plan) == ()


def test_a_new_table_is_laid_out_freely():
    plan = TablePlanner().plan(
        [table(column(), column("d"), partitioned_by=["d"])], catalog(TableState(name=NAME, exists=False))
    )

    assert PlanValidator().plan_violations(plan) == ()
