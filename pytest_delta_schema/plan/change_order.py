"""Put the changes of one table in the order in which they run."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import MAPPING_PROPERTY, allows_changes_of_columns, is_on
from pytest_delta_schema.plan.changes import SetTableProperties
from pytest_delta_schema.plan.changes.kind import KINDS, with_enabled
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.state.type_traversal import special_names

if TYPE_CHECKING:
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.states import TableState

# Looked up for every change of every table, so they are written out once.
_STEPS = {class_: kind.step for class_, kind in KINDS.items()}
_NEEDING_FEATURES = frozenset(class_ for class_, kind in KINDS.items() if kind.needs_feature)


def finished(changes: list[Change], observed: TableState) -> tuple[Change, ...]:
    """Return the changes of a table in their order, with the features that they enable."""
    return tuple(with_enabled(ordered(changes, observed), observed))


def ordered(changes: list[Change], observed: TableState) -> tuple[Change, ...]:
    """Return the changes of a table in the order in which they run."""
    if len(changes) > 1:
        changes.sort(key=_enabling_step if _needs_enabling(changes, observed) else _step)
    return tuple(changes)


def _step(change: Change) -> Step:
    return _STEPS[type(change)]


def _enabling_step(change: Change) -> Step:
    # Properties come late, but column mapping and table features have to be enabled before the columns that need them.
    return Step.ENABLE_FEATURES if isinstance(change, SetTableProperties) else _STEPS[type(change)]


def _needs_enabling(changes: list[Change], observed: TableState) -> bool:
    for change in changes:
        if isinstance(change, SetTableProperties) and any(
            starmap(allows_changes_of_columns, change.properties.items())
        ):
            if not _NEEDING_FEATURES.isdisjoint(map(type, changes)):
                return True
            # Without column mapping Delta refuses every change of a table with such a name.
            return is_on(MAPPING_PROPERTY, change.properties) and any(special_names(observed.columns))
    return False
