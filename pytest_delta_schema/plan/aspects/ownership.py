"""Divide the changes of a table into those that applies make and those that are only reported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.models.modes import IGNORE, MANAGE, REPORT
from pytest_delta_schema.plan.aspects.checks import renamed_expression
from pytest_delta_schema.plan.changes import CheckAdd, CheckDrop, ColumnMove
from pytest_delta_schema.plan.changes.kind import kind_of
from pytest_delta_schema.plan.renames import new_names
from pytest_delta_schema.state.keys import KEY_FIELDS

if TYPE_CHECKING:
    from pytest_delta_schema.models.modes import ContractMode
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import CheckState, TableState


def is_whole(desired: TableState) -> bool:
    """Whether a contract manages every aspect, so no change has to be divided."""
    return not desired.ownership and desired.column_order != REPORT


def owned(difference: Difference) -> Difference:
    """Return the part of a difference that the contract manages; the rest is left out as if it were equal."""
    modes = difference.desired.ownership
    if modes.get("columns", MANAGE) != MANAGE:
        renames = difference.renames._replace(done=())
        difference = difference._replace(added=(), dropped=(), renames=renames)
    if modes.get("types", MANAGE) != MANAGE:
        difference = difference._replace(retyped=())
    if modes.get("defaults", MANAGE) != MANAGE:
        added = tuple(placed._replace(column=placed.column._replace(value=None)) for placed in difference.added)
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
        kept["checks"] = tuple(
            check._replace(expression=renamed_expression(check.expression, names)) for check in observed.checks
        )
    kept.update((name, getattr(observed, name)) for aspect, name in KEY_FIELDS.items() if aspect in modes)
    return kept


def is_own(change: Change, desired: TableState) -> bool:
    """Whether a change of an owned difference is made.

    A check that the contract does not manage is dropped and added again where a change of its columns needs that.
    """
    return mode_of(change, desired) == MANAGE or _other_side(change) is not None


def is_reported(change: Change, desired: TableState) -> bool:
    """Whether a change of a whole difference is only reported."""
    return mode_of(change, desired) == REPORT and not _is_added_again(change)


def _other_side(change: Change) -> CheckState | None:
    """Return the other side of a replaced check: the new one of a drop, the stored one of an add."""
    if isinstance(change, CheckDrop):
        return change.replaced_by
    return change.replaces if isinstance(change, CheckAdd) else None


def _is_added_again(change: Change) -> bool:
    """Whether a check is dropped and added again unchanged."""
    return isinstance(change, (CheckDrop, CheckAdd)) and _other_side(change) == (change.name, change.expression)


def mode_of(change: Change, desired: TableState) -> ContractMode:
    """Return whether a change is made, only reported, or ignored.

    A conversion is not an aspect of ownership: a contract that consents to it manages it.
    """
    aspect = kind_of(change).aspect
    mode = MANAGE if aspect == "conversion" else desired.ownership.get(aspect, MANAGE)
    if isinstance(change, ColumnMove) and desired.column_order == REPORT and mode != IGNORE:
        return REPORT
    return mode
