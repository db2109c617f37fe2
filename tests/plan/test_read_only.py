"""Contracts for objects that no plan changes: they are compared, and never created."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, DriftError, MemoryCatalog, Orchestrator, Settings, Table, assert_no_drift
from pytest_delta_schema.diagnostics.errors import CatalogReadError, DeclarationError
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.state import CatalogState, ColumnState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_state import state_from_json, state_json
from support.tables import NAME, state, stored

OPEN_ORDERS = Table(
    *NAME,
    [Column("id", spark.LongType(), comment="Order"), Column("note", spark.StringType())],
    comment="Open",
    read_only=True,
)
VIEW = state(stored(comment="Order"), stored("note", "string"), table_comment="Open", kind="materialized view")


def seen(*objects):
    return CatalogState.of({seen_object.name: seen_object for seen_object in objects})


def differences(model, *objects):
    plan = TablePlanner().plan([model], seen(*objects))
    assert plan.is_empty
    return [str(line) for action in plan.mismatches for line in change_lines(action)]


def test_a_view_that_equals_its_contract_is_in_sync_and_named():
    plan = TablePlanner().plan([OPEN_ORDERS], seen(VIEW))

    assert plan.is_empty
    assert plan.mismatches == ()
    assert [str(note) for note in plan.notes] == ["dev.silver.orders: is a materialized view, which is only compared"]


@pytest.mark.parametrize(
    ("other", "lines"),
    [
        ({"columns": (stored(comment="Order"),)}, ["+ columns.note: (absent) -> string"]),
        ({"columns": (*VIEW.columns, stored("more"))}, ["- columns.more: bigint -> (not in the model)"]),
        (
            {"columns": (stored(data_type="int", comment="Order"), VIEW.columns[1])},
            ["~ columns.id: int -> bigint"],
        ),
        ({"columns": (stored(), VIEW.columns[1])}, ["~ columns.id.comment: '' -> 'Order'"]),
        ({"table_comment": "x"}, ["~ comment: 'x' -> 'Open'"]),
        ({"table_properties": {"a": "b"}}, []),
        ({"partitioning": ("id",)}, []),
    ],
)
def test_columns_types_and_comments_are_compared_and_nothing_else(other, lines):
    assert differences(OPEN_ORDERS, replace(VIEW, **other)) == lines


def test_a_table_of_somebody_else_is_compared_without_a_note():
    plan = TablePlanner().plan([OPEN_ORDERS], seen(replace(VIEW, kind="")))

    assert (plan.is_empty, plan.mismatches, plan.notes) == (True, (), ())


def test_an_absent_object_is_drift_that_no_apply_creates():
    assert differences(OPEN_ORDERS, replace(state(), exists=False))[0] == "+ table: (absent) -> created with 2 columns"


def test_a_contract_that_manages_its_table_refuses_a_view():
    with pytest.raises(CatalogReadError) as raised:
        TablePlanner().plan([replace(OPEN_ORDERS, read_only=False)], seen(VIEW))

    assert str(raised.value) == (
        "dev.silver.orders: is a materialized view, not a table; drop it, declare the table under another name, or declare"
        " it with read_only=True [DS504 ViewInPlaceOfTable]"
    )


def test_an_aspect_may_be_left_out():
    model = replace(OPEN_ORDERS, owns={"comments": "ignore"})

    assert differences(model, replace(VIEW, table_comment="x")) == []


def test_what_is_not_compared_cannot_be_declared():
    with pytest.raises(DeclarationError) as raised:
        replace(OPEN_ORDERS, primary_key=["id"], checks=[Check("a", "id > 0")])

    assert str(raised.value) == (
        "dev.silver.orders: read_only=True compares columns, types and comments, and not primary_key, checks; leave out one"
        " of the two"
    )


def test_the_json_form_holds_both():
    for known in (desired_state(OPEN_ORDERS), VIEW):
        again = state_from_json(state_json(known))
        assert (again.read_only, again.kind) == (known.read_only, known.kind)
    assert ColumnState("id", "bigint", True, "Order") in VIEW.columns


def test_an_apply_leaves_a_view_as_it_is():
    catalog = MemoryCatalog([VIEW])

    result = Orchestrator.over(catalog, settings=Settings()).sync_tables([replace(OPEN_ORDERS, comment="Other")])

    assert result.statements == ()
    assert catalog.read_tables([NAME]).others[NAME] == replace(VIEW, version=0)
    with pytest.raises(DriftError, match="comment"):
        assert_no_drift([replace(OPEN_ORDERS, comment="Other")], catalog=catalog, settings=Settings())
    assert_no_drift([OPEN_ORDERS], catalog=catalog, settings=Settings())
