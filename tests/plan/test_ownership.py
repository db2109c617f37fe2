"""Modes of aspects and of property patterns: which differences are changed, which reported, which ignored."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import Check, ForeignKey, QualifiedName, Unique
from pytest_delta_schema.models.ownership import ASPECTS
from pytest_delta_schema.plan import CheckAdd, CheckDrop, PropertyPolicy, TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.state import CheckState, ForeignKeyState, KeyState
from pytest_delta_schema.state.desired import desired_state
from support.tables import catalog, column, state, stored, table


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


def test_the_cases_cover_all_aspects():
    assert tuple(CHANGES) == ASPECTS


@pytest.mark.parametrize("aspect", ASPECTS)
def test_an_aspect_is_managed_reported_or_ignored_by_itself(aspect):
    others = sorted(line for other, lines in CHANGES.items() if other != aspect for line in lines)

    managed, reported = planned([aspect], model(), THERE)
    assert sorted(managed) == sorted(CHANGES[aspect])
    assert sorted(reported) == others

    managed, reported = planned({aspect: "report"}, model(), THERE)
    assert sorted(reported) == sorted(CHANGES[aspect])
    assert sorted(managed) == others

    managed, reported = planned({aspect: "ignore"}, model(), THERE)
    assert reported == []
    assert sorted(managed) == others


@pytest.mark.parametrize(
    ("mode", "aspect", "managed", "reported"),
    [
        ("manage", "manage", ["~ properties.team"], []),
        ("manage", "report", [], ["~ properties.team"]),
        ("manage", "ignore", [], []),
        ("report", "manage", [], ["~ properties.team"]),
        ("report", "report", [], ["~ properties.team"]),
        ("report", "ignore", [], []),
        ("ignore", "manage", [], []),
        ("ignore", "report", [], []),
        ("require", "manage", ["~ properties.team"], []),
        ("require", "report", [], ["~ properties.team"]),
        ("forbid", "manage", ["- properties.team"], []),
        ("forbid", "report", [], ["- properties.team"]),
        ("forbid", "ignore", [], []),
    ],
)
def test_the_mode_of_a_pattern_is_combined_with_the_mode_of_the_aspect(mode, aspect, managed, reported):
    declared = table(column(), table_properties={} if mode == "forbid" else {"team": "core"})
    there = state(stored(), table_properties={"team": "others"})

    assert planned({"properties": aspect}, declared, there, PropertyPolicy((("team", mode),))) == [managed, reported]


def test_a_reported_key_is_set_at_creation_and_not_recorded():
    policy = PropertyPolicy((("te*", "report"),), keeps_record=True)
    creation = TablePlanner(policy=policy).creation(desired_state(table(column(), table_properties={"team": "core"})))

    assert dict(creation.table_properties) == {"team": "core"}
