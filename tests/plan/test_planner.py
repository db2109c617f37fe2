"""Plans: what changes, in which order, and that nothing changes when nothing differs."""

from __future__ import annotations

import random

import pytest
from pyspark.sql.types import BooleanType, IntegerType, StringType, TimestampType

from pytest_delta_schema import Check, Column, Unique
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.plan import (
    AlignTable,
    CheckAdd,
    CheckDrop,
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnNullabilityChange,
    ColumnTypeChange,
    CreateTable,
    PrimaryKeyAdd,
    PrimaryKeyDrop,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    TablePlan,
    TablePlanner,
    UniqueAdd,
    UnsetTableProperties,
)
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state import ArrayState, CatalogState, CheckState, KeyState, TableState
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import cases, named_cases
from support.models import KEY, NAME, catalog, column, orders, orders_before, state, stored, table
from support.snapshots import ReviewedCases

PLANNER = TablePlanner()


def changes(model, there):
    plan = PLANNER.plan([model], catalog(there))
    return plan.align_tables[0].changes if plan.align_tables else ()


def test_the_worked_example():
    plan = PLANNER.plan([orders()], catalog(orders_before()))

    assert plan.create_tables == ()
    (action,) = plan.align_tables
    assert action.table == NAME
    assert action.changes == (
        ColumnAdd(column=stored("amount", "decimal(18,2)", comment="Order total")),
        ColumnNullabilityChange(path=ColumnPath("id"), is_nullable=False),
        PrimaryKeyAdd(key=KeyState("pk_dev_silver_orders__id", ("id",))),
        SetColumnComments(
            comments={
                ColumnPath("amount"): "Order total",
                ColumnPath("created_ts"): "Creation time",
                ColumnPath("id"): "Order ID",
            }
        ),
        SetTableComment(comment="Orders table"),
        SetTableProperties(properties={"delta.autoOptimize.optimizeWrite": "true"}),
    )


def test_a_table_that_is_not_there_is_created():
    plan = PLANNER.plan([orders()], catalog(TableState(name=NAME, exists=False, schema_exists=False)))

    assert plan == TablePlan(
        create_tables=(
            CreateTable(
                table=NAME,
                columns=(
                    stored("id", is_nullable=False, comment="Order ID"),
                    stored("created_ts", "timestamp", comment="Creation time"),
                    stored("amount", "decimal(18,2)", comment="Order total"),
                ),
                table_comment="Orders table",
                table_properties={"delta.autoOptimize.optimizeWrite": "true"},
                creates_schema=True,
                keys=(PrimaryKeyAdd(key=KeyState("pk_dev_silver_orders__id", ("id",))),),
            ),
        )
    )
    assert not plan.is_empty
    assert plan.actions == plan.create_tables


STORED = state(stored("id", is_nullable=False), stored("note", "string", comment="A note"))
ID, NOTE = column(is_nullable=False), Column("note", StringType(), comment="A note")


def test_what_is_not_drift():
    def differs(model, there):
        return bool(changes(model, there))

    def properties(declared, there):
        return table(column(), table_properties=declared), state(stored(), table_properties=there)

    with named_cases(differs) as case:
        case("equal", table(ID, NOTE), STORED, False)
        case("order of columns", table(NOTE, ID), STORED, False)
        case("case of columns", table(column("ID", is_nullable=False), NOTE), STORED, False)
        case("no comment", table(column(comment=None)), state(stored()), False)
        keyed = state(stored(is_nullable=False), primary_key=KEY)
        case("case of the key", table(column(is_nullable=False), primary_key=["ID"]), keyed, False)
        case("undeclared property", *properties({}, {"other": "1"}), False)
        case("absent and declared so", *properties({"a": None}, {}), False)
        case(
            "spelling of keys and booleans",
            *properties({"DELTA.appendonly": "TRUE"}, {"delta.appendOnly": "true"}),
            False,
        )
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
            *(((1, 4), (None, 5)), ((1, 4), (1, 5)), ((1, 4), (3, 5)), ((1, 2), (2, None)), ((1, 4), (2, 4))),
            *(
                ((1, 2), (2, 7)),
                ((2, 5), (2, 5)),
                ((2, 7), (2, 5)),
                ((3, 7), (2, 5)),
                ((3, 7), (3, 7)),
                ((1, 2), (3, 7)),
            ),
        ):
            case(there, declared, [])
        for there, declared, written in (
            *(((1, 2), (None, 4), (None, 4)), ((1, 2), (None, 5), (None, 5)), ((1, 4), (None, 6), (None, 6))),
            *(((1, 2), (2, 4), (None, 4)), ((1, 2), (2, 5), (2, 5)), ((1, 7), (2, 5), (2, 5))),
            *(((1, 7), (2, 6), (2, 6)), ((2, 5), (2, 6), (2, 6))),
        ):
            case(there, declared, [properties(written)])


