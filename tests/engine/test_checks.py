"""Consents to break contracts that let nothing through: what is a fault, and what is a note."""

from __future__ import annotations

from datetime import date

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.engine.checks import audited_breaks
from pytest_delta_schema.rules import Consent
from pytest_delta_schema.rules.consent import NeededConsent, parse_consent
from pytest_delta_schema.rules.policy import part_word

ORDERS = QualifiedName("dev", "silver", "orders")
DOTTED = QualifiedName("dev", "silver", "orders.x")
PATHS = {
    ORDERS: frozenset({ColumnPath("id"), ColumnPath("Note"), ColumnPath("a"), ColumnPath("a", "b"), ColumnPath("a.b"),
                       ColumnPath("q.r"), ColumnPath("x"), ColumnPath(part_word("checks"), "Positive"),
                       ColumnPath(part_word("table"))}),
    DOTTED: frozenset({ColumnPath("y")}),
    QualifiedName("dev", "Gold", "SUMS"): frozenset({ColumnPath(part_word("layout"))}),
}  # fmt: skip


def no_consents(_name):
    return []


def entry(path: str) -> Consent:
    return Consent("break", path, is_pattern=True, reason="DATA-412", expires=date(2030, 12, 31))


UNUSED = "lets no change through; remove it"
NO_PART = "names no part of the contracts"
NAMED = [
    *("DEV.silver.ORDERS.note", "dev.silver.orders.a.`b`", "dev.silver.`orders.x`.y", "dev.gold.sums.layout"),
    *("dev.silver.orders.table", "dev.silver.orders.checks.positive"),
    "dev.silver.orders.properties.delta.appendOnly",
]
UNNAMED = {
    "dev.silver.orders.checks.positve": "; did you mean dev.silver.orders.checks.positive? If not, remove it",
    "dev.silver.ordrs": "; did you mean dev.silver.orders? If not, remove it",
    "dev.silver.ordrs.note": "; did you mean dev.silver.orders? If not, remove it",
    "dev.silver.orders.nota": "; did you mean dev.silver.orders.note? If not, remove it",
    "`\u202e`.\u4e00.\u4e8c.c": "; remove it",
    "dev.silver.orders.id.x": "; did you mean dev.silver.orders.id? If not, remove it",
    "dev.silver.orders.q.r": "; there is 'break dev.silver.orders.`q.r`'",
}


def test_a_consent_without_a_last_day_has_to_name_something():
    for path in NAMED:
        consent = parse_consent(f"break {path}")
        assert audited_breaks([consent], PATHS, no_consents) == ([], [f"consent '{consent}' {UNUSED}"])
    for path, remedy in UNNAMED.items():
        consent = parse_consent(f"break {path}")
        assert audited_breaks([consent], PATHS, no_consents) == ([f"consent '{consent}' {NO_PART}{remedy}"], [])


@pytest.mark.parametrize(
    ("consent", "needs", "remedy"),
    [
        (parse_consent("break dev.silver.orders"), [], "remove it, because no change of the table needs a consent"),
        (
            parse_consent("break dev.silver.ORDERS"),
            [("note",), (part_word("checks"), "Positive")],
            'write "break dev.silver.orders.note" or "break dev.silver.orders.checks.positive"',
        ),
        (parse_consent("break dev.gold.sums"), [(part_word("table"),)], 'write "break dev.gold.sums.table"'),
        (parse_consent("break dev.silver.orders.x"), [], "remove it, because no change of the table needs a consent"),
        (entry("dev.gold.*"), [(part_word("layout"),)], 'write "break dev.gold.sums.layout"'),
    ],
)
def test_a_consent_for_all_of_a_table_is_refused_with_those_that_its_change_needs(consent, needs, remedy):
    def needed(name):
        return [NeededConsent(action="break", table=name, path=ColumnPath(*path)) for path in needs]

    contracts = {name: parts for name, parts in PATHS.items() if name != ORDERS or "x" not in str(consent)}
    faults, notes = audited_breaks([consent], contracts, needed)

    assert faults == [
        f"consent '{consent}' names a table, and would permit that anything in it breaks, and that it is removed; {remedy}"
    ]
    assert notes == []


def test_an_ambiguous_consent_is_a_fault():
    consents = [parse_consent("break dev.silver.orders.a.b"), entry("dev.silver.orders.x.y")]
    paths = PATHS | {ORDERS: PATHS[ORDERS] | {ColumnPath("x", "y")}}

    assert audited_breaks(consents, paths, no_consents) == (
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
    ]

    assert audited_breaks(consents, PATHS, no_consents) == (
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

    assert audited_breaks(consents, PATHS, no_consents) == (
        [],
        [
            (
                "consent 'break dev.silver.orders.note2' (DATA-412) names no part of the contracts; did you"
                " mean dev.silver.orders.note? If not, remove it, or leave it until its last day, 2030-12-31"
            ),
            (
                "consent 'break prod.**' (DATA-412) names no part of the contracts; remove it, or leave it"
                " until its last day, 2030-12-31"
            ),
            (
                "consent 'break dev.silver.orders.zzzzz' (DATA-412) names no part of the contracts; remove"
                " it, or leave it until its last day, 2030-12-31"
            ),
        ],
    )


def test_other_consents_are_not_judged():
    assert audited_breaks([parse_consent("rewrite prod.silver.none")], PATHS, no_consents) == ([], [])
