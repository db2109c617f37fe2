"""Rules about defaults, generated columns and identities, with their messages."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Identity
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state.desired import desired_state
from support.tables import TEXT, catalog, column, table

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