def test_what_is_drift():
    def strict(name="id"):
        return stored(name, is_nullable=False)

    def keyed(name, *columns):
        return state(*map(strict, columns), primary_key=KeyState(name, columns))

    def replaced(before, *columns):
        after = KeyState(f"pk_dev_silver_orders__{'_'.join(columns)}", columns)
        return (PrimaryKeyDrop(key=before), PrimaryKeyAdd(key=after))

    with named_cases(changes) as case:
        added = (ColumnAdd(column=stored("b")), ColumnAdd(column=stored("a")))
        case("adds in declaration order", table(ID, NOTE, column("b"), column("a")), STORED, added)
        dropped = (ColumnDrop(column=stored("Y")), ColumnDrop(column=stored("z")))
        case("drops by name", table(ID), state(strict(), stored("z"), stored("Y")), dropped)
        tightened = ColumnNullabilityChange(path=ColumnPath("B"), is_nullable=False)
        loosened = ColumnNullabilityChange(path=ColumnPath("ID"), is_nullable=True)
        model, there = table(column(), column("b", is_nullable=False)), state(stored("B"), strict("ID"))
        case("nullability, by stored name", model, there, (tightened, loosened))
        model = table(Column("a", "int"), Column("b", "array<decimal(5,1)>"))
        there = state(stored("a"), stored("b", ArrayState("decimal(5,2)", True)))
        of_column = ColumnTypeChange(path=ColumnPath("a"), before="bigint", after="int")
        of_element = ColumnTypeChange(path=ColumnPath("b", "element"), before="decimal(5,2)", after="decimal(5,1)")
        case("types", model, there, (of_column, of_element))
        model, there = (
            table(column(comment="New"), column("b")),
            state(stored(comment="Old"), stored("b", comment="Old")),
        )
        case("comments", model, there, (SetColumnComments(comments={ColumnPath("b"): "", ColumnPath("id"): "New"}),))
        case("comment", table(column()), state(stored(), table_comment="Old"), (SetTableComment(comment=""),))
        renamed = keyed("pk_other", "id")
        model = table(column(is_nullable=False), primary_key=["id"])
        case("key of another name", model, renamed, replaced(renamed.primary_key, "id"))
        turned = keyed("pk_dev_silver_orders__a_b", "a", "b")
        model = table(*(column(name, is_nullable=False) for name in "ba"), primary_key=["b", "a"])
        case("key in another order", model, turned, replaced(turned.primary_key, "b", "a"))
        unwanted = (PrimaryKeyDrop(key=renamed.primary_key),)
        case("key that is not wanted", table(column(is_nullable=False)), renamed, unwanted)


def test_what_is_drift_of_properties():
    def properties(declared, there):
        return changes(table(column(), table_properties=declared), state(stored(), table_properties=there))

    with cases(properties) as case:
        declared = {"b": "2", "a": 1, "c": None, "d": None, "same": "x"}
        changed = (SetTableProperties(properties={"a": "1", "b": "2"}), UnsetTableProperties(keys=("c",)))
        case(declared, {"b": "1", "c": "3", "other": "9", "same": "x"}, changed)
        # Delta's keys are spelt as they are stored, and others keep their case.
        declared, there = {"delta.APPENDONLY": "false", "delta.x": None}, {"delta.appendOnly": "true", "delta.X": "1"}
        spelt = SetTableProperties(properties={"delta.appendOnly": "false"}), UnsetTableProperties(keys=("delta.X",))
        case(declared, there, spelt)
        case(
            {"DELTA.appendonly": None},
            {"delta.appendOnly": "true"},
            (UnsetTableProperties(keys=("delta.appendOnly",)),),
        )
        case({"Foo": "1"}, {"foo": "1"}, (SetTableProperties(properties={"Foo": "1"}),))
    # Column mapping comes before the columns that need it, and other properties after them.
    mapped = {"delta.columnMapping.mode": "name", "x": "1"}
    before = state(stored(is_nullable=False), stored("old"))
    assert changes(table(ID, column("new"), table_properties=mapped), before) == (
        SetTableProperties(properties=mapped, enables=("columnMapping",)),
        ColumnAdd(column=stored("new")),
        ColumnDrop(column=stored("old")),
    )
    assert changes(table(ID, column("new"), table_properties={"x": "1"}), state(stored(is_nullable=False))) == (
        ColumnAdd(column=stored("new")),
        SetTableProperties(properties={"x": "1"}),
    )


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
    case("a generation", filled("a BETWEEN 1 AND 9"), desired_state(filled("a >= 1 AND 9 >= a")))
    assert case.text == reviewed


def test_a_table_that_could_not_be_read_is_never_planned():
    with pytest.raises(CatalogReadError, match=r"dev\.silver\.orders: is not part of the catalog state"):
        PLANNER.plan([orders()], CatalogState(tables={}))


