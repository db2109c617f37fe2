"""Consents, of plans and of broken contracts, agree to what they name, or to nothing."""

from __future__ import annotations

import shlex
import sys
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema import Check, ForeignKey, QualifiedName, Table, Unique
from pytest_delta_schema.delta.names import ColumnPath, path_text
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import Consent
from pytest_delta_schema.rules.columns import DropWithoutConsent
from pytest_delta_schema.rules.consent import (
    ACTIONS,
    BREAK,
    ConsentError,
    NeededConsent,
    breakable_parts,
    consent_entry,
    needed_consents,
    parse_consent,
    quoted_consent,
)
from pytest_delta_schema.rules.policy import could_name, matches, parse_path, part_word, unambiguous
from pytest_delta_schema.state import CatalogState
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import cases, named_cases, refusal
from support.consent_cases import CONSENT_CASES, MODELS, ORDERS, STORED, ConsentCase
from support.models import NAME, columns_of
from support.snapshots import ReviewedCases

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib
PLAN = TablePlanner().plan(MODELS, CatalogState(tables=STORED))
NEEDED = {need.names for action in PLAN.actions for need in needed_consents(action)}


def read(consent_case: ConsentCase) -> Consent:
    if not consent_case.is_entry:
        return parse_consent(consent_case.text)
    action, _, path = consent_case.text.partition(" ")
    return Consent(action, path, is_pattern=True)


def refused(consents):
    """The paths that the rule refuses to drop, by what it prints for pasting."""
    rule = DropWithoutConsent(consents)
    return {action.table: list(rule.check(action)) for action in PLAN.actions}


def test_a_consent_agrees_to_what_it_names_and_to_nothing_else():
    with named_cases(agreed) as case:
        for each in CONSENT_CASES:
            if not each.refusal:
                case(each.title, each, {tuple(name.lower() for name in path) for path in each.agrees})


def agreed(consent_case):
    """Return the columns whose drop is not refused any more; a violation has the consent to its path at its end."""
    left = set()
    for table, violations in refused([read(consent_case)]).items():
        for violation in violations:
            names = parse_consent(violation.remedy.partition("--delta-allow ")[2][1:-1]).names
            assert names[:3] == table
            left.add(names)
    return NEEDED - left


def test_what_cannot_be_understood_is_refused():
    for each in CONSENT_CASES:
        text = refusal(read, each, error=ConsentError)
        assert each.refusal in text, each.title
        assert text.isprintable(), each.title
        assert bool(text) == bool(each.refusal), each.title


def test_every_drop_can_be_agreed_to_by_pasting_its_remedy():
    first = [violation for violations in refused(()).values() for violation in violations]
    pastes = [violation.remedy.partition("--delta-allow ")[2] for violation in first]

    assert len(first) == len(NEEDED)
    assert all(text.isprintable() for text in pastes)
    assert [shlex.split(text) for text in pastes] == [[text[1:-1]] for text in pastes]
    assert [tomllib.loads(f"path = {text}")["path"] for text in pastes] == [text[1:-1] for text in pastes]
    assert not any(refused([parse_consent(text[1:-1]) for text in pastes]).values())


def test_an_ambiguous_consent_lists_its_interpretations():
    refusals = refused([parse_consent("drop-column dev.silver.orders.a.b")])[ORDERS]

    assert [
        str(violation)
        for violation in refusals
        if violation.path in ("columns.a.b", "columns.`a.b`") and "ambiguous" in violation.message
    ] == [
        (
            "dev.silver.orders: column a.b is on the table but not in the model, and dropping it loses its data; consent"
            " 'drop-column dev.silver.orders.a.b' is ambiguous and permits nothing: write"
            " 'drop-column dev.silver.orders.`a`.`b`' or 'drop-column dev.silver.orders.`a.b`'; declare it, or consent"
            f" with --delta-allow 'drop-column dev.silver.orders.{way}' [DS206 DropWithoutConsent]"
        )
        for way in ("`a`.`b`", "`a.b`")
    ]


def test_a_clear_consent_holds_beside_an_ambiguous_one():
    texts = ["drop-column dev.silver.orders.a.b", "drop-column dev.silver.orders.`a.b`"]

    refusals = refused(map(parse_consent, texts))[ORDERS]

    assert [violation.remedy for violation in refusals if violation.path == "columns.a.b"] == [
        "declare it, or consent with --delta-allow 'drop-column dev.silver.orders.`a`.`b`'"
    ]


NAMES = st.lists(st.text(min_size=1, max_size=6), min_size=4, max_size=6).map(tuple)


@given(NAMES)
def test_every_path_is_written_so_that_it_is_read_again(names):
    text = path_text(names)

    assert tuple(part.name for part in parse_path(text)) == tuple(name.lower() for name in names)
    assert text.isprintable()
    assert "'" not in text


WORDS = st.lists(st.sampled_from(["a", "b", "a.b", "b.a", "a.b.a"]), min_size=4, max_size=6).map(tuple)


