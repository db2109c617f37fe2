"""What a scenario is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_delta_schema import Table

Rows = tuple[dict[str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One case.

    Args:
        name: What is special about it.
        before: The model that made the table; ``None`` if there is no table.
        after: The model of today.
        plan: The expected change lines, in order.
        rows: Rows in the table.
        others: Tables beside it with their rows, such as the parents of its foreign keys.
        consents: What may be dropped.
        refused: Codes of the violations that stop it; empty if it goes through.
        sql: The expected statements, in order; ``None`` leaves them to the tests of SQL.
        left: The rows in the end, by column; ``None`` if nobody cares.
        commits: How many commits the table gets; ``None`` if nobody cares.
    """

    name: str
    before: Table | None
    after: Table
    plan: tuple[str, ...]
    rows: Rows = ()
    others: tuple[tuple[Table, Rows], ...] = ()
    consents: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    sql: tuple[str, ...] | None = None
    commits: int | None = None
    left: Rows | None = None
