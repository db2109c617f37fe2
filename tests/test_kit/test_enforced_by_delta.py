"""Delta Lake takes the rows that are made of models, and stops those that break a constraint, by that constraint."""

from __future__ import annotations

import pytest

from pytest_delta_schema import assert_rows_satisfy, breaking_rows, frame_of
from pytest_delta_schema.backends.constraint_violations import constraint_error
from pytest_delta_schema.backends.spark.inserting import _loose
from pytest_delta_schema.errors import InvalidModelError, RowsError
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.type_traversal import not_null_paths
from pytest_delta_schema.testing.parts import EVERY_TYPE, VARIANTS
from pytest_delta_schema.testing.scenarios import SCENARIOS
from support.row_models import table

pytestmark = pytest.mark.spark

KEYS = ("primary key", "unique constraint")


def features(model, made):
    """Yield what is special about the constraints of a model, so that each is tried once."""
    state = desired_state(model)
    types = {column.name.lower(): column.data_type for column in state.columns}
    for breaking in made:
        if breaking.constraint.kind == "length":
            yield "length", str(types[breaking.constraint.name.split(".")[0].lower()])
    yield from (("check", check.expression) for check in state.checks)
    yield from (("not null", len(path)) for path in not_null_paths(state.columns))
    for column in state.columns:
        if column.value is not None:
            yield "filled", tuple(part is not None for part in column.value)


def scenario_models():
    """Return models of scenarios until each kind of constraint has occurred, each with the rows that break it."""
    seen: set[tuple[str, object]] = set()
    for scenario in SCENARIOS:
        for model in [scenario.before, None if scenario.refused_by else scenario.after]:
            try:
                made = breaking_rows(model) if model is not None else []
            except InvalidModelError:
                continue
            new = set(features(model, made)) - seen if model is not None else set()
            if new:
                seen |= new
                yield model, made


def append(spark, name, row):
    """Append a row as it is, so that the table alone refuses it."""
    stored = spark.table(dotted(name)).schema
    fields = [field for field in stored if field.name in row]
    frame = spark.createDataFrame([tuple(row[field.name] for field in fields)], _loose(type(stored)(fields)))
    frame.write.mode("append").saveAsTable(dotted(name))


def stopped_by(spark, name, breaking):
    """Return the constraint that stopped a row; the text of the error if it was none, and nothing without an error."""
    try:
        append(spark, name, breaking.rows[0])
    except Exception as error:  # noqa: BLE001 - of Py4J, or of Spark
        violation = constraint_error(error)
        return str(error) if violation is None else (violation.kind, violation.name.lower())
    return None


def expected(breaking):
    """Return the constraints that may stop a row; Delta names no column for a length."""
    return {(one.kind, "" if one.kind == "length" else one.name.lower()) for one in breaking.breaks}


def test_delta_takes_valid_rows_and_stops_broken_ones_by_their_constraint(local):
    scratch = Scratch(local, "rows")
    wide = table("id bigint not null", more=[*EVERY_TYPE, *VARIANTS])
    cases = [(wide, breaking_rows(wide)), *scenario_models()]
    wrong = []
    try:
        for number, (model, made) in enumerate(cases):
            copy = scratch.table(model, 3, f"t{number}")
            assert local.count_rows(copy.name).rows == 3
            for breaking in made:
                if breaking.constraint.kind not in KEYS:
                    stopped = stopped_by(local.spark, copy.name, breaking)
                    wrong += [] if stopped in expected(breaking) else [(breaking, stopped)]
    finally:
        scratch.clean_up()

    assert wrong == []
    assert len(cases) > 25


def test_assert_rows_satisfy_agrees(local):
    model = table(
        "id int not null; a varchar(4) not null; s struct<b: int not null>; d date",
        ["length(a) > 2 AND a LIKE 'x%'", "s.b BETWEEN 3 AND 9", "d > '2024-02-02' OR d IS NULL"],
        primary_key=["id"],
    )

    assert_rows_satisfy(frame_of(local.spark, model, 5), model)

    for breaking in breaking_rows(model):
        if breaking.constraint.kind != "length":
            with pytest.raises(RowsError) as error:
                assert_rows_satisfy(
                    local.spark.createDataFrame(breaking.rows, frame_of(local.spark, model).schema), model
                )
            assert len(error.value.diagnostics) == len(breaking.breaks), breaking
