"""Records that are not level with their logs, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.escaping import escaped
from pytest_delta_schema.report.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.plan.entry_differences import EntryDifference

_NAMED = 3


def record_headline(table: object, differences: Sequence[EntryDifference]) -> str:
    """Say in one line in what a record is not level with its log."""
    paths = [difference.path for difference in differences]
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    number = counted(len(paths), "difference")
    fact = f"{table}: the catalog's record differs from the Delta log, {number}: {', '.join(paths[:_NAMED])}{more}"
    return escaped(fact)


def record_text(differences: Sequence[EntryDifference]) -> str:
    """Show each difference: what readers of the catalog see, and what is so."""
    rows = [(escaped(each.path), escaped(each.record), escaped(each.log)) for each in differences]
    width = max(len(path) for path, _, _ in rows)
    left = max(len(record) for _, record, _ in rows)
    lines = [f"  {path:<{width}}  record {record:<{left}}  log {log}" for path, record, log in rows]
    return "\n".join(lines)
