"""Plans: what changes, in which order, and that nothing changes when nothing differs."""

from __future__ import annotations

import pytest
from pyspark.sql.types import BooleanType, IntegerType, StringType

from pytest_delta_schema import Check, Column, ForeignKey, QualifiedName
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.plan import (
    AlignTable,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnNullabilityChange,
    ColumnTypeChange,
    CreateTable,
    PrimaryKeyAdd,
    PrimaryKeyDrop,
    SetColumnComments,
    SetTableProperties,
    TablePlanner,
    UniqueAdd,
    UnsetTableProperties,
)
from pytest_delta_schema.state import CatalogState, CheckState, ForeignKeyState, KeyState
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import cases, named_cases
from support.models import KEY, NAME, catalog, column, orders, state, stored, table
from support.snapshots import ReviewedCases

PLANNER = TablePlanner()


def changes(model, there):
    plan = PLANNER.plan([model], catalog(there))
    return plan.align_tables[0].changes if plan.align_tables else ()


STORED = state(stored("id", is_nullable=False), stored("note", "string", comment="A note"))
ID, NOTE = column(is_nullable=False), Column("note", StringType(), comment="A note")


def test_what_is_not_drift():
    def differs(model, there):
        return bool(changes(model, there))

    def properties(declared, there):
        return table(column(), table_properties=declared), state(stored(), table_properties=there)

    with named_cases(differs) as case:
        case("equal", table(ID, NOTE), STORED, False)
        keyed = state(stored(is_nullable=False), primary_key=KEY)
        case("case of the key", table(column(is_nullable=False), primary_key=["ID"]), keyed, False)
        case("undeclared property", *properties({}, {"other": "1"}), False)
        case("absent and declared so", *properties({"a": None}, {}), False)
        key = "delta.logRetentionDuration"
        case("spelling of intervals", *properties({key: "interval 1 week"}, {key: "7 days"}), False)
        for wanted, there in (("interval 1 day", "interval 2 days"), ("1 fortnight", "14 days")):
            case(f"{wanted} for {there}", *properties({key: wanted}, {key: there}), True)
        for wanted, there in (("true", "1"), ("x", "y")):
            case(f"{wanted} for {there}", *properties({"delta.key": wanted}, {"delta.key": there}), True)
        version = "delta.minWriterVersion"
        case("protocol that is exceeded", *properties({version: 2}, {version: "7"}), False)


def test_a_version_of_the_protocol_is_set_where_delta_writes_it():
    """Delta lowers versions to what features need; column mapping comes with both, in one statement (Delta 4.4.0)."""

    def properties(versions):
        keys = ("delta.minReaderVersion", "delta.minWriterVersion")
        return {key: str(number) for key, number in zip(keys, versions, strict=True) if number}

    def to_set(there, declared):
        planned = changes(
            table(column(), table_properties=properties(declared)), state(stored(), table_properties=properties(there))
        )
        return [dict(change.properties) for change in planned]

    with cases(to_set) as case:
        for there, declared in (
            *(((1, 4), (None, 5)), ((1, 4), (3, 5)), ((1, 2), (2, None)), ((1, 4), (2, 4)), ((1, 2), (2, 7))),
            *(((2, 5), (2, 5)), ((3, 7), (2, 5)), ((1, 2), (3, 7))),
        ):
            case(there, declared, [])
        for there, declared, written in (
            *(((1, 2), (None, 4), (None, 4)), ((1, 2), (None, 5), (None, 5)), ((1, 4), (None, 6), (None, 6))),
            *(((1, 2), (2, 4), (None, 4)), ((1, 2), (2, 5), (2, 5)), ((1, 7), (2, 5), (2, 5))),
            *(((1, 7), (2, 6), (2, 6)), ((2, 5), (2, 6), (2, 6))),
        ):
            case(there, declared, [properties(written)])


def test_changes_spell_columns_as_they_are_stored():
    model = table(column("a", IntegerType(), is_nullable=False, comment="A"), Column("b", StringType(), default="'x'"))

    action = PLANNER.plan([model], catalog(state(stored("A"), stored("B", "string")))).align_tables[0]

    assert str(action.one(ColumnNullabilityChange).path) == "A"
    assert str(action.one(ColumnTypeChange).path) == "A"
    assert str(action.one(ColumnDefaultChange).path) == "B"
    assert [*map(str, action.one(SetColumnComments).comments)] == ["A"]
    assert (action.one(PrimaryKeyDrop), action.all(ColumnDrop)) == (None, ())


def test_another_form_is_a_note_and_no_change(reviewed):
    def notes(model, there):
        plan = PLANNER.plan([model], catalog(there))
        assert plan.is_empty
        return map(str, plan.notes)

    def filled(expression):
        return table(column("a"), column("b", BooleanType(), generated_as=expression))

    case = ReviewedCases(notes)
    case("the spelling of a column", table(column("ID")), state(stored("id")))
    there = state(stored(), checks=checks(("range", "id >= 1 and id <= 5")))
    case("a check", table(column(), checks=[Check("range", "id between 1 and 5")]), there)
    case("what is hidden", table(column()), state(stored(), not_shown=("defaults", "NOT NULL in structs")))
    parent = QualifiedName("dev", "silver", "parents")
    keys = (KEY._replace(rely=None), ForeignKeyState("fk", ("id",), parent, ("id",), rely=None))
    keyed = table(
        column(is_nullable=False), primary_key=["id"], foreign_keys=[ForeignKey(["id"], str(parent), ["id"], name="fk")]
    )
    case("RELY", keyed, state(stored(is_nullable=False), primary_key=keys[0], foreign_keys=keys[1:]))
    case("a generation", filled("a BETWEEN 1 AND 9"), desired_state(filled("a >= 1 AND 9 >= a")))
    assert case.text == reviewed


def test_a_table_that_could_not_be_read_is_never_planned():
    with pytest.raises(CatalogReadError, match=r"dev\.silver\.orders: is not part of the catalog state"):
        PLANNER.plan([orders()], CatalogState(tables={}))


def checks(*pairs):
    return tuple(CheckState(name, expression) for name, expression in pairs)


def test_an_action_that_changes_nothing_cannot_be_built():
    kinds = {
        AlignTable: {"table": NAME, "changes": (), "desired": state(), "observed": state()},
        CreateTable: {
            "table": NAME,
            "columns": (),
            "table_comment": "",
            "table_properties": {},
            "creates_schema": False,
        },
        ColumnTypeChange: {"path": ColumnPath("a"), "before": "int", "after": "int"},
        PrimaryKeyAdd: {"key": KeyState("pk", ())},
        UniqueAdd: {"key": KeyState("u", (), kind="unique constraint")},
        SetColumnComments: {"comments": {}},
        SetTableProperties: {"properties": {}},
        UnsetTableProperties: {"keys": ()},
    }

    for kind, arguments in kinds.items():
        with pytest.raises(ValueError, match=f"{kind.__name__} would change nothing; leave it out of the plan"):
            kind(**arguments)
