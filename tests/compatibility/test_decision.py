"""What a finding means for a project: its policy, its consents, and the deprecations of the released contract."""

from __future__ import annotations

from datetime import date

import pytest

from pytest_delta_schema import Column, Deprecated
from pytest_delta_schema.compatibility import judge_change
from pytest_delta_schema.compatibility.judging import decided
from pytest_delta_schema.rules.consent import Consent
from pytest_delta_schema.rules.policy import CompatibilityPolicy
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import LONG, TEXT, field, struct
from support.tables import table

TODAY = date(2026, 6, 30)
ID, NOTE = Column("id", LONG), Column("note", TEXT)
DROPPED = "break dev.silver.orders.note"
READERS = CompatibilityPolicy(roles=("readers",))


def note(since, **options):
    return Column("note", TEXT, deprecated=Deprecated(since, **options))


def results(old, new, policy=READERS, *consents):
    """Return what each finding means, and why."""
    released = None if old is None else desired_state(old)
    findings = judge_change(old, new, roles=policy.roles)
    decisions = decided(findings, policy, consents=consents, released=released, today=TODAY)
    return [(decision.finding.rule, decision.result, decision.reason) for decision in decisions]


@pytest.mark.parametrize(
    ("released", "min_notice", "result", "reason"),
    [
        (NOTE, 0, "fails", ""),
        (note(date(2026, 6, 30)), 0, "allowed", "by its deprecation of 2026-06-30"),
        (note(date(2026, 6, 29)), 2, "fails", "it is deprecated since 2026-06-29, which is 1 of 2 days of notice"),
        (note(date(2026, 6, 28)), 2, "allowed", "by its deprecation of 2026-06-28"),
        (note(date(2026, 1, 31), sunset=date(2026, 6, 30)), 0, "allowed", "by its deprecation of 2026-01-31"),
        (
            note(date(2026, 1, 31), sunset=date(2026, 7, 1)),
            0,
            "fails",
            "its sunset is 2026-07-01, and today is 2026-06-30 (UTC)",
        ),
        (
            note(date(2026, 6, 29), sunset=date(2026, 7, 1)),
            90,
            "fails",
            (
                "its sunset is 2026-07-01, and today is 2026-06-30 (UTC); it is deprecated since 2026-06-29, which is 1 of"
                " 90 days of notice"
            ),
        ),
    ],
)
def test_a_drop_is_allowed_by_the_deprecation_of_the_released_contract(released, min_notice, result, reason):
    policy = CompatibilityPolicy(roles=("readers",), min_notice=min_notice)

    assert results(table(ID, released), table(ID), policy) == [("ColumnRemoved", result, reason)]


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (
            table(
                ID, Column("s", struct(field("a", LONG), field("b", LONG)), deprecated=Deprecated(date(2026, 1, 31)))
            ),
            table(ID, Column("s", struct(field("a", LONG)), deprecated=Deprecated(date(2026, 1, 31)))),
            "ColumnRemoved",
        ),
        (table(ID, NOTE, deprecated=Deprecated(date(2026, 1, 31))), table(ID), "ColumnRemoved"),
        (table(ID, deprecated=Deprecated(date(2026, 1, 31))), None, "TableRemoved"),
    ],
    ids=["a field of it", "a column of the table", "the table"],
)
def test_a_deprecation_holds_for_what_is_below_it(old, new, rule):
    assert results(old, new) == [(rule, "allowed", "by its deprecation of 2026-01-31")]


def test_a_deprecation_allows_no_other_change():
    old, new = table(note(date(2026, 1, 31))), table(Column("note", LONG, deprecated=Deprecated(date(2026, 1, 31))))

    assert results(old, new) == [("TypeChanged", "fails", "")]


@pytest.mark.parametrize(
    ("consent", "result", "reason"),
    [
        (Consent("break", "dev.silver.orders.note"), "allowed", f"by the consent '{DROPPED}'"),
        (
            Consent("break", "Dev.Silver.Orders.Note", reason="unread", expires=date(2026, 6, 30)),
            "allowed",
            f"by the consent '{DROPPED}' until 2026-06-30 (unread)",
        ),
        (
            Consent("break", "dev.silver.**", is_pattern=True),
            "allowed",
            "by the consent 'break dev.silver.**'",
        ),
        (Consent("break", "dev.silver.orders"), "fails", ""),
        (Consent("drop-column", "dev.silver.orders.note"), "fails", ""),
    ],
)
def test_a_consent_to_break_lets_one_change_through(consent, result, reason):
    assert results(table(ID, NOTE), table(ID), READERS, consent) == [("ColumnRemoved", result, reason)]


@pytest.mark.parametrize(
    ("roles", "fail_on", "result"),
    [
        (("readers",), "breaking", "tolerated"),
        (("readers",), "dangerous", "fails"),
        (("readers",), "never", "tolerated"),
    ],
)
def test_the_policy_says_which_verdict_fails(roles, fail_on, result):
    policy = CompatibilityPolicy(roles=roles, fail_on=fail_on)
    old, new = table(Column("id", LONG, is_nullable=False)), table(ID)

    assert results(old, new, policy) == [("NullAllowed", result, "")]


def test_a_role_that_the_policy_leaves_out_fails_nothing():
    findings = judge_change(table(ID, NOTE), table(ID), roles=("readers",))
    policy = CompatibilityPolicy(roles=("change-feed",))
    decisions = decided(findings, policy, consents=(), released=None, today=TODAY)

    assert [decision.result for decision in decisions] == ["other role"]


def test_what_is_not_judged_is_neither_a_failure_nor_tolerated():
    old, new = table(ID, NOTE), table(ID, NOTE, owns={"types": "ignore"})
    findings = judge_change(old, new, roles=("readers",), unknown=("ownership",))
    policy = CompatibilityPolicy(roles=("readers",), fail_on="never")
    decisions = decided(findings, policy, consents=(), released=desired_state(old), today=TODAY)

    assert [(decision.finding.rule, decision.result) for decision in decisions] == [("AspectNotOwned", "not judged")]


def test_what_is_dropped_without_a_deprecation_is_known():
    findings = judge_change(table(ID, NOTE), table(ID), roles=("readers",))
    (decision,) = decided(findings, READERS, consents=(), released=None, today=TODAY)

    assert decision.needs_deprecation


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"sunset": date(2029, 1, 1)}, {"sunset": date(2029, 1, 1)}),
        ({"sunset": date(2029, 1, 1)}, {"sunset": date(2030, 1, 1)}),
        ({}, {"sunset": date(2029, 1, 1)}),
    ],
    ids=["the same", "later", "new"],
)
def test_a_sunset_that_moves_no_nearer_is_no_change(before, after):
    old, new = (table(note(date(2026, 1, 31), **options)) for options in (before, after))

    assert judge_change(old, new) == ()


def test_a_deprecation_that_is_withdrawn_is_no_change():
    assert judge_change(table(note(date(2026, 1, 31), sunset=date(2029, 1, 1))), table(NOTE)) == ()
