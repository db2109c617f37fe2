"""Delta Lake takes the rows that are made of models, and stops those that break a constraint, by that constraint."""

from __future__ import annotations

import pytest

from pytest_delta_schema import assert_rows_satisfy, breaking_rows, frame_of
from pytest_delta_schema.diagnostics.errors import RowsError
from pytest_delta_schema.engine.outcomes import Status
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
