"""The text of an outcome: its changes in groups, its SQL, and its last lines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.engine import TableOutcome
from pytest_delta_schema.engine.outcomes import CheckKind, OutcomeStatement, Status, TableChange
from pytest_delta_schema.report.text import body, headline, sql_text
from support.snapshots import TextSnapshot


def change(table="ci.orders", marker="+", path="columns.a", before="(absent)", aspect=""):
    return TableChange(table=table, marker=marker, path=path, before=before, after="int", aspect=aspect)


NAME = "dev.silver.orders"
ADDED = TableChange(table=NAME, marker="+", path="columns.note", before="(absent)", after="string", risk="metadata")
SQL = OutcomeStatement(sql="ALTER TABLE t")
FAULT = Diagnostic(code="DS201", rule="Fault", table=NAME, message="it is wrong", remedy="make it right")
OTHER = Diagnostic(code="DS202", rule="Other", table=NAME, message="that, too", remedy="make that right, too")


FAULTS = {"diagnostics": (FAULT, OTHER)}
ONE_FAULT, NAMELESS = {"diagnostics": (FAULT,)}, {"diagnostics": (Diagnostic(table=NAME, message="it is wrong"),)}
COMMENT = replace(ADDED, marker="~", path="comment", before="a", after="b", aspect="comments")
RESTORED = {"failure": "a statement failed\n\nto restore: RESTORE TABLE t TO VERSION AS OF 1"}
OUTCOMES: list[tuple[CheckKind, Status, dict[str, Any]]] = [
    (CheckKind.DRIFT, Status.DRIFTED, {"changes": (ADDED,)}),
    (CheckKind.DRIFT, Status.BLOCKED, {"changes": (ADDED,), **FAULTS}),
    (CheckKind.DRIFT, Status.DRIFTED, {"changes": (COMMENT,)}),
    (CheckKind.RULES, Status.BLOCKED, ONE_FAULT),
    (CheckKind.RULES, Status.BLOCKED, FAULTS),
    (CheckKind.RULES, Status.BLOCKED, NAMELESS),
    (CheckKind.DRIFT, Status.UNREADABLE, ONE_FAULT),
    (CheckKind.METADATA, Status.STALE, {"changes": (ADDED,)}),
    (CheckKind.UNMANAGED, Status.DRIFTED, ONE_FAULT),
    (CheckKind.APPLY, Status.FAILED, RESTORED),
]


def test_the_text_of_an_outcome(snapshot):
    """Its last line says what to do."""
    outcomes = [
        TableOutcome(table=NAME, stored_as=NAME, check=check, status=status, statements=(SQL,), **parts)
        for check, status, parts in OUTCOMES
    ]
    texts = [
        f"==== {outcome.check.value}, {outcome.status.value}\n{body(outcome, 'shop/models.py:1')}"
        for outcome in outcomes
    ]

    assert "\n\n".join([*texts, ""]) == snapshot(extension_class=TextSnapshot)


def test_the_headline_counts_each_change_once():
    texts = {
        "a": "1 change: a",
        "aa": "2 changes: a",
        "aabc": "4 changes: a, b, c",
        "abcd": "4 changes: a, b, c and 1 more",
        "abcdefa": "7 changes: a, b, c and 4 more",
    }
    drifted = TableOutcome(table=NAME, stored_as=NAME, check=CheckKind.DRIFT, status=Status.DRIFTED)
    changes = {paths: tuple(change(NAME, path=path) for path in paths) for paths in texts}

    assert {paths: headline(replace(drifted, changes=changes[paths])) for paths in texts} == {
        paths: f"dev.silver.orders has drifted, {text}" for paths, text in texts.items()
    }


def test_statements_have_remarks():
    statements = [
        OutcomeStatement(sql="ALTER TABLE `a`\n  ADD COLUMNS (b INT)"),
        OutcomeStatement(sql="UPDATE `a`", risk="scan"),
        OutcomeStatement(sql="ALTER TABLE `a` DROP COLUMN `b\x85`", risk="destructive", is_emulated=True),
    ]

    assert sql_text(statements).split("\n") == [
        "  ALTER TABLE `a`",
        "    ADD COLUMNS (b INT);",
        "",
        "  -- scan",
        "  UPDATE `a`;",
        "",
        "  -- destructive, emulated by this backend",
        "  -- with characters that are not shown: `b\\u0085`",
        "  ALTER TABLE `a` DROP COLUMN `b\x85`;",
    ]
