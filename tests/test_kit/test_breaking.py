"""Rows that break one constraint each, and frames of valid rows."""

from __future__ import annotations

import sys
from datetime import date, datetime
from decimal import Decimal
from typing import Any, cast

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from pyspark.sql.types import DecimalType, IntegerType, LongType, StringType, StructField, StructType

from pytest_delta_schema import (
    Column,
    ForeignKey,
    Identity,
    InvalidModelError,
    MemoryCatalog,
    Table,
    Unique,
    breaking_rows,
    frame_of,
    rows_strategy,
)
from pytest_delta_schema.backends import constraint_error
from pytest_delta_schema.diagnostics.errors import DeclarationError, StatementError
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenarios import SCENARIOS
from support.rows import CHECKED_COLUMNS, COMPARISONS, table


def shown(model, **columns):
    return [
        (
            str(breaking.constraint),
            *(str(other) for other in breaking.breaks[1:]),
            *(tuple(row.values()) for row in breaking.rows),
        )
        for breaking in breaking_rows(model, **columns)
    ]


CASES = [
    ("id bigint not null; b int", [], {}, [("not null id", (None, 1))]),
    (
        "s struct<a: int not null, b: struct<c: int not null>> not null",
        [],
        {},
        [
            ("not null s", "not null s.a", "not null s.b.c", (None,)),
            ("not null s.a", ({"a": None, "b": {"c": 1}},)),
            ("not null s.b.c", ({"a": 1, "b": {"c": None}},)),
        ],
    ),
    ("a int not null", ["a > 0"], {}, [("not null a", "check c1", (None,)), ("check c1", (0,))]),
    ("a int not null; b int", ["a > 0 OR b > 0"], {}, [("not null a", (None, 1)), ("check c1", (0, 0))]),
    (
        "a varchar(3); c array<varchar(1)>; d map<char(1),varchar(2)>; e struct<f: varchar(4)>; g map<struct<h: char(1)>,int>",
        [],
        {},
        [
            ("length a", ("a_1x", ["1", "2"], {"1": "d1"}, {"f": "f_1"}, {("1",): 1})),
            ("length c.element", ("a_1", ["1x", "2"], {"1": "d1"}, {"f": "f_1"}, {("1",): 1})),
            ("length d.key", ("a_1", ["1", "2"], {"1x": "d1"}, {"f": "f_1"}, {("1",): 1})),
            ("length d.value", ("a_1", ["1", "2"], {"1": "d1x"}, {"f": "f_1"}, {("1",): 1})),
            ("length e.f", ("a_1", ["1", "2"], {"1": "d1"}, {"f": "f_1xx"}, {("1",): 1})),
            ("length g.key.h", ("a_1", ["1", "2"], {"1": "d1"}, {"f": "f_1"}, {("1x",): 1})),
        ],
    ),
    ("a varchar(3)", ["length(a) <= 3"], {}, [("length a", "check c1", ("a_1x",)), ("check c1", (None,))]),
    ("a int", ["a > 0", "a > 1"], {}, [("check c1", "check c2", (0,)), ("check c2", (1,))]),
    ("a int; b int", ["a < b"], {}, [("check c1", (1, 1))]),
    ("a int not null; b int", ["a > 0 OR a <= 0", "1 < 2", "TRUE"], {}, [("not null a", "check c1", (None, 1))]),
    ("a int", ["a > 0 OR a <= 0"], {}, [("check c1", (None,))]),
    ("a int; b int", ["a + b < 9"], {}, [("check c1", (1, 9))]),
    ("a int", ["a IS NOT NULL"], {}, [("check c1", (None,))]),
    ("a int", ["a IS NULL"], {}, [("check c1", (1,))]),
    (
        "a string; b int",
        ["a IN ('x', 'y')", "a <> 'x' OR b > 5"],
        {},
        [("check c1", ("a_1", 1)), ("check c2", ("x", 1))],
    ),
    (
        "a int not null; b string not null",
        ["a * 3 < 9", "concat(b, b) <> ''"],
        {},
        [
            ("not null a", "check c1", (None, "b_1")),
            ("not null b", "check c2", (1, None)),
            ("check c1", (3, "b_1")),
            ("check c2", (1, "")),
        ],
    ),
    (
        "id int not null; b int",
        [],
        {"primary_key": ["id"]},
        [("not null id", (None, 1)), ("primary key pk_dev_silver_orders__id", (1, 1), (1, 2))],
    ),
    (
        "a int; b int; c int",
        ["b = a"],
        {"unique": [Unique(["a"], name="u"), Unique(["a", "c"], name="v")]},
        [
            ("check c1", (1, 2, 1)),
            ("unique constraint u", (1, 1, 1), (1, 1, 2)),
            ("unique constraint v", "unique constraint u", (1, 1, 1), (1, 1, 1)),
        ],
    ),
    (
        "a struct<b: struct<c: varchar(2)>>",
        ["a.b IS NULL"],
        {},
        [("length a.b.c", "check c1", ({"b": {"c": "c1x"}},)), ("check c1", ({"b": {"c": "c1"}},))],
    ),
]


