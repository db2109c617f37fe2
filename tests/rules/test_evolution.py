"""Rules about types and renames: what they refuse, with which message, and what they accept."""

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
from support.tables import NAME, catalog, column, table

WIDENS = {"delta.enableTypeWidening": "true"}
MAPPED = {"delta.columnMapping.mode": "name"}
INT, LONG, TEXT = spark.IntegerType(), spark.LongType(), spark.StringType()


def field(name, kind=LONG, renamed_from=None):
    return spark.StructField(name, kind, metadata={"renamed_from": renamed_from} if renamed_from else None)


def struct(*fields):
    return spark.StructType(list(fields))


def texts(violations) -> list[str]:
    return [str(violation).removeprefix("dev.silver.orders: ") for violation in violations]


def judged(before, after, validator=None) -> list[str]:
    plan = TablePlanner().plan([after], catalog(desired_state(before)))
    return texts((validator or PlanValidator()).plan_violations(plan))


BY_FEATURE = (
    "which needs type widening; declare the property delta.enableTypeWidening='true', or set enable_features ="
    ' ["typeWidening"] in [tool.pytest_delta_schema]'
    "; it raises the table's protocol [DS208 UnsupportedTypeChange]"
)
BY_MAPPING = (
    "because the table has no column mapping; declare the property delta.columnMapping.mode='name', or set"
    ' enable_features = ["columnMapping"] in [tool.pytest_delta_schema]'
    "; it raises the table's protocol"
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            table(column("a", INT)),
            table(column("a")),
            [f"column a is int on the table and bigint in the model, {BY_FEATURE}"],
            id="without the feature",
        ),
        pytest.param(table(column("a", INT), table_properties=WIDENS), table(column("a")), [], id="with the feature"),
        pytest.param(table(column("a", INT)), table(column("a"), table_properties=WIDENS), [], id="with it on the way"),
        pytest.param(
            table(Column("a", spark.ArrayType(struct(field("x", INT))))),
            table(Column("a", spark.ArrayType(struct(field("x"))))),
            [f"column a.element.x is int on the table and bigint in the model, {BY_FEATURE}"],
            id="a field",
        ),
        pytest.param(
            table(column("a", spark.VarcharType(3))), table(column("a", spark.VarcharType(5))), [], id="longer"
        ),
        pytest.param(
            table(Column("a", struct(field("x", spark.VarcharType(3))))),
            table(Column("a", struct(field("x", spark.VarcharType(5))))),
            [
                (
                    "column a.x is varchar(3) on the table and varchar(5) in the model, which Delta does not change"
                    " in place; declare varchar(3), or add a field of the new type next to it, fill it, and drop this one with"
                    " consent [DS208 UnsupportedTypeChange]"
                )
            ],
            id="a longer field, which Delta does not change",
        ),
        pytest.param(
            table(column("old")),
            table(column("new", renamed_from="old")),
            [f"columns old cannot be renamed, {BY_MAPPING} [DS211 RenameWithoutColumnMapping]"],
            id="rename without mapping",
        ),
        pytest.param(
            table(column("old"), table_properties=MAPPED), table(column("new", renamed_from="old")), [], id="rename"
        ),
        pytest.param(
            table(column("x"), table_properties=MAPPED),
            table(column("x"), column("new", renamed_from="old")),
            [
                (
                    "column new is renamed from old, but neither old nor new is on the table;"
                    " remove the hint, or change the table by hand [DS210 UnusableRenameHint]"
                )
            ],
            id="neither",
        ),
        pytest.param(
            table(Column("a", struct(field("old"), field("new"))), table_properties=MAPPED),
            table(Column("a", struct(field("new", renamed_from="old")))),
            [
                (
                    "column a.old is on the table but not in the model, and dropping it loses its data; declare it, or consent"
                    ' with --delta-allow "drop-column dev.silver.orders.a.old" [DS206 DropWithoutConsent]'
                ),
                (
                    "column a.new is renamed from old, but old and new are both on the table;"
                    " remove the hint, or change the table by hand [DS210 UnusableRenameHint]"
                ),
            ],
            id="both",
        ),
        pytest.param(
            table(column("x")),
            table(column("x"), Column("a", struct(field("new", renamed_from="old")))),
            [],
            id="all new",
        ),
    ],
)
def test_plans(before, after, expected):
    assert judged(before, after) == expected


def test_a_hint_does_not_matter_to_a_table_that_is_created():
    plan = TablePlanner().plan([table(column("new", renamed_from="old"))], catalog(TableState(name=NAME, exists=False)))

    assert PlanValidator().plan_violations(plan) == ()


def test_consent_names_a_field_by_its_path():
    before = table(Column("a", spark.ArrayType(struct(field("x"), field("Y")))), table_properties=MAPPED)
    after = table(Column("a", spark.ArrayType(struct(field("x")))))
    validator = PlanValidator(plan_rules=default_plan_rules([Consent("drop-column", "dev.silver.orders.a.element.y")]))

    assert judged(before, after, validator) == []


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        pytest.param(table(column("new", renamed_from="old")), [], id="fine"),
        pytest.param(
            table(Column("s", struct(field("a", LONG, "b"))), column("b")), [], id="a column of another place"
        ),
        pytest.param(
            table(column("Id", renamed_from="id")),
            [
                (
                    "column Id is renamed from id, which differs in case only, and names match without"
                    " case; remove the hint [DS117 InvalidRenameHint]"
                )
            ],
            id="case only",
        ),
        pytest.param(
            table(column("new", renamed_from="OLD"), column("old")),
            [
                "column new is renamed from OLD, which the model declares as well; remove the hint [DS117 InvalidRenameHint]"
            ],
            id="declared",
        ),
        pytest.param(
            table(Column("s", struct(field("a", LONG, "old"), field("b", LONG, "old")))),
            ["column s.b is renamed from old, and so is s.a; remove the hint [DS117 InvalidRenameHint]"],
            id="twice",
        ),
    ],
)
def test_hints(model, expected):
    assert texts(PlanValidator().model_violations([model])) == expected
