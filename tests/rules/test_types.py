"""Rules about defaults, generated columns, identities and changes of types, with their messages."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, Consent, Identity
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import PlanValidator, default_plan_rules
from pytest_delta_schema.state import TableState
from pytest_delta_schema.state.desired import desired_state
from support.models import NAME, TEXT, catalog, column, table

CONSTANT = " write an expression without columns; a string literal needs quotes inside the text, as in \"'open'\""
SOURCES = " write an expression over the other columns of the row"
INT = spark.IntegerType()


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param(
            [column("a", default=1, identity=True)],
            ["column a declares default and identity, which exclude each other; keep one of them"],
            id="two of three",
        ),
        pytest.param(
            [column("a", default=0, generated_as="b"), column("b")],
            ["column a declares default and generated_as, which exclude each other; keep one of them"],
            id="a default of zero counts",
        ),
        pytest.param(
            [column("a", TEXT, default="open")],
            ["column a has the default open, which names open, but a default cannot use columns;" + CONSTANT],
            id="a text without quotes",
        ),
        pytest.param(
            [column("a", default="(select 1)"), column("b", default="sum(1)"), column("c", default="1 +")],
            [
                "column a has the default (select 1), which holds a subquery, which would break every write;"
                + CONSTANT,
                "column b has the default sum(1), which holds an aggregate, but is evaluated for one row at a time;"
                + CONSTANT,
                "column c has the default 1 +, which cannot be parsed;" + CONSTANT,
            ],
            id="expressions that are none",
        ),
        pytest.param(
            [column("a", INT, identity=Identity(step=0))],
            [
                "column a is an identity column of type int, but Delta counts in bigint only; use LongType()",
                "column a is an identity column with a step of 0; use another step",
            ],
            id="identities that cannot count",
        ),
        pytest.param(
            [column("a"), column("b", generated_as="a + rand()"), column("c", generated_as="b + gone")],
            [
                "column b is generated as a + rand(), which calls rand, which returns another value every time;"
                + SOURCES,
                "column c is generated as b + gone, which names gone, which is not a column of the table;" + SOURCES,
                "column c is generated as b + gone, which names b, and generated columns cannot name generated columns; write the expression of that column in its place",
            ],
            id="generated from what may not be looked at",
        ),
        pytest.param([column("a", generated_as="A + 1")], None, id="generated from itself"),
        pytest.param(
            [
                column("a", spark.TimestampType(), default="current_timestamp()"),
                column("b", default=True, data_type=spark.BooleanType()),
                column("c", identity=False),
                column("d", generated_as="transform(array(c), x -> x + c)[0]"),
            ],
            [],
            id="fine",
        ),
    ],
)
def test_declared_values(columns, expected):
    violations = PlanValidator().model_violations([table(*columns)])

    if expected is None:
        assert "names a, and generated columns cannot name generated columns" in str(violations[0])
    else:
        assert [str(violation).removeprefix("dev.silver.orders: ") for violation in violations] == [
            f"{value} [DS118 InvalidColumnGeneration]" for value in expected
        ]


def judged(before, after):
    """Return what DS214 says about a change of column b."""
    columns = [column("a")]
    plan = TablePlanner().plan([table(*columns, *after)], catalog(desired_state(table(*columns, *before))))
    return [
        (violation.path, violation.message)
        for violation in PlanValidator().plan_violations(plan)
        if violation.code == "DS214"
    ]


@pytest.mark.parametrize(
    ("added", "fact"),
    [
        (column("b", generated_as="a * 2"), "generated always as (a * 2)"),
        (column("b", identity=Identity(start=5)), "generated always as identity (5 by 1)"),
        (column("b", default=3), None),
        (column("b"), None),
    ],
    ids=["generated", "identity", "default", "plain"],
)
def test_an_added_column_must_not_be_generated(added, fact):
    expected = [("columns.b", f"column b is {fact}, which Delta creates with a new table only")]

    assert judged([], [added]) == (expected if fact else [])


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        (
            column("b", generated_as="a * 2"),
            column("b"),
            "column b is generated always as (a * 2) on the table and plain in the model",
        ),
        (
            column("b"),
            column("b", generated_as="a * 2"),
            "column b is plain on the table and generated always as (a * 2) in the model",
        ),
        (
            column("b", identity=Identity(start=5)),
            column("b", generated_as="a * 2"),
            "column b is generated always as identity (5 by 1) on the table and generated always as (a * 2) in the model",
        ),
    ],
    ids=["removed", "added", "changed"],
)
def test_a_changed_generation_names_what_the_table_and_the_model_have(before, after, fact):
    assert judged([before], [after]) == [("columns.b", f"{fact}, which Delta does not change")]


WIDENS = {"delta.enableTypeWidening": "true"}
MAPPED = {"delta.columnMapping.mode": "name"}
INTEGER, LONG, STRING = spark.IntegerType(), spark.LongType(), spark.StringType()


def field(name, kind=LONG, renamed_from=None):
    return spark.StructField(name, kind, metadata={"renamed_from": renamed_from} if renamed_from else None)


def struct(*fields):
    return spark.StructType(list(fields))


def texts(violations) -> list[str]:
    return [str(violation).removeprefix("dev.silver.orders: ") for violation in violations]


def judged_change(before, after, validator=None) -> list[str]:
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
            table(column("a", INTEGER)),
            table(column("a")),
            [f"column a is int on the table and bigint in the model, {BY_FEATURE}"],
            id="without the feature",
        ),
        pytest.param(
            table(column("a", INTEGER), table_properties=WIDENS),
            table(column("a")),
            [],
            id="with the feature",
        ),
        pytest.param(
            table(column("a", INTEGER)),
            table(column("a"), table_properties=WIDENS),
            [],
            id="with it on the way",
        ),
        pytest.param(
            table(Column("a", spark.ArrayType(struct(field("x", INTEGER))))),
            table(Column("a", spark.ArrayType(struct(field("x"))))),
            [f"column a.element.x is int on the table and bigint in the model, {BY_FEATURE}"],
            id="a field",
        ),
        pytest.param(
            table(column("a", spark.VarcharType(3))),
            table(column("a", spark.VarcharType(5))),
            [],
            id="longer",
        ),
        pytest.param(
            table(Column("a", struct(field("x", spark.VarcharType(3))))),
            table(Column("a", struct(field("x", spark.VarcharType(5))))),
            [
                (
                    "column a.x is varchar(3) on the table and varchar(5) in the model, which Delta does not change"
                    " in place; declare varchar(3), or add a field of the new type next to it, fill it, and drop this one with"
                    " consent [DS208 UnsupportedTypeChange]"
                ),
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
            table(column("old"), table_properties=MAPPED),
            table(column("new", renamed_from="old")),
            [],
            id="rename",
        ),
        pytest.param(
            table(column("x"), table_properties=MAPPED),
            table(column("x"), column("new", renamed_from="old")),
            [
                (
                    "column new is renamed from old, but neither old nor new is on the table;"
                    " remove the hint, or change the table by hand [DS210 UnusableRenameHint]"
                ),
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
    assert judged_change(before, after) == expected


def test_a_hint_does_not_matter_to_a_table_that_is_created():
    plan = TablePlanner().plan([table(column("new", renamed_from="old"))], catalog(TableState(name=NAME, exists=False)))

    assert PlanValidator().plan_violations(plan) == ()


def test_consent_names_a_field_by_its_path():
    before = table(Column("a", spark.ArrayType(struct(field("x"), field("Y")))), table_properties=MAPPED)
    after = table(Column("a", spark.ArrayType(struct(field("x")))))
    validator = PlanValidator(plan_rules=default_plan_rules([Consent("drop-column", "dev.silver.orders.a.element.y")]))

    assert judged_change(before, after, validator) == []


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        pytest.param(table(column("new", renamed_from="old")), [], id="fine"),
        pytest.param(
            table(Column("s", struct(field("a", LONG, "b"))), column("b")),
            [],
            id="a column of another place",
        ),
        pytest.param(
            table(column("Id", renamed_from="id")),
            [
                (
                    "column Id is renamed from id, which differs in case only, and names match without"
                    " case; remove the hint [DS117 InvalidRenameHint]"
                ),
            ],
            id="case only",
        ),
        pytest.param(
            table(column("new", renamed_from="OLD"), column("old")),
            [
                "column new is renamed from OLD, which the model declares as well; remove the hint [DS117 InvalidRenameHint]",
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