def test_each_constraint_has_rows_that_break_it():
    for columns, checks, options, expected in CASES:
        assert shown(table(columns, checks, **options)) == expected


def test_columns_that_the_table_fills_are_not_broken():
    more = [
        Column("id", "bigint", is_nullable=False, identity=True),
        Column("d", "int", is_nullable=False, default=5),
        Column("g", "int", is_nullable=False, generated_as="d + 1"),
    ]
    model = table("x int", ["d > 2", "g < 9"], more=more, unique=[Unique(["id"]), Unique(["g"])])

    assert shown(model) == [
        ("not null d", "not null g", "check c1", "check c2", (1, None)),
        ("check c1", (1, 1)),
        ("check c2", (1, 8)),
    ]


def test_given_values_make_the_base():
    model = table("a int; b int; c int", ["c > 0"])

    assert shown(model, a=7, b=lambda position: position) == [("check c1", (7, 0, 0))]


def test_given_values_that_hold_no_parts_are_replaced_where_one_breaks():
    model = table("a array<varchar(2)>; m map<string,struct<b: varchar(3)>>; s struct<c: struct<d: int not null>>")

    assert shown(model, a=[], m={}, s={"c": None}) == [
        ("not null s.c.d", ([], {}, {"c": {"d": None}})),
        ("length a.element", "not null s.c.d", (["e1x", "e2"], {}, {"c": None})),
        ("length m.value.b", "not null s.c.d", ([], {"key_1": {"b": "b_1x"}}, {"c": None})),
    ]


def test_a_key_that_is_always_null_is_left_out():
    model = table("a int; b int", ["a IS NULL"], unique=[Unique(["a"])])

    assert shown(model) == [("check c1", (1, 1))]


def test_values_that_cannot_be_compared_are_an_error():
    with pytest.raises(DeclarationError, match="no row was found that breaks not null b; if there is one, give"):
        breaking_rows(table("a int; b int not null", ["a > 0"]), a="x")


UNJUDGED = [
    ("c string", "c RLIKE '^(?i)[A-Z]{2}[0-9]{4}$'", "AB1234"),
    ("c string", "NOT regexp_like(c, '(?i)[a-z]') AND c <> ''", "1234"),
    ("c string", "to_date(c) > DATE '2020-01-01'", "2026-01-31"),
    ("c array<string>", "array_contains(c, 'a')", ["a", "b"]),
    ("c date", "quarter(c) = 1", date(2026, 1, 31)),
    ("c timestamp", "date_trunc('DAY', c) = c", datetime(2026, 1, 31)),  # noqa: DTZ001 - as Spark returns it
    ("c string; g string", "g RLIKE '^(?i)AB'", "AB1234"),
]


def test_a_check_that_only_spark_can_judge_leaves_the_others():
    for column, condition, value in UNJUDGED:
        model = table(
            f"id bigint not null; n int; {column.partition(';')[0]}",
            [condition, "n > 0"],
            unique=[Unique(["n"])],
            more=[Column("g", "string", generated_as="c || 'x'")] if ";" in column else [],
        )

        assert shown(model, c=value) == [
            ("not null id", (None, 1, value)),
            ("check c2", (1, 0, value)),
            ("unique constraint uq_dev_silver_orders__n", (1, 1, value), (2, 1, value)),
        ]


def test_a_check_that_only_spark_can_judge_may_be_broken_by_another_value():
    model = table("c varchar(6) not null; n int", ["c RLIKE '^(?i)[A-Z]{2}[0-9]{4}$'", "n > 0"])

    assert shown(model, c="AB1234") == [
        ("not null c", "check c1", (None, 1)),
        ("length c", "check c1", ("AB1234x", 1)),
        ("check c2", ("AB1234", 0)),
    ]