def test_the_same_input_in_any_order_gives_the_same_plan_and_the_same_sql():
    shuffler = random.Random(7)  # noqa: S311 - no secret
    names = [f"dev.silver.t{number}" for number in range(5)]
    there = {name: [stored(item, comment="old") for item in "edcba"] for name in names}
    expected = None
    for _ in range(20):
        models = []
        states = []
        for name in shuffler.sample(names, len(names)):
            properties = shuffler.sample([("b", "1"), ("a", "2"), ("c", None)], 3)
            columns = [column("new2"), column("new1"), *(column(item, comment="new") for item in "abc")]
            kept = columns[:2] + shuffler.sample(columns[2:], 3)
            models.append(table(*kept, name=name, table_properties=dict(properties)))
            shown = shuffler.sample(there[name], 5)
            stored_properties = dict(shuffler.sample([("c", "9"), ("z", "9")], 2))
            states.append(state(*shown, name=models[-1].name, table_properties=stored_properties))
        plan = PLANNER.plan(models, catalog(*states))
        scripts = [script(statements(action)) for action in plan.actions]
        expected = expected or (plan, scripts)
        assert (plan, scripts) == expected


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


def test_every_change_is_described_with_path_before_and_after(reviewed):
    model = table(
        column("id", is_nullable=False),
        column("kind", IntegerType()),
        column("loose"),
        column("new", TimestampType(), comment="N"),
        comment="Now",
        table_properties={"set": "1", "changed": "2", "gone": None},
        primary_key=["id"],
    )
    there = state(
        stored("id"),
        stored("kind"),
        stored("loose", is_nullable=False, comment="L"),
        stored("old", "string"),
        table_comment="Then",
        table_properties={"changed": "1", "gone": "x"},
        primary_key=KeyState("pk_old", ("id", "kind")),
    )

    (action,) = PLANNER.plan([model], catalog(there)).align_tables

    assert "".join(f"{line}\n" for line in change_lines(action)) == reviewed


def test_a_creation_is_described_whole(reviewed):
    (action,) = PLANNER.plan([orders()], catalog(TableState(name=NAME, exists=False, schema_exists=False))).actions

    assert "".join(f"{line}\n" for line in change_lines(action)) == reviewed


def checks(*pairs):
    return tuple(CheckState(name, expression) for name, expression in pairs)


def test_checks_go_are_replaced_and_renamed_and_come_by_name():
    declared = [Check("new", "id > 9"), Check("Changed", "id > 1"), Check("same", "id<5"), Check("above", "ID>0")]
    there = checks(("changed", "id > 0"), ("old", "id > 7"), ("same", "id < 5"), ("positive", "id>0 "))

    before, after = CheckState("changed", "id > 0"), CheckState("Changed", "id > 1")
    unnamed, named = CheckState("positive", "id>0 "), CheckState("above", "ID>0")
    assert changes(table(column(), checks=declared), state(stored(), checks=there)) == (
        CheckDrop(name="old", expression="id > 7"),
        CheckDrop(name="changed", expression="id > 0", replaced_by=after),
        CheckDrop(name="positive", expression="id>0 ", replaced_by=named),
        CheckAdd(name="Changed", expression="id > 1", replaces=before),
        CheckAdd(name="above", expression="ID>0", replaces=unnamed),
        CheckAdd(name="new", expression="id > 9"),
    )


def test_a_replaced_check_is_dropped_before_columns_change_and_added_after_them():
    mapped = {"delta.columnMapping.mode": "name"}
    model = table(
        column(is_nullable=False),
        column("new"),
        table_properties=mapped,
        primary_key=["id"],
        unique=[Unique(["new"])],
        checks=[Check("c", "id > 1")],
        comment="New",
    )
    there = state(
        stored(),
        stored("old"),
        primary_key=KeyState("k", ("id",)),
        unique=(KeyState("u", ("old",), kind="unique constraint"),),
        checks=checks(("c", "id > 0"), ("d", "old > 0")),
    )

    (action,) = PLANNER.plan([model], catalog(there)).align_tables

    assert [statement.kind.name for statement in statements(action)] == [
        "SET_PROPERTIES",
        "DROP_PRIMARY_KEY",
        "DROP_UNIQUE",
        "DROP_CHECK",
        "DROP_CHECK",
        "ADD_COLUMNS",
        "DROP_COLUMNS",
        "TIGHTEN_COLUMNS",
        "ADD_CHECK",
        "ADD_PRIMARY_KEY",
        "ADD_UNIQUE",
        "COMMENT_TABLE",
    ]


def test_a_check_is_written_in_lower_case_and_protected_from_its_comments():
    checks = [Check("Positive", "id > 0"), Check("it`s", "id > 0 -- x")]
    (action,) = PLANNER.plan([table(column(), checks=checks)], catalog(state(stored()))).align_tables

    assert [statement.sql for statement in statements(action)] == [
        "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `it``s` CHECK (id > 0 -- x\n)",
        "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0)",
    ]


def test_a_new_table_gets_its_checks_as_properties():
    properties = {"x": "y", "gone": None}
    model = table(column(), checks=[Check("B", "id > 0"), Check("a", "id < 9")], table_properties=properties)

    (action,) = PLANNER.plan([model], catalog(state(exists=False))).create_tables

    assert script(statements(action)).endswith(
        "TBLPROPERTIES (\n  'x' = 'y',\n  'delta.constraints.a' = 'id < 9',\n  'delta.constraints.b' = 'id > 0'\n);"
    )
