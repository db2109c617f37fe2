"""Consent to break a contract: what it may name, and what it covers."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Consent, QualifiedName
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.rules.consent import (
    ACTIONS,
    BREAK,
    ConsentError,
    NeededConsent,
    parse_consent,
    quoted_consent,
)

ORDERS = QualifiedName("dev", "silver", "orders")
WRITE = "write 'break catalog.schema.table' or 'break catalog.schema.table.column'"


def needed(*path: str, table: QualifiedName = ORDERS, action: str = BREAK) -> NeededConsent:
    return NeededConsent(action=action, table=table, path=ColumnPath(*path))


def pattern(path: str) -> Consent:
    return Consent("break", path, is_pattern=True)


def test_only_consents_to_break_are_for_contracts():
    texts = ["break dev.silver.orders", "drop-column dev.silver.orders.a", "rewrite dev.silver.orders"]

    assert [(parse_consent(text).action, parse_consent(text).is_for_contracts) for text in texts] == [
        ("break", True),
        ("drop-column", False),
        ("rewrite", False),
    ]
    assert list(ACTIONS) == ["drop-column", "rewrite", "break"]


@pytest.mark.parametrize(
    ("consent", "need", "covers"),
    [
        (parse_consent("break dev.silver.orders"), needed(), True),
        (parse_consent(" break\tDEV.Silver.ORDERS "), needed(), True),
        (parse_consent("break dev.silver.orders"), needed("note"), False),
        (parse_consent("break dev.silver.orders.note"), needed("note"), True),
        (parse_consent("break dev.silver.orders.NOTE"), needed("Note"), True),
        (parse_consent("break dev.silver.orders.note"), needed(), False),
        (parse_consent("break dev.silver.orders.note"), needed("note", "x"), False),
        (parse_consent("break dev.silver.orders.address.zip"), needed("address", "zip"), True),
        (parse_consent("break dev.silver.orders.lines.element.sku"), needed("lines", "element", "sku"), True),
        (parse_consent("break dev.silver.orders.`a.b`"), needed("a.b"), True),
        (parse_consent("break dev.silver.orders.`a.b`"), needed("a", "b"), False),
        (parse_consent("break dev.silver.`orders.note`"), needed("note"), False),
        (parse_consent("break dev.silver.orders.`*`"), needed("note"), False),
        (parse_consent("break dev.silver.orders.`*`"), needed("*"), True),
        (parse_consent("break dev.silver.orders.n\u043ete"), needed("note"), False),
        (parse_consent(r"break dev.silver.orders.`esc\u001b[2K`"), needed("esc\x1b[2K"), True),
        (parse_consent("break dev.silver.orders.note"), needed("note", action="drop-column"), False),
        (parse_consent("drop-column dev.silver.orders.note"), needed("note"), False),
        (parse_consent("rewrite dev.silver.orders"), needed(), False),
        (parse_consent("break prod.silver.orders"), needed(), False),
        (pattern("dev.silver.*"), needed(), True),
        (pattern("dev.silver.*"), needed("note"), False),
        (pattern("dev.silver.orders.**"), needed(), True),
        (pattern("dev.silver.orders.**"), needed("address", "zip"), True),
        (pattern("dev.silver.orders.*"), needed("address"), True),
        (pattern("dev.silver.orders.*"), needed("address", "zip"), False),
        (pattern("dev.silver.orders.*"), needed(), False),
        (pattern("dev.**"), needed("address", "zip"), True),
        (pattern("**.note"), needed("note"), True),
        (pattern("**.orders"), needed(), True),
        (pattern("dev.silver.order?.n*"), needed("note"), True),
        (pattern("dev.silver.orders.`n*`"), needed("note"), False),
    ],
)
def test_it_covers_the_table_or_the_column_that_it_names(consent, need, covers):
    assert consent.covers(need) is covers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("break", f"consent 'break' names no table or column: a part of its path is empty; {WRITE}"),
        ("break dev", f"consent 'break dev' names no table or column; {WRITE}"),
        ("break dev.silver", f"consent 'break dev.silver' names no table or column; {WRITE}"),
        (
            "break `dev.silver.orders`",
            f"consent 'break `dev.silver.orders`' names no table or column; {WRITE}",
        ),
        (
            "break dev.silver..note",
            f"consent 'break dev.silver..note' names no table or column: a part of its path is empty; {WRITE}",
        ),
        (
            "break dev.silver.orders.my note",
            (
                "consent 'break dev.silver.orders.my note' names no table or column: `my note` is more than a word and needs"
                f" back-quotes; {WRITE}"
            ),
        ),
        (
            "BREAK dev.silver.orders",
            (
                "consent 'BREAK dev.silver.orders' names no known action; write 'drop-column', 'rewrite' or 'break' and then"
                " a path"
            ),
        ),
        (
            "break dev.silver.*",
            (
                "consent 'break dev.silver.*' is a pattern, and * would match more than one name; put it into pyproject.toml,"
                " with a reason and a last day, or write `*` for that exact name"
            ),
        ),
    ],
)
def test_what_names_no_table_or_column_is_refused(text, message):
    with pytest.raises(ConsentError) as caught:
        parse_consent(text)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("**", "consent 'break **' has wildcards in every part and would permit everything that they match"),
        ("*.*.*", "consent 'break *.*.*' has wildcards in every part and would permit everything that they match"),
        ("dev.*", f"consent 'break dev.*' names no table or column; {WRITE}"),
        ("dev.s**.orders", "consent 'break dev.s**.orders' has ** inside of a part; it must be a whole part"),
    ],
)
def test_patterns_that_permit_everything_or_nothing_are_refused(path, message):
    with pytest.raises(ConsentError) as caught:
        pattern(path)

    assert str(caught.value).startswith(message)


def test_a_consent_to_copy():
    assert quoted_consent(BREAK, ("dev", "silver", "orders")) == '"break dev.silver.orders"'
    assert quoted_consent(BREAK, ("dev", "silver", "orders", "a.b")) == "'break dev.silver.orders.`a.b`'"
