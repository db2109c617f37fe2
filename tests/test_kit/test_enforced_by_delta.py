"""Delta Lake takes the rows that are made of models, and stops those that break a constraint, by that constraint."""

from __future__ import annotations

import pytest

from pytest_delta_schema import assert_rows_satisfy, breaking_rows, frame_of
from pytest_delta_schema.backends.spark.sessions import TIME_ZONE, setting
from pytest_delta_schema.diagnostics.errors import DeclarationError, RowsError, StatementError
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.testing.scenario import EVERY_TYPE, VARIANTS
from support.covering import ALL
from support.rows import different_models, outcomes_of, table

pytestmark = pytest.mark.spark


def test_delta_takes_valid_rows_and_stops_broken_ones_by_their_constraint(local):
    wide = table("id bigint not null", more=[*EVERY_TYPE, *VARIANTS])
    models = [model for model, _ in different_models()]
    outcomes = outcomes_of([wide, *(models if ALL else models[::50])], local)

    assert [outcome for outcome in outcomes if outcome.status is not Status.ENFORCED] == []
    assert len(outcomes) > 2


def test_a_check_that_only_spark_can_judge_is_named_where_it_is_broken(local):
    model = table("id int not null; c string not null; n int", ["c RLIKE '^[A-Z]{2}[0-9]{4}$'", "n > 0"])
    schema = frame_of(local.spark, model, c="AB1234").schema

    for breaking in breaking_rows(model, c="AB1234"):
        with pytest.raises(RowsError) as error:
            assert_rows_satisfy(model, local.spark.createDataFrame(breaking.rows, schema))
        assert len(error.value.diagnostics) == len(breaking.breaks), breaking


JUDGED = [
    ("a int; b int not null", ["hash(a, b) % 2 = 0"], {"primary_key": ["b"]}),
    ("a string; b int", ["CAST(a AS INT) > 5", "b > 3"], {}),
    ("a decimal(9,2); b int; c decimal(12,2)", ["round(a * b, 2) = c"], {}),
    ("a timestamp", ["a = '1999-05-12 09:00:00'"], {}),
    ("a timestamp", ["year(a) = 2024 AND month(a) = 1 AND a <= '2024-01-01'"], {}),
    ("a struct<t: timestamp>; b timestamp_ntz", ["a.t = b"], {}),
    ("a timestamp", ["a <> '2023-12-31 19:00:00'"], {}),
]
"""Checks that nothing judges without Spark, and others that hold in one time zone only."""


def test_a_session_judges_checks_in_its_time_zone(local):
    with setting(local.spark, TIME_ZONE, "America/New_York"):
        for columns, checks, options in JUDGED:
            frame = frame_of(local.spark, table(columns, checks, **options), 12)
            held = frame.selectExpr(*(f"coalesce(({check}), false)" for check in checks)).collect()
            assert [tuple(row) for row in held] == [(True,) * len(checks)] * 12, checks
            keys = options.get("primary_key")
            assert keys is None or frame.select(keys).distinct().count() == 12, checks


def test_what_spark_refuses_or_never_meets_is_an_error(local):
    with pytest.raises(
        DeclarationError, match=r"check c1 \(a RLIKE '\^\(\?=x\)y'\) is not solved; give a value for a$"
    ):
        frame_of(local.spark, table("a string", ["a RLIKE '^(?=x)y'"]))
    with pytest.raises(StatementError, match="Cannot resolve routine `no_such`"):
        frame_of(local.spark, table("a string", ["no_such(a) = 1"]))