@given(WORDS, st.lists(WORDS, max_size=4))
def test_what_is_pasted_means_one_thing_only(names, others):
    rivals = [other for other in others if other != names]
    text = unambiguous(names, rivals, table_parts=3)

    assert tuple(part.name for part in parse_path(text)) == names
    assert not any(could_name(parse_path(text), rival) for rival in rivals)


def test_a_star_is_one_part_and_two_are_any_number():
    with cases(lambda pattern, path: matches(parse_path(pattern), path.split("."))) as case:
        case("a.*.c", "a.b.c", True)
        case("a.*.c", "a.b.b.c", False)
        case("a.**.c", "a.b.b.c", True)
        case("a.**.c", "a.c", True)
        case("a.**", "a", True)
        case("**.c", "a.b.c", True)
        case("**.a.**.c", "a.a.b.a.c", True)
        case("**.b.**.b", "a.b.c", False)
        case("a.b", "a.b.c", False)
        case("a.b.c", "a.b", False)
        case("a.`*`", "a.b", False)
        case("a.`*`", "a.*", True)
        case("a.[bc]?", "a.cx", True)


def test_patterns_are_matched_in_no_time():
    for text in ("**." * 40 + "x", "**.a." * 20 + "x"):
        assert not matches(parse_path(text), ["a"] * 60)


def test_pasted_texts_are_safe_in_a_shell():
    plain = NeededConsent(
        action="drop-column", table=QualifiedName("dev", "silver", "orders"), path=ColumnPath("Legacy")
    )
    odd = NeededConsent(
        action="drop-column", table=QualifiedName("dev", "silver", "orders"), path=ColumnPath("$(x) it's\n")
    )

    assert quoted_consent(plain.action, plain.names) == '"drop-column dev.silver.orders.legacy"'
    assert quoted_consent(odd.action, odd.names) == r"'drop-column dev.silver.orders.`$(x) it\u0027s\u000a`'"
    assert str(odd) == r"drop-column dev.silver.orders.`$(x) it\u0027s\u000a`"


def test_only_as_much_is_quoted_as_it_takes():
    with cases(lambda *rivals: unambiguous(("a", "b", "a", "b", "c"), rivals, table_parts=3)) as case:
        case("a.b.a.b.c")
        case(("a", "b", "a", "b.c"), "a.b.a.`b`.`c`")
        case(("a.b", "a", "b", "c"), "`a`.`b`.`a`.`b`.`c`")


BREAK_CONSENTS_ORDERS = QualifiedName("dev", "silver", "orders")


def needed(*path: str, table: QualifiedName = BREAK_CONSENTS_ORDERS, action: str = BREAK) -> NeededConsent:
    """Return a consent for a column, or for a word in angle brackets and the names behind it."""
    names = [part_word(name[1:-1]) if name.startswith("<") else name for name in path]
    return NeededConsent(action=action, table=table, path=ColumnPath(*names))


def pattern(path: str) -> Consent:
    return Consent("break", path, is_pattern=True)


def test_a_consent_is_read_without_regard_to_case():
    consent = parse_consent("  drop-column   Dev.Silver.Orders.Legacy ")

    assert consent == Consent("drop-column", "dev.silver.orders.legacy")
    assert str(consent) == "drop-column dev.silver.orders.legacy"


def test_only_consents_to_break_are_for_contracts():
    texts = ["break dev.silver.orders", "drop-column dev.silver.orders.a", "rewrite dev.silver.orders"]

    assert [(parse_consent(text).action, parse_consent(text).is_for_contracts) for text in texts] == [
        ("break", True),
        ("drop-column", False),
        ("rewrite", False),
    ]
    assert list(ACTIONS) == ["drop-column", "rewrite", "break"]


EXACT = {
    "dev.silver.orders": ([], ["note", "<table>"]),
    "dev.silver.orders.table": (["<table>"], ["table"]),
    "dev.silver.orders.`table`": (["table"], ["<table>"]),
    "dev.silver.orders.table.x": ([], ["table/x"]),
    "dev.silver.orders.s.table": (["s/table"], []),
    "dev.silver.orders.Layout": (["<layout>"], ["<primary_key>"]),
    "dev.silver.orders.checks.Positive": (["<checks>/positive"], ["<checks>/negative"]),
    "dev.silver.orders.checks.`a.b`": (["<checks>/a.b"], []),
    "dev.silver.orders.properties.a.B": (["<properties>/a/b"], []),
    "dev.silver.table.layout": ([], ["<layout>"]),
    "DEV.Silver.ORDERS.NOTE": (["note", "Note"], ["<layout>", "note/x"]),
    "dev.silver.orders.address.zip": (["address/zip"], []),
    "dev.silver.orders.`a.b`": (["a.b"], ["a/b"]),
    "dev.silver.`orders.note`": ([], ["note"]),
    "dev.silver.orders.`*`": (["*"], ["note"]),
    "dev.silver.orders.n\u043ete": ([], ["note"]),
    r"dev.silver.orders.`esc\u001b[2K`": (["esc\x1b[2K"], []),
    "prod.silver.orders.layout": ([], ["<layout>"]),
}
PATTERNS = {
    "dev.silver.*": ([], ["<table>", "note"]),
    "dev.silver.orders.**": (["address/zip"], ["<layout>", "<checks>/positive"]),
    "dev.silver.orders.*": (["address"], ["address/zip", "<table>"]),
    "dev.silver.*.*": ([], ["<table>"]),
    "dev.silver.*.*.*": ([], ["<checks>/positive"]),
    "dev.silver.*.checks.*": (["<checks>/positive"], []),
    "dev.silver.*.checks.**": (["<checks>/positive"], []),
    "dev.**.checks.pos*": (["<checks>/positive"], []),
    "dev.**.checks": ([], ["checks"]),
    "dev.**.`checks`": (["checks"], []),
    "**.orders.layout": (["<layout>"], []),
    "dev.*.orders.table": (["<table>"], []),
    "dev.silver.orders.properties.**": (["<properties>/a/b"], []),
    "dev.**": (["address/zip"], []),
    "**.note": (["note"], []),
    "**.orders": ([], ["<table>"]),
    "dev.silver.order?.n*": (["note"], []),
    "dev.silver.orders.`n*`": ([], ["note"]),
}


