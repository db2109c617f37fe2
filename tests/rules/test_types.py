"""Rules about defaults, generated columns, identities and changes of types, with their messages."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, Identity
from pytest_delta_schema.models.types import parse_type
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import Consent, PlanValidator, default_plan_rules
from pytest_delta_schema.state import TableState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import default_faults
from pytest_delta_schema.state.spark_types import canonical_type
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
            table(column("a", spark.NullType()), Column("s", struct(field("x", spark.NullType()), field("y")))),
            table(column("a", spark.VarcharType(3)), Column("s", struct(field("x", spark.StringType()), field("y")))),
            [],
            id="void gets its type",
        ),
        pytest.param(
            table(Column("a", spark.NullType()), Column("s", struct(field("x", spark.NullType()), field("y")))),
            table(
                Column("a", spark.ArrayType(INTEGER)),
                Column("s", struct(field("x", spark.VarcharType(3)), field("y"))),
            ),
            [
                (
                    "column a is void on the table and array<int> in the model, which Delta does not change in place;"
                    " declare void, or swap it: (1) declare a column a_new as array<int> next to it, and apply; (2)"
                    " fill a_new with CAST(a AS ARRAY<INT>) by an UPDATE; (3) remove a from the model, consent to its"
                    " drop, and apply; (4) declare a as array<int> with renamed_from='a_new' instead of a_new, and"
                    " apply [DS208 UnsupportedTypeChange]"
                ),
                (
                    "column s.x is void on the table and varchar(3) in the model, which Delta does not change in place;"
                    " declare void, or add a field of the new type next to it, fill it, and drop this one with consent"
                    " [DS208 UnsupportedTypeChange]"
                ),
            ],
            id="void does not become an array, and no varchar in a struct",
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


DEFAULT_TYPES = [
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "decimal(5,2)",
    "string",
    "varchar(3)",
    "char(3)",
    "binary",
    "date",
    "timestamp",
    "timestamp_ntz",
    "array<int>",
    "map<string,int>",
    "struct<a:int>",
]
JUDGED = {
    "NULL": "..................",
    "1": "X...........X.XXXX",
    "300": "XX..........X.XXXX",
    "-1": "X...........X.XXXX",
    "'x'": "XXXXXXXX....XXXXXX",
    "'1'": "X...........XXXXXX",
    "'abcd'": "XXXXXXXX.XX.XXXXXX",
    "'abc'": "XXXXXXXX....XXXXXX",
    "''": "XXXXXXXX....XXXXXX",
    "1.5": "X..........XX.XXXX",
    "1.555": "X........XXXX.XXXX",
    "1000.5": "XX.....X.XXXX.XXXX",
    "1e400": "XXXXXXXXXXXXXXXXXX",
    "true": ".XXXXXXX.XXXXXXXXX",
    "'true'": "XXXXXXXX.XX.XXXXXX",
    "'yes'": "XXXXXXXX....XXXXXX",
    "'2020-01-01'": "XXXXXXXX.XX....XXX",
    "'2020-13-01'": "XXXXXXXX.XX.XXXXXX",
    "3000000000": "XXXX...X.XX.X.XXXX",
    "9223372036854775808": "XXXXX..X.XXXX.XXXX",
    "'300'": "XX..........XXXXXX",
    "rand()": "XXXXXXXXXXXXXXXXXX",
    "uuid()": "XXXXXXXXXXXXXXXXXX",
    "explode(array(1))": "XXXXXXXXXXXXXXXXXX",
    "monotonically_increasing_id()": "XXXXXXXXXXXXXXXXXX",
    "1L": "X...........X.XXXX",
    "1Y": "X...........X.XXXX",
    "-2147483649": "XXXX...X.XX.X.XXXX",
    "inline(array(struct(1)))": "XXXXXXXXXXXXXXXXXX",
    "stack(1,1)": "XXXXXXXXXXXXXXXXXX",
    "'1.5'": "XXXXX.......XXXXXX",
    "'1e2'": "XXXXX.......XXXXXX",
    "'Infinity'": "XXXXX..X.XX.XXXXXX",
    "'NaN'": "XXXXX..X....XXXXXX",
    "' 1 '": "X...........XXXXXX",
}
"""What Delta 4.4.0 answers to a default of each type: ``.`` accepted, ``X`` refused, ``w`` refused by each write."""

BY_SPARK = {
    "1e3": "XX.....X.XXXX.XXXX",
    "date'2020-01-01'": "XXXXXXXX.XXX...XXX",
    "timestamp'2020-01-01 00:00:00'": "XXX....X.XXX...XXX",
    "timestamp_ntz'2020-01-01 00:00:00'": "XXXXXXXX.XXX...XXX",
    "X'1F'": "XXXXXXXX....XXXXXX",
    "current_date()": "XXXXXXXX.XXX...XXX",
    "current_timestamp()": "XXX....X.XXX...XXX",
    "array(1)": "XXXXXXXXXXXXXXX.XX",
    "array('x')": "XXXXXXXXXXXXXXXXXX",
    "array()": "XXXXXXXXXXXXXXX.XX",
    "map('a',1)": "XXXXXXXXXXXXXXXX.X",
    "struct(1)": "XXXXXXXXXXXXXXXXX.",
    "named_struct('a',1)": "XXXXXXXXXXXXXXXXX.",
    "cast('x' as int)": "XXXXXXXXXXXXXXXXXX",
    "interval 1 day": "X....XX..XXXXXXXXX",
    "now()": "XXX....X.XXX...XXX",
    "current_user()": "XXXXXXXX.wwXXXXXXX",
    "upper('a')": "XXXXXXXX....XXXXXX",
    "concat('a','bcd')": "XXXXXXXX.XX.XXXXXX",
    "1/0": "XXXXXXXXXXXXXXXXXX",
}
"""Defaults whose type or value only Spark knows."""


@pytest.mark.parametrize("text", [*JUDGED, *BY_SPARK])
def test_literals_that_are_no_values_of_their_type_are_refused(text):
    found = "".join("X" if [*default_faults(text, canonical_type(parse_type(kind)))] else "." for kind in DEFAULT_TYPES)

    if text in JUDGED:
        assert found == JUDGED[text]
    else:
        assert not [kind for kind, answer in zip(found, BY_SPARK[text], strict=True) if (kind, answer) == ("X", ".")]


@pytest.mark.spark
def test_delta_answers_to_defaults_as_recorded(local):
    recorded = JUDGED | BY_SPARK
    cells = [(text, index) for text in recorded for index in range(len(DEFAULT_TYPES))]
    local.create_schema("dev", "recorded_defaults")
    for number, (text, index) in enumerate(random.sample(cells, 30)):
        kind, answer = DEFAULT_TYPES[index], "X"
        with suppress(Exception):
            local.spark.sql(
                f"CREATE TABLE dev.recorded_defaults.t{number} (id INT, v {kind} DEFAULT {text}) USING DELTA"
                " TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
            )
            answer = "."
        assert answer == recorded[text][index].replace("w", "."), (kind, text)


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        ("tinyint", "300", "is out of the range of tinyint, -128 to 127"),
        ("tinyint", "-(129)", "is out of the range of tinyint, -128 to 127"),
        ("tinyint", "-(-(-128))", ""),
        ("bigint", "'-9223372036854775808'", ""),
        ("int", "'x'", "is not a value of int"),
        ("int", "1e999999999", "is out of the range of double"),
        ("int", "1e99999999999999999999", ""),
        ("int", "9" * 500, ""),
        ("int", "'" + "9" * 500 + "'", "is not a value of int"),
        ("double", "'1.5d'", ""),
        ("double", "'1.5x'", "is not a value of double"),
        ("decimal(5,2)", "999.994", ""),
        ("decimal(5,2)", "999.995", "does not fit into decimal(5,2)"),
        ("decimal(5,2)", "1e-300", ""),
        ("decimal(5,2)", "1e300", "does not fit into decimal(5,2)"),
        ("varchar(3)", "'abc  '", ""),
        ("varchar(3)", "12345", "has more characters than varchar(3)"),
        ("date", "'0000-02-29'", ""),
        ("date", "'2023-02-29'", "is not a value of date"),
        ("date", "'10:00'", "is not a value of date"),
        ("timestamp", "'10:00'", ""),
        ("timestamp", "'2020-1-1 10:00:00 CET'", ""),
        ("struct<a: int>", "true", "is not a value of struct<a: int>"),
        ("variant", "true", ""),
        ("int", "rand() + explode(array(1))", "calls rand, which returns another value for every row"),
    ],
)
def test_the_fault_of_a_default_is_named(kind, text, fault):
    found = [*default_faults(text, canonical_type(parse_type(kind)))]

    assert found[:1] == ([fault] if fault else [])
