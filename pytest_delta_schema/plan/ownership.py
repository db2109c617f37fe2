"""Divide the changes of a table into those that applies make and those that are only reported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.models.modes import IGNORE, MANAGE, REPORT
from pytest_delta_schema.plan import changes
from pytest_delta_schema.plan.constraints import renamed
from pytest_delta_schema.plan.renames import new_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.models.modes import ContractMode
    from pytest_delta_schema.models.ownership import Aspect
    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import TableState

ASPECT_OF: Mapping[type[changes.Change], Aspect | None] = {
    changes.ColumnRename: "columns",
    changes.ColumnAdd: "columns",
    changes.ColumnDrop: "columns",
    changes.ColumnMove: "columns",
    changes.ColumnNullabilityChange: "columns",
    changes.ColumnTypeChange: "types",
    changes.ColumnDefaultChange: "defaults",
    changes.ColumnGenerationChange: "defaults",
    changes.CheckAdd: "checks",
    changes.CheckDrop: "checks",
    changes.CheckReplace: "checks",
    changes.PrimaryKeyAdd: "primary_keys",
    changes.PrimaryKeyDrop: "primary_keys",
    changes.ForeignKeyAdd: "foreign_keys",
    changes.ForeignKeyDrop: "foreign_keys",
    changes.SetColumnComments: "comments",
    changes.SetTableComment: "comments",
    changes.SetTableProperties: "properties",
    changes.UnsetTableProperties: "properties",
    changes.SetTags: "tags",
    changes.UnsetTags: "tags",
    changes.ConvertTable: None,
    changes.ClusteringChange: "layout",
    changes.LayoutRewrite: "layout",
}
"""The aspect to which each kind of change belongs.

A conversion has none: a contract that consents to it manages it, whatever else it owns.
"""


def is_whole(desired: TableState) -> bool:
    """Whether a contract manages every aspect, so that no change has to be divided."""
    return not desired.ownership and desired.column_order != REPORT


def owned(difference: Difference) -> Difference:
    """Return the part of a difference that the contract manages; the rest looks as if it did not differ."""
    modes = difference.desired.ownership
    if modes.get("columns", MANAGE) != MANAGE:
        renames = difference.renames._replace(done=())
        difference = difference._replace(added=(), dropped=(), renames=renames)
    if modes.get("types", MANAGE) != MANAGE:
        difference = difference._replace(retyped=())
    if modes.get("defaults", MANAGE) != MANAGE:
        added = tuple(each._replace(column=each.column._replace(value=None)) for each in difference.added)
        changed = tuple(
            pair._replace(desired=pair.desired._replace(value=pair.observed.value)) for pair in difference.changed
        )
        difference = difference._replace(added=added, changed=changed)
    kept = _observed_constraints(difference)
    return difference._replace(desired=replace(difference.desired, **kept)) if kept else difference


def _observed_constraints(difference: Difference) -> dict[str, Any]:
    """Return the observed constraints of those kinds that the contract does not manage."""
    observed, modes = difference.observed, difference.desired.ownership
    kept: dict[str, Any] = {}
    if modes.get("checks", MANAGE) != MANAGE:
        names = new_names(difference.renames.done)
        kept["checks"] = tuple(check._replace(expression=renamed(check.expression, names)) for check in observed.checks)
    if modes.get("primary_keys", MANAGE) != MANAGE:
        kept["primary_key"] = observed.primary_key
    if modes.get("foreign_keys", MANAGE) != MANAGE:
        kept["foreign_keys"] = observed.foreign_keys
    return kept


def is_own(change: changes.Change, desired: TableState) -> bool:
    """Whether a change of an owned difference is made.

    A check that the contract does not manage is dropped and added again where a change of its columns needs that.
    """
    return mode_of(change, desired) == MANAGE or isinstance(change, changes.CheckReplace)


def is_reported(change: changes.Change, desired: TableState) -> bool:
    """Whether a change of a whole difference is only reported."""
    is_added_again = isinstance(change, changes.CheckReplace) and change.before == change.after
    return mode_of(change, desired) == REPORT and not is_added_again


def mode_of(change: changes.Change, desired: TableState) -> ContractMode:
    """Return whether a change is made, only reported, or ignored."""
    aspect = ASPECT_OF[type(change)]
    mode = MANAGE if aspect is None else desired.ownership.get(aspect, MANAGE)
    if isinstance(change, changes.ColumnMove) and desired.column_order == REPORT and mode != IGNORE:
        return REPORT
    return mode
