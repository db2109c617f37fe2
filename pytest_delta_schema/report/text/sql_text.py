"""The SQL of a plan as text, with its heading and the remarks on each statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import note_on, printed_sql, sql_lines
from pytest_delta_schema.settings.table import RISKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.engine.outcomes.outcome import OutcomeStatement


def sql_heading(statements: Iterable[OutcomeStatement], *, is_blocked: bool) -> str:
    """Return the heading of the SQL of a plan."""
    if any(statement.has_run for statement in statements):
        return "SQL of the apply"
    return "Blocked SQL" if is_blocked else "SQL that would run"


def remarks_on(statement: OutcomeStatement) -> list[str]:
    """Return the risk of a statement that is more than metadata, and whether the backend emulates it."""
    return [
        *([statement.risk] if statement.risk != RISKS[0] else []),
        *(["emulated by this backend"] if statement.is_emulated else []),
    ]


def sql_text(statements: Iterable[OutcomeStatement], *, is_printed: bool = False) -> str:
    """Show statements, indented, with a remark on those that are more than metadata or that the backend emulates.

    The text of a terminal or a log is escaped; a file has the exact SQL.
    """
    blocks = []
    for statement in statements:
        sql, note = printed_sql(statement.sql) if is_printed else (statement.sql, note_on(statement.sql))
        lines = [f"  {line}" for line in sql_lines(f"{sql};")]
        remarks = remarks_on(statement)
        if note:
            lines.insert(0, f"  -- {note}")
        if remarks:
            lines.insert(0, f"  -- {', '.join(remarks)}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
