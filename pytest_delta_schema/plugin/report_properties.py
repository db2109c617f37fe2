"""Facts that a check leaves in its report: strings, so that they survive xdist and land in JUnit's properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.escaping import escaped

if TYPE_CHECKING:
    import pytest

PREFIX = "delta."
TABLE, CHECK, OUTCOME, SUMMARY, NOTE = "table", "check", "outcome", "summary", "note"
CHANGES, STATEMENTS, BACKEND, UNUSED = "changes", "statements", "backend", "unused"

GOOD = IN_SYNC, APPLIED, SYNCED = ("in sync", "applied", "metadata synced")
DRIFTED, BLOCKED, STALE, FAILED, UNREADABLE = "drifted", "blocked", "stale metadata", "failed", "unreadable"
OUTCOMES = (*GOOD, DRIFTED, BLOCKED, STALE, FAILED, UNREADABLE)
"""How a check of a catalog may end, the good ends first."""


def record(item: pytest.Item, **facts: object) -> None:
    """Leave facts in the report of ``item``; those that are ``None`` or empty are left out.

    Each is one line, and holds nothing that a terminal would obey.
    """
    for name, value in facts.items():
        if value not in (None, ""):
            item.user_properties.append((PREFIX + name, escaped(value)))


def recorded(report: pytest.TestReport) -> dict[str, str]:
    """Return the facts of a report, without their prefix; it is empty for tests of others."""
    return {name.removeprefix(PREFIX): str(value) for name, value in report.user_properties if name.startswith(PREFIX)}