def test_it_covers_the_part_that_it_names():
    consents = {parse_consent(f" break\t{path} "): parts for path, parts in EXACT.items()}
    for consent, (covered, others) in {
        **consents,
        **{pattern(path): parts for path, parts in PATTERNS.items()},
    }.items():
        needs = {part: needed(*part.split("/")) for part in (*covered, *others)}
        assert [part for part, need in needs.items() if consent.covers(need)] == covered, consent
    for text, need in (
        ("break dev.silver.orders.note", needed("note", action="drop-column")),
        ("drop-column dev.silver.orders.note", needed("note")),
        ("rewrite dev.silver.orders", needed("<layout>")),
    ):
        assert not parse_consent(text).covers(need)


def test_what_names_no_part_of_a_table_is_refused(reviewed):
    case = ReviewedCases(lambda text: refusal(parse_consent, text, error=ConsentError))
    for text in (
        *("", "drop dev.a.b.c", "drop-column", "drop-column dev.silver.orders"),
        *("drop-column dev.silver..legacy", "break", "break dev", "break dev.silver"),
        *("break `dev.silver.orders`", "break dev.silver..note", "break dev.silver.orders.my note"),
        *("BREAK dev.silver.orders", "break dev.silver.*"),
    ):
        case.unnamed(text)
    assert case.text == reviewed


def test_patterns_that_permit_everything_or_nothing_are_refused():
    everything = "has wildcards in every part and would permit everything that they match"
    with cases(lambda path: refusal(pattern, path, error=ConsentError).partition(";")[0]) as case:
        for path in ("**", "*.*.*", "**.table", "*.*.*.layout"):
            case(path, f"consent 'break {path}' {everything}")
        case("dev.*", "consent 'break dev.*' names no part of a table")
        case("dev.s**.orders", "consent 'break dev.s**.orders' has ** inside of a part")


def test_the_parts_of_a_contract_that_a_consent_can_name():
    keys = {"unique": [Unique(["id"], name="u")], "foreign_keys": [ForeignKey(["id"], "a.b.c", ["id"], name="fk")]}
    columns = columns_of("id bigint; s array<struct<x: int>>")
    state = desired_state(Table(*NAME, columns, checks=[Check("Positive", "id > 0")], **keys))

    needs = [NeededConsent(action=BREAK, table=NAME, path=path) for path in breakable_parts(state)]

    assert " ".join(str(need).removeprefix(f"break {NAME}.") for need in needs) == (
        "id s s.element s.element.x checks primary_key keys layout properties tags comment column_order owns evolution"
        " format deprecated table checks.positive keys.u keys.fk"
    )


def test_an_entry_to_copy():
    with cases(lambda *path: consent_entry(needed(*path), date(2030, 12, 31)).splitlines()) as case:
        head, rest = ["[[tool.pytest_delta_schema.allow]]", 'action = "break"'], ['reason = ""', "expires = 2030-12-31"]
        case("note", [*head, 'path = "dev.silver.orders.note"', *rest])
        case("<checks>", "a.b", [*head, "path = 'dev.silver.orders.checks.`a.b`'", *rest])


def test_a_consent_to_copy():
    assert str(parse_consent("break dev.silver.orders.checks.a")) == "break dev.silver.orders.checks.a"
    assert str(parse_consent("break dev.silver.orders.`checks`.a")) == "break dev.silver.orders.`checks`.a"
    assert quoted_consent(BREAK, needed("<layout>").names) == '"break dev.silver.orders.layout"'
    assert quoted_consent(BREAK, needed("<checks>", "a.b").names) == "'break dev.silver.orders.checks.`a.b`'"
    assert quoted_consent(BREAK, needed("checks", "a.b").names) == "'break dev.silver.orders.`checks`.`a.b`'"
    assert str(needed("checks")) == "break dev.silver.orders.`checks`"
    assert quoted_consent(BREAK, ("dev", "silver", "orders", "a.b")) == "'break dev.silver.orders.`a.b`'"
