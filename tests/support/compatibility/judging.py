"""Short ways to show what a change breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.compatibility import judge_change
from pytest_delta_schema.settings.table import ROLES

if TYPE_CHECKING:
    from pytest_delta_schema import Table
    from pytest_delta_schema.settings.table import Role


def shown(old: Table, new: Table | None, *roles: Role, **options: Any) -> list[str]:
    """Return the findings that are not safe as text."""
    findings = judge_change(old, new, roles=roles or ROLES, **options)
    return [str(finding) for finding in findings if finding.verdict != "safe"]


def rules(old: Table, new: Table, **options: Any) -> list[str]:
    """Return the names of the changes."""
    return [finding.rule for finding in judge_change(old, new, roles=["readers"], **options)]
