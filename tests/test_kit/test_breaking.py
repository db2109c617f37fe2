"""Rows that break one constraint each, and frames of valid rows."""

from __future__ import annotations

import sys
from datetime import date, datetime
from typing import Any, cast

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

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
from support.snapshots import TextSnapshot

CASES = [
    ("id bigint not null; b int", [], {}),
    ("s struct<a: int not null, b: struct<c: int not null>> not null", [], {}),
    ("a int not null", ["a > 0"], {}),
    ("a int not null; b int", ["a > 0 OR b > 0"], {}),
    (
        "a varchar(3); c array<varchar(1)>; d map<char(1),varchar(2)>; e struct<f: varchar(4)>; g map<struct<h: char(1)>,int>",
        [],
        {},
    ),
    ("a varchar(3)", ["length(a) <= 3"], {}),
    ("a int", ["a > 0", "a > 1"], {}),
    ("a int; b int", ["a < b"], {}),
    ("a int not null; b int", ["a > 0 OR a <= 0", "1 < 2", "TRUE"], {}),
    ("a int", ["a > 0 OR a <= 0"], {}),
    ("a int; b int", ["a + b < 9"], {}),
    ("a int", ["a IS NOT NULL"], {}),
    ("a int", ["a IS NULL"], {}),
    ("a string; b int", ["a IN ('x', 'y')", "a <> 'x' OR b > 5"], {}),
    ("a int not null; b string not null", ["a * 3 < 9", "concat(b, b) <> ''"], {}),
    ("id int not null; b int", [], {"primary_key": ["id"]}),
    ("a int; b int; c int", ["b = a"], {"unique": [Unique(["a"], name="u"), Unique(["a", "c"], name="v")]}),
    ("a struct<b: struct<c: varchar(2)>>", ["a.b IS NULL"], {}),
]


UNJUDGED = [
    ("c string", "c RLIKE '^(?i)[A-Z]{2}[0-9]{4}$'", "AB1234"),
    ("c string", "NOT regexp_like(c, '(?i)[a-z]') AND c <> ''", "1234"),
    ("c string", "to_date(c) > DATE '2020-01-01'", "2026-01-31"),
    ("c array<string>", "array_contains(c, 'a')", ["a", "b"]),
    ("c date", "quarter(c) = 1", date(2026, 1, 31)),
    ("c timestamp", "date_trunc('DAY', c) = c", datetime(2026, 1, 31)),  # noqa: DTZ001 - as Spark returns it
    ("c string; g string", "g RLIKE '^(?i)AB'", "AB1234"),
]


BROKEN = [
    ("c string", "c RLIKE '^[A-Z]{2}[0-9]{4}$'", "AB1234"),
    ("c string", "regexp_like(c, '^[A-Z]+$')", "AB"),
    ("c array<string>", "size(c) > 1", ["a", "b"]),
    ("c array<string>", "size(c) <= 2", ["a", "b"]),
    ("c date", "year(c) >= 2020", date(2026, 1, 31)),
]
"""A column, a check that Python can judge, and a value that meets it."""

FILLED = [
    Column("id", "bigint", is_nullable=False, identity=True),
    Column("d", "int", is_nullable=False, default=5),
    Column("g", "int", is_nullable=False, generated_as="d + 1"),
]


def models():
    """Yield names, models and given values."""
    for columns, checks, options in CASES:
        yield f"{columns}; {checks}; {options}", table(columns, checks, **options), {}
    for column, check, value in UNJUDGED:
        model = table(
            f"id bigint not null; n int; {column.partition(';')[0]}",
            [check, "n > 0"],
            unique=[Unique(["n"])],
            more=[Column("g", "string", generated_as="c || 'x'")] if ";" in column else [],
        )
        yield f"only Spark judges {column}; {check}", model, {"c": value}
    for column, check, value in BROKEN:
        yield f"{column}; {check}", table(f"n int not null; {column}", [check]), {"c": value}
    pattern = table("c varchar(6) not null; n int", ["c RLIKE '^(?i)[A-Z]{2}[0-9]{4}$'", "n > 0"])
    yield "another value breaks what only Spark judges", pattern, {"c": "AB1234"}
    filled = table("x int", ["d > 2", "g < 9"], more=FILLED, unique=[Unique(["id"]), Unique(["g"])])
    yield "what the table fills", filled, {}
    yield "given values", table("a int; b int; c int", ["c > 0"]), {"a": 7, "b": lambda position: position}
    parts = table("a array<varchar(2)>; m map<string,struct<b: varchar(3)>>; s struct<c: struct<d: int not null>>")
    yield "given values that hold no parts", parts, {"a": [], "m": {}, "s": {"c": None}}
    yield "a key that is always NULL", table("a int; b int", ["a IS NULL"], unique=[Unique(["a"])]), {}


