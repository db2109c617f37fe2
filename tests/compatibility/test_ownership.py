"""What is none of the contract's, what is not known, and what is no change."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Check, Column, PrimaryKey, Unique
from pytest_delta_schema.compatibility import judge_change
from pytest_delta_schema.settings.table import ROLES
from pytest_delta_schema.testing.scenario import INT, LONG
from support.compatibility.judging import rules, shown
from support.tables import table

ID, V = Column("id", LONG), Column("v", INT)
POSITIVE = [Check("positive", "id > 0")]


@pytest.mark.parametrize("modes", [{"checks": "ignore"}, {"checks": "report"}])
def test_what_neither_contract_owns_is_not_judged(modes):
    assert judge_change(table(ID, owns=modes), table(ID, owns=modes, checks=POSITIVE), roles=ROLES) == ()


def test_what_leaves_the_contract_is_only_no_longer_promised():
    old, new = table(ID, V), table(ID, owns={"columns": "ignore"})

    assert rules(old, new) == ["AspectNotOwned"]
    assert shown(table(ID), table(ID, read_only=True), "readers")[0].startswith(
        "dev.silver.orders: dangerous: owns: columns, types, defaults, primary_keys, unique, foreign_keys, checks,"
        " comments, properties, layout, tags: manage -> read only: readers have no promise any more; check readers"
    )


def test_what_the_contract_begins_to_own_is_not_judged_if_it_matters():
    old, new = table(ID, owns={"checks": "ignore"}), table(ID, checks=POSITIVE)

    verdicts = {finding.role: finding.verdict for finding in judge_change(old, new)}

    assert verdicts == {
        "readers": "safe",
        "streams": "safe",
        "writers": "not judged",
        "writers-by-merge": "not judged",
        "clients": "not judged",
    }
    assert shown(old, new, "writers") == [
        (
            "dev.silver.orders: not judged: checks.positive: (absent) -> id > 0: writers are not judged, because the released"
            " contract does not manage checks [DC120 CheckAdded]"
        )
    ]


def test_what_the_released_state_does_not_hold_is_not_judged_if_it_matters():
    def verdicts(new, *unknown):
        return {finding.verdict for finding in judge_change(table(ID), new, roles=ROLES, unknown=unknown)}

    assert verdicts(table(ID, tags={"a": "b"}), "tags") == {"safe"}
    assert verdicts(table(ID, checks=POSITIVE), "checks") == {"safe", "not judged"}
    assert verdicts(table(ID, evolution="additive"), "evolution") == {"safe", "not judged"}
    assert verdicts(table(ID, owns={"tags": "ignore"}), "ownership") == {"safe", "not judged"}
    assert verdicts(table(ID, owns={"tags": "ignore"}), "evolution") == {"safe", "dangerous"}
    owned = table(ID, owns={"checks": "ignore"})
    assert "not judged" not in {
        finding.verdict
        for finding in judge_change(owned, table(ID, checks=POSITIVE), roles=["writers"], unknown=["ownership"])
    }


def test_what_an_additive_contract_drops_is_seen():
    assert rules(table(ID, V, evolution="additive"), table(ID, evolution="additive")) == ["ColumnRemoved"]


def test_equal_keys_and_checks_in_another_form_are_no_change():
    key = {"primary_key": PrimaryKey(["id"], name="a"), "unique": [Unique(["v"], name="u")]}
    other = {"primary_key": PrimaryKey(["id"], name="b"), "unique": [Unique(["v"], name="w")]}
    assert judge_change(table(ID, V, **key), table(ID, V, **other), roles=ROLES) == ()
    relied = {"primary_key": PrimaryKey(["id"], name="a", rely=True)}
    assert judge_change(table(ID, V, **relied), table(ID, V, primary_key=key["primary_key"]), roles=ROLES) == ()
    renamed = table(Column("nr", LONG, renamed_from="id"), checks=[Check("positive", "nr > 0")], primary_key=["nr"])
    assert rules(table(ID, checks=POSITIVE, primary_key=["id"]), renamed) == ["ColumnRenamed"]
    assert rules(table(ID, checks=POSITIVE), table(ID, checks=[Check("positive", "id > 1")])) == [
        "CheckDropped",
        "CheckAdded",
    ]


def test_absent_properties_and_tags_are_no_change():
    model = table(ID, table_properties={"a": None, "b": "1"}, tags={"t": None, "u": "1"})

    assert judge_change(model, model, roles=ROLES) == ()


def test_a_retention_that_cannot_be_read_is_not_taken_for_as_long():
    key = "delta.logRetentionDuration"
    assert rules(table(ID, table_properties={key: "for ever"}), table(ID)) == ["RetentionShortened"]
    assert rules(table(ID, table_properties={key: "interval 1 day"}), table(ID)) == []


def test_a_property_that_the_contract_wants_absent_is_removed():
    feed = "delta.enableChangeDataFeed"
    old, new = table(ID, table_properties={feed: "true"}), table(ID, table_properties={feed: None})

    assert rules(old, new) == ["ChangeFeedDisabled"]
    assert len(shown(old, new, "change-feed")) == 1


def test_overwrites_of_partitions_that_replace_the_same_rows_are_safe():
    old = table(ID, V, partitioned_by=["v"])

    assert shown(old, table(ID, V, Column("w", INT), partitioned_by=["v"]), "writers") == []


def test_a_released_default_has_its_table_feature():
    old = table(ID, Column("v", INT, default=1))

    assert rules(old, table(ID, Column("v", INT, default=2))) == ["DefaultChanged"]
    assert shown(old, table(ID, Column("v", INT, default=2)), "streams", "clients") == []
    assert rules(old, table(ID, V)) == ["DefaultChanged"]


def test_writes_that_fail_for_what_the_contract_does_not_own_are_not_its_changes():
    owns = {"types": "ignore"}
    old, new = table(ID, V, owns=owns), table(ID, Column("v", "boolean"), Column("w", INT), owns=owns)

    assert shown(old, new, "writers") == []
    assert len(shown(table(ID, V), table(ID, Column("v", "boolean"), Column("w", INT)), "writers")) == 1
