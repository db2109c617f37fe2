"""The changes of a table in groups: its own, those of tables that depend on it, and those that no apply makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.change_markers import ABSENT, ADD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.engine.outcomes.outcome import TableChange


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeGroups:
    """The changes of one table."""

    own: Sequence[TableChange]
    others: Mapping[str, Sequence[TableChange]]
    """Those of tables whose foreign keys depend on it, by their dotted names in the catalog."""
    unmanaged: Sequence[TableChange]
    """Those that no apply makes, because the model does not manage them."""


def change_groups(changes: Sequence[TableChange], stored_as: str) -> ChangeGroups:
    """Return changes in groups, in their order."""
    managed = [change for change in changes if not change.aspect]
    others: dict[str, list[TableChange]] = {}
    for change in managed:
        if change.table != stored_as:
            others.setdefault(change.table, []).append(change)
    return ChangeGroups(
        own=[change for change in managed if change.table == stored_as],
        others=others,
        unmanaged=[change for change in changes if change.aspect],
    )


def is_creation(change: TableChange) -> bool:
    """Whether a change creates a table."""
    return (change.marker, change.path, change.before) == (ADD, "table", ABSENT)