def breaks(model, **columns):
    """Return the constraints that rows break, the first of which is meant, and the rows."""
    return "".join(
        f"  {', '.join(map(str, breaking.breaks))}: {'  '.join(str(tuple(row.values())) for row in breaking.rows)}\n"
        for breaking in breaking_rows(model, **columns)
    )


def test_each_constraint_has_rows_that_break_it(snapshot):
    texts = [f"{name}\n{breaks(model, **given_values)}" for name, model, given_values in models()]

    assert "".join(texts) == snapshot(extension_class=TextSnapshot)


WITHOUT = (
    "no row was found that breaks {}; if there is one, give the other columns the values that it needs; else drop the"
    " constraint"
)
NOT_BROKEN = [
    # columns, a check, given values, and the message
    (
        "a string not null",
        "a RLIKE '(?i).*'",
        {},
        "check c1 (a RLIKE '(?i).*') is not solved: it cannot be evaluated without Spark; give a value for a",
    ),
    ("a int not null", "abs(coalesce(a, 0)) >= 0", {}, WITHOUT.format("check c1 (abs(coalesce(a, 0)) >= 0)")),
    ("a int; b int not null", "a > 0", {"a": "x"}, WITHOUT.format("not null b")),
]


def test_a_constraint_that_no_row_is_known_to_break_is_an_error():
    for columns, check, values, message in NOT_BROKEN:
        with pytest.raises(DeclarationError) as error:
            breaking_rows(table(columns, [check]), **values)

        assert str(error.value) == f"dev.silver.orders: {message}"


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


def frames():
    """Yield what a frame shows, its model, its rows and its values."""
    default, generated = Column("d", "int", default=1), Column("g", "int", generated_as="d + 1")
    of_a, everything = Column("g", "int", generated_as="a + 1"), {"all_columns": True}
    hashed, identity = Column("C", "int", generated_as="hash(a)"), Column("C", "bigint", identity=True)
    columns = "id bigint not null; name varchar(9); price decimal(5,2); s struct<a: int not null>"
    yield "types of the model, and NULL", table(columns, more=[default, generated]), 2, {"NAME": None}
    yield "no rows", table("a array<map<string,int>>", more=[default]), 0, {}
    some = table("a int", ["d < 2 OR a > 1"], more=[Column("d", "int", default=5)])
    yield "a default where only some rows need another value", some, 3, {"a": lambda position: position}
    computed = table("a int", more=[of_a])
    yield "a generated column where only some rows give a value", computed, [{"a": 1, "g": 2}, {"a": 5}], {}
    for column in (identity, hashed):
        yield "what only the table knows, in some rows", table("a int", more=[column]), [{"c": 7}, {"a": 5}], {}
        yield "what only the table knows, in no row", table("a int", more=[column]), 1, {}
    filled = [Column("D", "int", default=4), Column("g", "int", generated_as="a + D")]
    filled += [Column("i", "bigint", identity=Identity(start=10, step=5))]
    yield "all columns", table("a int", more=filled), [{"a": 1}, {"a": 2, "d": 0}], everything
    for column in (hashed, Column("C", "string", default="current_user()")):
        yield "all columns, with what only Spark knows", table("a int", more=[column]), 1, everything


def test_frames(snapshot):
    lines = []
    for name, model, wanted, columns in frames():
        try:
            rows, schema = made(model, wanted, **columns)
            lines.append(f"{name}:\n  {schema.simpleString()}\n  {rows}")
            assert '"nullable":false' not in schema.json()
        except DeclarationError as error:
            lines.append(f"{name}:\n  {error}")

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)


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


def test_strategies_draw_ten_rows_at_most():
    with pytest.raises(InvalidArgument, match="max_value=10 < min_value=11"):
        find(drawn(min_size=11), lambda _: True)


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