def test_checks_of_patterns_sizes_and_years_are_broken():
    cases = [
        ("c string", "c RLIKE '^[A-Z]{2}[0-9]{4}$'", "AB1234", "c_1"),
        ("c string", "regexp_like(c, '^[A-Z]+$')", "AB", "c_1"),
        ("c array<string>", "size(c) > 1", ["a", "b"], []),
        ("c array<string>", "size(c) <= 2", ["a", "b"], ["c_1", "c_2", "c_3"]),
        ("c date", "year(c) >= 2020", date(2026, 1, 31), date(2018, 6, 21)),
    ]
    for column, condition, value, broken in cases:
        found = {
            constraint: rows for constraint, *rows in shown(table(f"n int not null; {column}", [condition]), c=value)
        }

        assert (found["check c1"], found["not null n"]) == ([(1, broken)], [(None, value)])


def test_a_check_that_no_row_is_known_to_break_is_an_error():
    messages = []
    for columns, check in (("a string not null", "a RLIKE '(?i).*'"), ("a int not null", "abs(coalesce(a, 0)) >= 0")):
        with pytest.raises(DeclarationError) as error:
            breaking_rows(table(columns, [check]))
        messages.append(str(error.value))

    assert messages == [
        (
            "dev.silver.orders: check c1 (a RLIKE '(?i).*') is not solved: it cannot be evaluated without Spark;"
            " give a value for a"
        ),
        (
            "dev.silver.orders: no row was found that breaks check c1 (abs(coalesce(a, 0)) >= 0); if there is one, give the"
            " other columns the values that it needs; else drop the constraint"
        ),
    ]


def require_stopped(model):
    """Insert the rows that break a constraint into memory catalogs, each of which has to be stopped by it."""
    state = desired_state(model)
    made = breaking_rows(model)
    for breaking in made:
        catalog = MemoryCatalog([state])
        names = {(constraint.kind, constraint.name.lower()) for constraint in breaking.breaks}
        if breaking.constraint.kind in ("primary key", "unique constraint"):
            catalog.insert(model.name, breaking.rows)
            counts = catalog.data_checks(model.name).count_rows(state.keys).broken
            assert {
                (key.kind, key.name.lower()) for key, count in zip(state.keys, counts, strict=True) if count
            } == names
            continue
        with pytest.raises(StatementError) as error:
            catalog.insert(model.name, breaking.rows)
        violation = constraint_error(error.value)
        stopped = ("length", "") if violation is None else (violation.kind, violation.name.lower())
        assert stopped in names or (violation is None and "EXCEED" in error.value.condition), breaking
    return made


def test_memory_stops_the_rows_of_all_scenarios():
    stopped = 0
    for scenario in SCENARIOS:
        for model in [scenario.before, scenario.after, *(model for model, _ in scenario.other_tables)]:
            try:
                stopped += len(require_stopped(model)) if model is not None else 0
            except InvalidModelError:
                continue
    assert stopped > 500


@given(st.lists(COMPARISONS, unique=True, max_size=4), st.sampled_from(["b", "a", "p"]))
@settings(max_examples=20, deadline=None)
def test_memory_stops_rows_of_random_checks(checks, key):
    model = table(CHECKED_COLUMNS, checks, unique=[Unique([key])])

    try:
        made = require_stopped(model)
    except DeclarationError as error:
        assert "is not solved" in str(error)  # noqa: PT017 - a combination without a solution
        return
    assert {breaking.constraint.kind for breaking in made} >= {"not null", "length", "unique constraint"}


def test_fields_are_found_in_any_case():
    model = table("s struct<b: int not null, t: varchar(3)>; c int not null")

    made = breaking_rows(model, s={"B": 5, "T": "long"})

    assert [([*map(str, breaking.breaks)], breaking.rows) for breaking in made] == [
        (["not null s.b", "length s.t"], ({"s": {"b": None, "t": "long"}, "c": 1},)),
        (["not null c", "length s.t"], ({"s": {"B": 5, "T": "long"}, "c": None},)),
        (["length s.t"], ({"s": {"b": 5, "t": "long"}, "c": 1},)),
    ]


class Session:
    """A session that keeps what frames are made of."""

    sql = None

    def createDataFrame(self, rows, schema):  # noqa: N802 - a name of pyspark
        return rows, schema


def made(*arguments, **columns) -> Any:
    """Return the rows and the schema of a frame."""
    return frame_of(cast("Any", Session()), *arguments, **columns)


def test_a_frame_has_the_types_of_the_model_and_may_hold_null():
    more = [Column("d", "int", default=1), Column("g", "int", generated_as="d + 1")]
    model = table("id bigint not null; name varchar(9); price decimal(5,2); s struct<a: int not null>", more=more)

    rows, schema = made(model, 2, NAME=None)

    assert rows == [(1, None, Decimal("1.00"), {"a": 1}), (2, None, Decimal("2.00"), {"a": 2})]
    assert schema == StructType(
        [
            StructField("id", LongType()),
            StructField("name", StringType()),
            StructField("price", DecimalType(5, 2)),
            StructField("s", StructType([StructField("a", IntegerType())])),
        ],
    )


