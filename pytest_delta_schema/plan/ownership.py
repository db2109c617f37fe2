"""Divide the changes of a table by who owns what they change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.models.ownership import IGNORE, MANAGE, MATCH
from pytest_delta_schema.models.table import REPORT
from pytest_delta_schema.plan import changes
from pytest_delta_schema.plan.constraints import renamed
from pytest_delta_schema.plan.renames import new_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import TableState

CONVERSION = "format"
"""No aspect of a table: a contract that consents to a conversion manages it, whatever else it owns."""

ASPECT_OF: Mapping[type[changes.Change], str] = {
    changes.ColumnRename: "columns",
    changes.ColumnAdd: "columns",
    changes.ColumnDrop: "columns",
    changes.ColumnMove: "columns",
    changes.ColumnNullabilityChange: "columns",
    changes.ColumnTypeChange: "types",
    changes.ColumnDefaultChange: "values",
    changes.ColumnGenerationChange: "values",
    changes.CheckAdd: "constraints",
    changes.CheckDrop: "constraints",
    changes.CheckReplace: "constraints",
    changes.PrimaryKeyAdd: "constraints",
    changes.PrimaryKeyDrop: "constraints",
    changes.ForeignKeyAdd: "constraints",
    changes.ForeignKeyDrop: "constraints",
    changes.SetColumnComments: "comments",
    changes.SetTableComment: "comments",
    changes.SetTableProperties: "properties",
    changes.UnsetTableProperties: "properties",
    changes.SetTags: "tags",
    changes.UnsetTags: "tags",
    changes.ConvertTable: CONVERSION,
    changes.ClusteringChange: "layout",
    changes.LayoutRewrite: "layout",
}
"""The aspect to which each kind of change belongs."""


def is_whole(desired: TableState) -> bool:
    """Whether a contract manages everything that it compares, so that nothing has to be divided."""
    return not desired.ownership and desired.column_order != REPORT


def owned(difference: Difference) -> Difference:
    """Return the part of a difference that is the contract's to change; what is not leaves no trace in it."""
    modes = difference.desired.ownership
    if modes.get("columns", MANAGE) != MANAGE:
        renames = difference.renames._replace(done=())
        difference = difference._replace(added=(), dropped=(), renames=renames)
    if modes.get("types", MANAGE) != MANAGE:
        difference = difference._replace(retyped=())
    if modes.get("values", MANAGE) != MANAGE:
        added = tuple(each._replace(column=each.column._replace(value=None)) for each in difference.added)
        changed = tuple(
            pair._replace(desired=pair.desired._replace(value=pair.observed.value)) for pair in difference.changed
        )
        difference = difference._replace(added=added, changed=changed)
    if modes.get("constraints", MANAGE) != MANAGE:
        observed, names = difference.observed, new_names(difference.renames.done)
        kept = replace(
            difference.desired,
            checks=tuple(each._replace(expression=renamed(each.expression, names)) for each in observed.checks),
            primary_key=observed.primary_key,
            foreign_keys=observed.foreign_keys,
        )
        difference = difference._replace(desired=kept)
    return difference


def is_own(change: changes.Change, desired: TableState) -> bool:
    """Whether a change of an owned difference is made; others' checks step aside for columns and come back."""
    return mode_of(change, desired) == MANAGE or isinstance(change, changes.CheckReplace)


def is_matched(change: changes.Change, desired: TableState) -> bool:
    """Whether a change of a whole difference is only reported."""
    steps_aside = isinstance(change, changes.CheckReplace) and change.before == change.after
    return mode_of(change, desired) == MATCH and not steps_aside


def mode_of(change: changes.Change, desired: TableState) -> str:
    """Say whether a change is made, only reported, or ignored."""
    mode = desired.ownership.get(ASPECT_OF[type(change)], MANAGE)
    if isinstance(change, changes.ColumnMove) and desired.column_order == REPORT and mode != IGNORE:
        return MATCH
    return mode
