"""Modes of aspects and of property patterns, and tables that a project only reads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import (
    Check,
    Column,
    ForeignKey,
    QualifiedName,
    Table,
    Unique,
)
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.plan import CheckAdd, CheckDrop, PropertyPolicy, TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.state import CatalogState, CheckState, ForeignKeyState, KeyState
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import cases, refusal
from support.models import NAME, catalog, column, state, stored, table
from support.snapshots import ReviewedCases


def model():
    return table(
        column(is_nullable=False),
        column("n", comment="Number", default=1),
        column("new"),
        comment="Orders",
        primary_key=["id"],
        unique=[Unique(["new"])],
        checks=[Check("positive", "n > 0")],
        foreign_keys=[ForeignKey(["n"], "dev.silver.others", ["id"], name="other")],
        clustered_by=["n"],
        tags={"team": "core"},
        table_properties={"team": "core"},
    )


THERE = state(
    stored(is_nullable=False),
    stored("n", "int"),
    primary_key=KeyState("theirs", ("n",)),
    unique=(KeyState("theirs_too", ("id",), kind="unique constraint"),),
    checks=(CheckState("positive", "n > 1"),),
    foreign_keys=(ForeignKeyState("theirs", ("n",), QualifiedName("dev", "silver", "customers"), ("id",)),),
    table_properties={"delta.feature.allowColumnDefaults": "supported"},
)
CHANGES = {
    "columns": ["+ columns.new"],
    "types": ["~ columns.n"],
    "defaults": ["+ columns.n.default"],
    "primary_keys": ["- primary_key", "+ primary_key"],
    "unique": ["- unique.theirs_too", "+ unique.uq_dev_silver_orders__new"],
    "foreign_keys": ["- foreign_keys.theirs", "+ foreign_keys.other"],
    "checks": ["- checks.positive", "+ checks.positive"],
    "comments": ["~ columns.n.comment", "~ comment"],
    "properties": ["+ properties.team"],
    "layout": ["~ layout"],
    "tags": ["+ tags.team"],
}


def planned(owns, declared, there, policy=None):
    desired = replace(desired_state(declared), ownership=table(column(), owns=owns).ownership)
    plan = TablePlanner(policy=policy or PropertyPolicy()).plan_states([desired], catalog(there))
    return [
        [
            f"{line.marker} {line.path}"
            for action in actions
            for change in action.changes
            if not is_added_again(change)
            for line in change_lines(replace(action, changes=(change,)))
        ]
        for actions in (plan.align_tables, plan.mismatches)
    ]


def is_added_again(change):
    """Whether a check is dropped and added again for a change of its columns, and is the same before and after."""
    match change:
        case CheckDrop(name=name, expression=expression, replaced_by=other):
            return other == (name, expression)
        case CheckAdd(name=name, expression=expression, replaces=other):
            return other == (name, expression)
    return False


def test_an_aspect_is_managed_reported_or_ignored_by_itself():
    for aspect, lines in CHANGES.items():
        others = sorted(line for other, lines in CHANGES.items() if other != aspect for line in lines)

        managed, reported = planned([aspect], model(), THERE)
        assert (sorted(managed), sorted(reported)) == (sorted(lines), others)
        managed, reported = planned({aspect: "report"}, model(), THERE)
        assert (sorted(managed), sorted(reported)) == (others, sorted(lines))
        managed, reported = planned({aspect: "ignore"}, model(), THERE)
        assert (sorted(managed), reported) == (others, [])


def test_the_mode_of_a_pattern_is_combined_with_the_mode_of_the_aspect():
    there = state(stored(), table_properties={"team": "others"})

    def combined(mode, aspect):
        declared = table(column(), table_properties={} if mode == "forbid" else {"team": "core"})
        return planned({"properties": aspect}, declared, there, PropertyPolicy((("team", mode),)))

    with cases(combined) as case:
        for mode, sign in (("manage", "~"), ("require", "~"), ("forbid", "-")):
            case(mode, "manage", [[f"{sign} properties.team"], []])
            case(mode, "report", [[], [f"{sign} properties.team"]])
        for aspect in ("manage", "report"):
            case("report", aspect, [[], ["~ properties.team"]])
        for mode, aspect in (
            ("manage", "ignore"),
            ("report", "ignore"),
            ("forbid", "ignore"),
            ("ignore", "manage"),
            ("ignore", "report"),
        ):
            case(mode, aspect, [[], []])


def test_a_new_table_is_shown_part_by_part(reviewed):
    lines = change_lines(TablePlanner().creation(desired_state(model())))

    assert "\n".join([*map(str, lines), ""]) == reviewed


def test_what_follows_from_a_part_that_is_not_managed_is_not_changed():
    tagged, turned = table(column(), column("b", tags={"pii": "no"})), state(stored("b"), stored("a"))
    assert planned({"columns": "report"}, tagged, state(stored())) == [[], ["+ columns.b"]]
    for owns, lines in ((["columns"], ["~ columns.b.order"]), ({"columns": "ignore"}, [])):
        assert planned(owns, table(column("a"), column("b"), column_order="report"), turned) == [[], lines]


def test_the_record_of_the_keys_that_a_model_has_set(reviewed):
    def lines(declared, there, owned, *modes):
        before = state(stored(), table_properties=there, owned_properties=owned)
        planner = TablePlanner(policy=PropertyPolicy(modes, keeps_record=True))
        actions = planner.plan([table(column(), table_properties=declared)], catalog(before)).actions
        return [line for action in actions for line in change_lines(action)]

    team, case = {"team": "a"}, ReviewedCases(lines)
    case("set by others", {}, team, None)
    case("as recorded", team, team, ("team",))
    case("not recorded yet", team, team, None)
    case("declared no more", {"tier": "1"}, {**team, "tier": "1"}, ("team",))
    case("stored in another case", {}, {"delta.appendOnly": "true"}, ("delta.appendonly",))
    case("gone", {}, {"other": "a"}, ("team",))
    case("only reported", {}, {**team, "b": "x"}, ("team", "b"), ("b", "report"))
    assert case.text == reviewed


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


def test_columns_types_and_comments_are_compared_and_nothing_else():
    with cases(lambda other: differences(OPEN_ORDERS, replace(VIEW, **other))) as case:
        first, note = VIEW.columns
        case({"columns": (first,)}, ["+ columns.note: (absent) -> string"])
        case({"columns": (first, note, stored("more"))}, ["- columns.more: bigint -> (not in the model)"])
        case({"columns": (stored(data_type="int", comment="Order"), note)}, ["~ columns.id: int -> bigint"])
        case({"columns": (stored(), note)}, ["~ columns.id.comment: '' -> 'Order'"])
        case({"table_comment": "x"}, ["~ comment: 'x' -> 'Open'"])
        case({"table_properties": {"a": "b"}}, [])
        case({"partitioning": ("id",)}, [])
    assert differences(replace(OPEN_ORDERS, owns={"comments": "ignore"}), replace(VIEW, table_comment="x")) == []
    assert differences(OPEN_ORDERS, replace(state(), exists=False))[0] == "+ table: (absent) -> created with 2 columns"


def test_a_contract_that_manages_its_table_refuses_a_view():
    with pytest.raises(CatalogReadError) as raised:
        TablePlanner().plan([replace(OPEN_ORDERS, read_only=False)], seen(VIEW))

    assert str(raised.value) == (
        "dev.silver.orders: is a materialized view, not a table; drop it, declare the table under another name, or declare"
        " it with read_only=True [DS504 ViewInPlaceOfTable]"
    )
    streaming = seen(replace(VIEW, kind="streaming table")).problem(NAME)
    assert streaming.remedy == "declare the table under another name, or declare it with read_only=True"
    assert seen(replace(VIEW, kind="external table")).problem(NAME).remedy == (
        f"convert it by CONVERT TO DELTA if it is parquet, {streaming.remedy}"
    )


def test_what_is_not_compared_cannot_be_declared():
    declared = {"primary_key": ["id"], "checks": [Check("a", "id > 0")]}

    assert refusal(lambda: replace(OPEN_ORDERS, **declared)) == (
        "dev.silver.orders: read_only=True compares columns, types and comments, and not primary_key, checks; leave out one"
        " of the two"
    )
