"""Consents to break contracts that let nothing through: what is a fault, and what is a note."""

from __future__ import annotations

from datetime import date

import pytest

from pytest_delta_schema import Consent, QualifiedName
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.engine.checks import audited_breaks
from pytest_delta_schema.rules.consent import parse_consent

ORDERS = QualifiedName("dev", "silver", "orders")
DOTTED = QualifiedName("dev", "silver", "orders.x")
PATHS = {
    ORDERS: frozenset({ColumnPath("id"), ColumnPath("Note"), ColumnPath("a"), ColumnPath("a", "b"), ColumnPath("a.b"),
                       ColumnPath("q.r"), ColumnPath("x")}),
    DOTTED: frozenset({ColumnPath("y")}),
    QualifiedName("dev", "Gold", "SUMS"): frozenset(),
}  # fmt: skip


def entry(path: str) -> Consent:
    return Consent("break", path, is_pattern=True, reason="DATA-412", expires=date(2030, 12, 31))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("break dev.silver.orders", None),
        ("break DEV.silver.ORDERS.note", None),
        ("break dev.silver.orders.a.`b`", None),
        ("break dev.silver.`orders.x`.y", None),
        ("break dev.gold.sums", None),
        (
            "break dev.silver.ordrs",
            "names no table or column of the contracts; did you mean dev.silver.orders? If not, remove it",
        ),
        (
            "break dev.silver.ordrs.note",
            "names no table or column of the contracts; did you mean dev.silver.orders? If not, remove it",
        ),
        (
            "break dev.silver.orders.nota",
            "names no table or column of the contracts; did you mean dev.silver.orders.note? If not, remove it",
        ),
        ("break `\u202e`.\u4e00.\u4e8c.c", "names no table or column of the contracts; remove it"),
        ("break dev.silver.orders.id.x", "names no table or column of the contracts; did you mean dev.silver.orders.id? If not, remove it"),
        (
            "break dev.silver.orders.q.r",
            "names no table or column of the contracts; there is 'break dev.silver.orders.`q.r`'",
        ),
    ],
)  # fmt: skip
def test_a_consent_without_a_last_day_has_to_name_something(text, fault):
    consent = parse_consent(text)

    faults, notes = audited_breaks([consent], PATHS, {consent} if fault is None else set())

    assert faults == ([] if fault is None else [f"consent '{consent}' {fault}"])
    assert notes == []


def test_an_ambiguous_consent_is_a_fault_also_if_it_was_used():
    consents = [parse_consent("break dev.silver.orders.a.b"), entry("dev.silver.orders.x.y")]
    paths = PATHS | {ORDERS: PATHS[ORDERS] | {ColumnPath("x", "y")}}

    assert audited_breaks(consents, paths, set(consents)) == (
        [
            (
                "consent 'break dev.silver.orders.a.b' is ambiguous and permits nothing: write"
                " 'break dev.silver.orders.`a`.`b`' or 'break dev.silver.orders.`a.b`'"
            ),
            (
                "consent 'break dev.silver.orders.x.y' is ambiguous and permits nothing: write"
                " 'break dev.silver.orders.`x`.`y`' or 'break dev.silver.`orders.x`.y'"
            ),
        ],
        [],
    )


def test_an_unused_consent_is_a_note():
    consents = [
        parse_consent("break dev.silver.orders.note"),
        entry("dev.silver.orders.note"),
        entry("dev.silver.*.n*"),
    ]

    assert audited_breaks(consents, PATHS, consents[2:]) == (
        [],
        [
            "consent 'break dev.silver.orders.note' lets no change through; remove it",
            (
                "consent 'break dev.silver.orders.note' (DATA-412) lets no change through; remove it, or leave it until"
                " its last day, 2030-12-31"
            ),
        ],
    )


def test_an_entry_of_a_file_may_name_what_a_release_has_dropped():
    consents = [entry("dev.silver.orders.note2"), entry("prod.**"), entry("dev.silver.orders.zzzzz")]

    assert audited_breaks(consents, PATHS, set()) == (
        [],
        [
            (
                "consent 'break dev.silver.orders.note2' (DATA-412) names no table or column of the contracts; did you"
                " mean dev.silver.orders.note? If not, remove it, or leave it until its last day, 2030-12-31"
            ),
            (
                "consent 'break prod.**' (DATA-412) names no table or column of the contracts; remove it, or leave it"
                " until its last day, 2030-12-31"
            ),
            (
                "consent 'break dev.silver.orders.zzzzz' (DATA-412) names no table or column of the contracts; remove"
                " it, or leave it until its last day, 2030-12-31"
            ),
        ],
    )


def test_other_consents_are_not_judged():
    assert audited_breaks([parse_consent("rewrite prod.silver.none")], PATHS, set()) == ([], [])
