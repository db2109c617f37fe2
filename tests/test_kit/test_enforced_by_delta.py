"""Delta Lake takes the rows that are made of models, and stops those that break a constraint, by that constraint."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Column, assert_rows_satisfy, breaking_rows, frame_of
from pytest_delta_schema.backends.spark.sessions import TIME_ZONE, setting
from pytest_delta_schema.diagnostics.errors import DeclarationError, RowsError, StatementError
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions.conditions import atoms_of
from pytest_delta_schema.state.expressions.parsing import condition_of
from pytest_delta_schema.state.types import not_null_paths
from pytest_delta_schema.testing.scenario import EVERY_TYPE, VARIANTS
from support.covering import ALL
from support.rows import different_models, outcomes_of, table

pytestmark = pytest.mark.spark

A_TABLE = 4
"""What a table costs, in writes of rows."""


def features(model, made):
    """Yield what is special about the constraints of a model."""
    state = desired_state(model)
    types = {column.name.lower(): column.data_type for column in state.columns}
    for breaking in made:
        kind = breaking.constraint.kind
        data_type = types[breaking.constraint.name.split(".")[0].lower()] if kind == "length" else ""
        yield kind, data_type.partition("(")[0] if isinstance(data_type, str) else type(data_type)
    for check in state.checks:
        yield from (("atom", type(atom)) for atom in atoms_of(condition_of(check.expression)))
    yield from (("foreign key", len(key.columns)) for key in state.foreign_keys)
    yield from (("depth", len(path)) for path in not_null_paths(state.columns))
    yield from (
        ("filled", tuple(part is not None for part in column.value)) for column in state.columns if column.value
    )


def tried_models():
    """Return all of these models in a run of all tests, else cheap ones that have all features together."""
    cases = [(model, {*features(model, made)}, len(made) + A_TABLE) for model, made in different_models()]
    if ALL:
        return [model for model, _, _ in cases]
    chosen, left = [], set().union(*(known for _, known, _ in cases))
    while left:
        model, known, _ = max(cases, key=lambda case: len(case[1] & left) / case[2])
        chosen.append(model)
        left -= known
    return chosen


def test_delta_takes_valid_rows_and_stops_broken_ones_by_their_constraint(local):
    wide = table("id bigint not null", more=[*EVERY_TYPE, *VARIANTS])
    outcomes = outcomes_of([wide, *tried_models()], local)

    assert [outcome for outcome in outcomes if outcome.status is not Status.ENFORCED] == []
    assert len(outcomes) > 6


def test_a_check_that_only_spark_can_judge_is_named_where_it_is_broken(local):
    model = table("id int not null; c string not null; n int", ["c RLIKE '^[A-Z]{2}[0-9]{4}$'", "n > 0"])
    schema = frame_of(local.spark, model, c="AB1234").schema

    for breaking in breaking_rows(model, c="AB1234"):
        with pytest.raises(RowsError) as error:
            assert_rows_satisfy(model, local.spark.createDataFrame(breaking.rows, schema))
        assert len(error.value.diagnostics) == len(breaking.breaks), breaking


def test_assert_rows_satisfy_agrees(local):
    model = table(
        "id int not null; a varchar(4) not null; s struct<b: int not null>; d date",
        ["length(a) > 2 AND a LIKE 'x%'", "s.b BETWEEN 3 AND 9", "d > '2024-02-02' OR d IS NULL"],
        primary_key=["id"],
    )

    assert_rows_satisfy(model, frame_of(local.spark, model, 5))

    for breaking in breaking_rows(model):
        if breaking.constraint.kind != "length":
            frame = local.spark.createDataFrame(breaking.rows, frame_of(local.spark, model).schema)
            with pytest.raises(RowsError) as error:
                assert_rows_satisfy(model, frame)
            assert len(error.value.diagnostics) == len(breaking.breaks), breaking


JUDGED = [
    ("a int; b int not null", ["hash(a, b) % 2 = 0"], {"primary_key": ["b"]}),
    ("a string; b int", ["CAST(a AS INT) > 5", "b > 3"], {}),
    ("a decimal(9,2); b int; c decimal(12,2)", ["round(a * b, 2) = c"], {}),
    ("a string; b int", ["levenshtein(a, 'abc') = b"], {}),
    ("a timestamp", ["hour(a) = 3"], {}),
    ("a timestamp", ["a = '1999-05-12 09:00:00'"], {}),
    ("a timestamp", ["a = '1999-05-12T09:00:00Z'"], {}),
    ("a timestamp", ["year(a) = 2024 AND month(a) = 1 AND a <= '2024-01-01'"], {}),
    ("a struct<t: timestamp>; b timestamp_ntz", ["a.t = b"], {}),
    ("a timestamp; b date", ["b = a"], {}),
    ("a timestamp", ["a <> '2023-12-31 19:00:00'"], {}),
]
"""Checks that nothing judges without Spark, and others that hold in one time zone only."""


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kathmandu"])
def test_a_session_judges_checks_in_its_time_zone(local, zone):
    with setting(local.spark, TIME_ZONE, zone):
        for columns, checks, options in JUDGED:
            frame = frame_of(local.spark, table(columns, checks, **options), 12)
            held = frame.selectExpr(*(f"coalesce(({check}), false)" for check in checks)).collect()
            assert [tuple(row) for row in held] == [(True,) * len(checks)] * 12, checks
            keys = options.get("primary_key")
            assert keys is None or frame.select(keys).distinct().count() == 12, checks


def test_a_session_judges_checks_of_generated_columns_with_odd_names(local):
    generated = Column("g`x", "int", generated_as="hash(a) -- of a")
    model = table("a int", ["`g``x` % 2 = 0 -- even"], more=[generated])

    frame = frame_of(local.spark, model, 5)

    assert [row.even for row in frame.selectExpr("hash(a) % 2 = 0 AS even").collect()] == [True] * 5


def test_tables_are_filled_and_tried_in_any_time_zone(local):
    check = "a = '1999-05-12 09:00:00'"
    model = table("a timestamp; b string", [check, "CAST(b AS INT) > 5"])
    scratch = Scratch(local, "zones")
    with setting(local.spark, TIME_ZONE, "America/New_York"):
        try:
            made = scratch.table(model, 3, None)
            assert len(local.rows(made.name)) == 3
            other = scratch.table(model, [{"b": "7"}], "other", fill=True)
            assert [row["b"] for row in local.rows(other.name)] == ["7"]
        finally:
            scratch.clean_up()
        (outcome,) = outcomes_of([table("a timestamp; b timestamp_ntz", [check, "b = a"])], local)
    assert outcome.status is Status.ENFORCED


def test_what_spark_refuses_or_never_meets_is_an_error(local):
    with pytest.raises(
        DeclarationError, match=r"check c1 \(a RLIKE '\^\(\?=x\)y'\) is not solved; give a value for a$"
    ):
        frame_of(local.spark, table("a string", ["a RLIKE '^(?=x)y'"]))
    with pytest.raises(StatementError, match="Cannot resolve routine `no_such`"):
        frame_of(local.spark, table("a string", ["no_such(a) = 1"]))