def test_a_frame_without_rows_has_the_columns_that_the_table_does_not_fill():
    more = [Column("d", "int", default=1)]

    rows, schema = made(table("a array<map<string,int>>", more=more), 0)

    assert (rows, schema.simpleString()) == ([], "struct<a:array<map<string,int>>>")


def test_a_default_stands_where_only_some_rows_need_another_value():
    model = table("a int", ["d < 2 OR a > 1"], more=[Column("d", "int", default=5)])

    rows, schema = made(model, 3, a=lambda position: position)

    assert (rows, schema.names) == ([(0, 1), (1, 1), (2, 5)], ["a", "d"])


def test_a_generated_column_is_computed_where_only_some_rows_give_a_value():
    model = table("a int", more=[Column("g", "int", generated_as="a + 1")])

    assert made(model, [{"a": 1, "g": 2}, {"a": 5}])[0] == [(1, 2), (5, 6)]


def refusal_of_frame(*arguments, **options):
    with pytest.raises(DeclarationError) as caught:
        made(*arguments, **options)
    return str(caught.value)


def test_a_value_that_only_the_table_knows_is_given_in_all_rows_or_in_none():
    for column in (Column("C", "bigint", identity=True), Column("C", "int", generated_as="hash(a)")):
        model = table("a int", more=[column])

        assert refusal_of_frame(model, [{"c": 7}, {"a": 5}]) == (
            "dev.silver.orders: row 2 leaves C to the table, and another row does not;"
            " give a value in all rows, or in none"
        )
        assert made(model, 1)[1].names == ["a"]


def test_a_frame_with_all_columns_has_what_the_table_fills():
    more = [
        Column("D", "int", default=4),
        Column("g", "int", generated_as="a + D"),
        Column("i", "bigint", identity=Identity(start=10, step=5)),
    ]

    rows, schema = made(table("a int", more=more), [{"a": 1}, {"a": 2, "d": 0}], all_columns=True)

    assert rows == [(1, 4, 5, 10), (2, 0, 2, 15)]
    assert schema == StructType(
        [
            StructField("a", IntegerType()),
            StructField("D", IntegerType()),
            StructField("g", IntegerType()),
            StructField("i", LongType()),
        ],
    )


def test_a_value_that_only_spark_knows_is_given_in_a_frame_with_all_columns():
    for column in (Column("C", "int", generated_as="hash(a)"), Column("C", "string", default="current_user()")):
        assert refusal_of_frame(table("a int", more=[column]), 1, all_columns=True) == (
            "dev.silver.orders: row 1 leaves C to the table, whose value only Spark knows;"
            " give a value in all rows, or leave out all_columns"
        )


def test_a_frame_needs_a_session():
    with pytest.raises(DeclarationError, match="give one, such as the fixture delta_spark"):
        frame_of("local", table("a int"))


def drawn(**options):
    return rows_strategy(
        table("id int not null; amount int; kind string", ["amount >= 0"], primary_key=["id"]), **options
    )


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_strategies_draw_valid_rows(data):
    kinds = {"amount": st.integers(0, 9), "kind": lambda position: f"k{position}"}
    rows = data.draw(drawn(min_size=1, max_size=4, **kinds))

    assert 1 <= len(rows) <= 4
    assert [row["id"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(0 <= row["amount"] <= 9 for row in rows)
    assert [row["kind"] for row in rows] == [f"k{position}" for position in range(len(rows))]


def test_strategies_shrink_to_the_plain_rows():
    assert find(drawn(), lambda rows: len(rows) > 1) == [
        {"id": 1, "amount": 1, "kind": "kind_1"},
        {"id": 2, "amount": 2, "kind": "kind_2"},
    ]


def test_every_example_of_a_strategy_has_the_rows_of_the_parents():
    parent = table("id bigint not null", primary_key=["id"])
    child = Table("dev", "silver", "lines", [Column("o", "bigint")], foreign_keys=[ForeignKey(["o"], parent)])

    rows = rows_strategy(child, min_size=1, parents={parent: iter([{"id": 7}])})

    assert find(rows, lambda _: True) == [{"o": 7}]


def test_a_strategy_with_an_unknown_column_is_refused_at_once():
    with pytest.raises(DeclarationError, match="there is no column amuont; did you mean amount"):
        drawn(amuont=st.integers())


def test_hypothesis_is_optional(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)

    with pytest.raises(
        DeclarationError,
        match="rows_strategy needs hypothesis, which is not installed; run: pip install hypothesis",
    ):
        drawn()
