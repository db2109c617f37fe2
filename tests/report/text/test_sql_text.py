"""The heading of SQL, and the remarks on its statements."""

from __future__ import annotations

import pytest

from pytest_delta_schema.engine.outcomes import OutcomeStatement
from pytest_delta_schema.report.text import sql_heading, sql_text

RAN, OPEN = OutcomeStatement(sql="A", has_run=True), OutcomeStatement(sql="B")


@pytest.mark.parametrize(
    ("statements", "is_blocked", "heading"),
    [
        ([OPEN], False, "SQL that would run"),
        ([OPEN], True, "Blocked SQL"),
        ([RAN, OPEN], False, "SQL of the apply"),
        ([RAN, OPEN], True, "SQL of the apply"),
        ([], False, "SQL that would run"),
    ],
)
def test_heading(statements, is_blocked, heading):
    assert sql_heading(statements, is_blocked=is_blocked) == heading


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
