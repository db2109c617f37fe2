"""Consents to break contracts that let nothing through: what is a fault, and what is a note."""

from __future__ import annotations

from datetime import date

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.engine.checks import audited_breaks
from pytest_delta_schema.rules import Consent
from pytest_delta_schema.rules.consent import NeededConsent, parse_consent
from pytest_delta_schema.rules.policy import part_word
from support.snapshots import TextSnapshot

ORDERS = QualifiedName("dev", "silver", "orders")
DOTTED = QualifiedName("dev", "silver", "orders.x")
PATHS = {
    ORDERS: frozenset({ColumnPath("id"), ColumnPath("Note"), ColumnPath("a"), ColumnPath("a", "b"), ColumnPath("a.b"),
                       ColumnPath("q.r"), ColumnPath("x"), ColumnPath(part_word("checks"), "Positive"),
                       ColumnPath(part_word("table"))}),
    DOTTED: frozenset({ColumnPath("y")}),
    QualifiedName("dev", "Gold", "SUMS"): frozenset({ColumnPath(part_word("layout"))}),
}  # fmt: skip


def entry(path: str) -> Consent:
    return Consent("break", path, is_pattern=True, reason="DATA-412", expires=date(2030, 12, 31))


NAMED = [
    *("DEV.silver.ORDERS.note", "dev.silver.orders.a.`b`", "dev.silver.`orders.x`.y", "dev.gold.sums.layout"),
    *("dev.silver.orders.table", "dev.silver.orders.checks.positive"),
    "dev.silver.orders.properties.delta.appendOnly",
]
UNNAMED = [
    *("dev.silver.orders.checks.positve", "dev.silver.ordrs", "dev.silver.ordrs.note", "dev.silver.orders.nota"),
    *("`\u202e`.\u4e00.\u4e8c.c", "dev.silver.orders.id.x", "dev.silver.orders.q.r"),
]
CHANGES = [
    ("dev.silver.orders", []),
    ("dev.silver.ORDERS", [("note",), (part_word("checks"), "Positive")]),
    ("dev.gold.sums", [(part_word("table"),)]),
    ("dev.silver.orders.x", []),
    ("dev.gold.*", [(part_word("layout"),)]),
]
"""Paths that name whole tables, and what the change of the table needs."""


def audits():
    """Yield the consents of a run, its contracts, and what its changes need."""
    for path in NAMED + UNNAMED:
        yield [parse_consent(f"break {path}")], PATHS, []
    for path, needs in CHANGES:
        contracts = {name: parts for name, parts in PATHS.items() if name != ORDERS or not path.endswith(".x")}
        yield [entry(path) if "*" in path else parse_consent(f"break {path}")], contracts, needs
    ambiguous = PATHS | {ORDERS: PATHS[ORDERS] | {ColumnPath("x", "y")}}
    yield [parse_consent("break dev.silver.orders.a.b"), entry("dev.silver.orders.x.y")], ambiguous, []
    yield [parse_consent("break dev.silver.orders.note"), entry("dev.silver.orders.note")], PATHS, []
    yield [entry("dev.silver.orders.note2"), entry("prod.**"), entry("dev.silver.orders.zzzzz")], PATHS, []
    yield [parse_consent("rewrite prod.silver.none")], PATHS, []


def test_consents_that_let_nothing_through(snapshot):
    lines = []
    for consents, contracts, needs in audits():

        def needed(name, needs=needs):
            return [NeededConsent(action="break", table=name, path=ColumnPath(*path)) for path in needs]

        faults, notes = audited_breaks(consents, contracts, needed)
        lines.append(f"==== {', '.join(map(str, consents))}")
        lines += [*(f"fault: {fault}" for fault in faults), *(f"note: {note}" for note in notes)]

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)
