"""Which columns an additive contract accepts, at every depth."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.changes import ColumnAdd, ColumnDrop
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import LONG, field, struct
from support.tables import catalog, state, stored, table

ID = Column("id", LONG)


def planned(model, *columns):
    plan = TablePlanner().plan([model], catalog(state(*columns)))
    dropped = [f"columns.{change.path}" for action in plan.align_tables for change in action.all(ColumnDrop)]
    return dropped, [note.path for note in plan.notes if "additive" in note.message]


@pytest.mark.parametrize(
    ("columns", "dropped", "accepted"),
    [
        ([stored(), stored("x"), stored("y")], [], ["columns.x", "columns.y"]),
        ([stored("x"), stored()], ["columns.x"], []),
        ([stored(), stored("x", is_nullable=False), stored("y")], ["columns.x"], ["columns.y"]),
        ([stored("x"), stored(), stored("y")], ["columns.x"], ["columns.y"]),
    ],
)
def test_columns_behind_the_declared_ones_are_accepted_if_they_may_be_null(columns, dropped, accepted):
    assert planned(table(ID, evolution="additive"), *columns) == (dropped, accepted)


@pytest.mark.parametrize(
    ("wrap", "below"),
    [
        pytest.param(lambda kind: kind, "columns.v.b", id="struct"),
        pytest.param(spark.ArrayType, "columns.v.element.b", id="array"),
        pytest.param(lambda kind: spark.MapType(spark.StringType(), kind), "columns.v.value.b", id="map"),
    ],
)
def test_fields_of_structs_as_well(wrap, below):
    declared, stored_type = struct(field("a")), struct(field("a"), field("b"))
    observed = desired_state(table(Column("v", wrap(stored_type)))).columns

    assert planned(table(Column("v", wrap(declared)), evolution="additive"), *observed) == ([], [below])
    assert planned(table(Column("v", wrap(declared))), *observed) == ([below], [])


def test_a_new_field_is_last_where_no_writer_has_added_one():
    model = table(ID, Column("v", struct(field("a"), field("b"))), evolution="additive")
    observed = desired_state(table(ID, Column("v", struct(field("a"))), Column("theirs", LONG))).columns

    (action,) = TablePlanner().plan([model], catalog(state(*observed))).align_tables

    assert [(change.path, change.after) for change in action.all(ColumnAdd)] == [(ColumnPath("v", "b"), None)]
