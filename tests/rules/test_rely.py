"""RELY: what it takes to add it, and how declarations, properties and Databricks keep it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pytest_delta_schema import ForeignKey, MemoryCatalog, Orchestrator, PrimaryKey, Settings, model_source
from pytest_delta_schema.diagnostics.errors import DeclarationError, UnsafePlanError
from pytest_delta_schema.models.names import parse_binding
from pytest_delta_schema.models.sets import Binding
from pytest_delta_schema.plan import PrimaryKeyAdd, TablePlanner
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.state import ForeignKeyState, KeyState
from pytest_delta_schema.state.desired import declared_table, desired_state
from pytest_delta_schema.state.keys import key_property, keys_in_properties
from pytest_delta_schema.testing.scenario import ID, child, columns, parent
from support.tables import NAME, catalog


def relied():
    return columns(ID, primary_key=PrimaryKey(["id"], rely=True))


def relied_child():
    return child(ForeignKey(["parent"], parent(), rely=True))


def refused(before, after, *others, preflight):
    """Return the violations of an apply."""
    target = MemoryCatalog()
    Orchestrator.over(target).sync_tables([before, *others])
    try:
        Orchestrator.over(target, settings=Settings(preflight=preflight)).sync_tables([after])
    except UnsafePlanError as error:
        return [f"{violation.code} {violation.message}" for violation in error.diagnostics]
    return []


@pytest.mark.parametrize(
    ("before", "after", "others", "expected"),
    [
        pytest.param(
            columns(ID),
            relied(),
            [],
            ["DS219 primary key pk_dev_silver_orders__id is added with RELY, and no data check runs before it"],
            id="primary key",
        ),
        pytest.param(
            child(),
            relied_child(),
            [parent()],
            ["DS219 foreign key fk_dev_silver_orders__parent is added with RELY, and no data check runs before it"],
            id="foreign key",
        ),
        pytest.param(columns(ID), columns(ID, primary_key=["id"]), [], [], id="without RELY"),
        pytest.param(relied(), columns(ID, primary_key=["id"]), [], [], id="RELY removed"),
        pytest.param(child(), child(ForeignKey(["parent"], parent())), [parent()], [], id="foreign key without RELY"),
    ],
)
def test_rely_is_added_only_after_a_data_check(before, after, others, expected):
    assert refused(before, after, *others, preflight="off") == expected
    assert refused(before, after, *others, preflight="limit") == []


def test_a_new_table_has_no_rows_that_could_break_rely():
    target = MemoryCatalog()

    Orchestrator.over(target, settings=Settings(preflight="off")).sync_tables([relied()])

    (state,) = target.snapshot([relied()]).tables.values()
    assert state.primary_key is not None
    assert state.primary_key.rely


def test_a_dependent_foreign_key_with_rely_is_dropped_and_added_again():
    before = columns(ID, name="dev.silver.parents", primary_key=["id"])
    after = columns(ID, name="dev.silver.parents", primary_key=PrimaryKey(["id"], rely=True))
    dependent = columns(ID, foreign_keys=[ForeignKey(["id"], before, rely=True)])

    assert refused(before, after, dependent, preflight="off") == [
        "DS219 primary key pk_dev_silver_parents__id is added with RELY, and no data check runs before it"
    ]
    plan = TablePlanner().plan([after], catalog(desired_state(before), desired_state(dependent)))
    assert [[type(change).__name__ for change in action.changes] for action in plan.align_tables] == [
        ["ForeignKeyDrop", "ForeignKeyAdd"],
        ["PrimaryKeyDrop", "PrimaryKeyAdd"],
    ]
    assert [key.rely for key in plan.align_tables[1].all(PrimaryKeyAdd)] == [True]


def test_a_primary_key_without_columns_is_refused():
    with pytest.raises(DeclarationError, match="a primary key has no columns; name at least one"):
        PrimaryKey([])


def test_a_primary_key_without_rely_is_a_list_of_columns():
    assert desired_state(columns(ID, primary_key=PrimaryKey(["id"]))) == desired_state(columns(ID, primary_key=["id"]))
    assert "PrimaryKey" not in model_source(columns(ID, primary_key=PrimaryKey(["id"])))


@pytest.mark.parametrize("model", [relied(), relied_child()], ids=["primary key", "foreign key"])
def test_a_table_with_rely_is_adopted(model):
    state = replace(desired_state(model), version=None)
    adopted = declared_table(state)

    assert desired_state(adopted).primary_key == state.primary_key
    assert desired_state(adopted).foreign_keys == state.foreign_keys
    assert "rely=True" in model_source(adopted)


def test_rely_is_kept_in_the_properties_of_open_source_delta():
    plain, relied_on = KeyState("pk", ("id",)), KeyState("pk", ("id",), rely=True)
    foreign = ForeignKeyState("fk", ("id",), NAME, ("id",), rely=True)

    assert list(key_property(plain).values()) == ['{"name": "pk", "columns": ["id"]}']
    assert [keys_in_properties(key_property(key))["primary_key"] for key in (plain, relied_on)] == [plain, relied_on]
    (value,) = key_property(foreign).values()
    assert json.loads(value)["rely"] is True


def test_a_bound_foreign_key_keeps_rely():
    bound = Binding((parse_binding("dev.silver=ci.silver"),)).table(relied_child())

    assert [(str(key.parent), key.rely) for key in bound.foreign_keys] == [("ci.silver.parents", True)]


def test_a_foreign_key_of_a_scratch_table_keeps_rely():
    scratch = Scratch(MemoryCatalog(), "main")
    copy = scratch.table(parent(), None, None)

    (key,) = scratch.table(relied_child(), None, None).foreign_keys

    assert (key.parent, key.rely) == (copy.name, True)
