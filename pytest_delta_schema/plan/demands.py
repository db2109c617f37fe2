"""What a plan demands of the rows that are there already: pure values, asked of the data before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Union

from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState

if TYPE_CHECKING:
    from pytest_delta_schema.plan.actions import AlignTable


class NotNull(NamedTuple):
    """No row is NULL in a column, or in the field of a struct that a path leads to."""

    path: tuple[str, ...]


Demand = Union[NotNull, CheckState, KeyState, ForeignKeyState]  # noqa: UP007 - a union of classes at run time
"""A check is met by every row, a primary key has no value twice, and a foreign key always finds its parent."""


def demands_of(action: AlignTable) -> tuple[Demand, ...]:
    """Return what ``action`` demands: NOT NULL first, then checks, then keys.

    A check that is only renamed or put back, and a foreign key that is put back, demand nothing new.
    """
    put_back = {change.key.name.lower() for change in action.drop_foreign_keys}
    key = action.add_primary_key
    return (
        *(NotNull(change.path) for change in action.change_nullability if not change.is_nullable),
        *(change.after for change in action.replace_checks if change.before.expression != change.after.expression),
        *(CheckState(change.name, change.expression) for change in action.add_checks),
        *([KeyState(key.name, key.columns)] if key else []),
        *(
            _with_parent_columns(change.key, action)
            for change in action.foreign_keys
            if not _is_put_back(change.key, action, put_back)
        ),
    )


def _with_parent_columns(key: ForeignKeyState, action: AlignTable) -> ForeignKeyState:
    """Write out the parent's primary key, where the foreign key leaves it to the parent."""
    parent = action.parents.get(key.parent)
    if key.parent_columns or parent is None or parent.primary_key is None:
        return key
    return key._replace(parent_columns=parent.primary_key.columns)


def _is_put_back(key: ForeignKeyState, action: AlignTable, dropped: set[str]) -> bool:
    return key.name.lower() in dropped and key in action.observed.foreign_keys


def shown_columns(demand: Demand, action: AlignTable) -> tuple[str, ...]:
    """Return the columns that tell which rows break a demand: the key's own, or the table's primary key.

    A table without a primary key shows what a check names, and nothing for NOT NULL, where all there is to see is NULL.
    """
    if isinstance(demand, (KeyState, ForeignKeyState)):
        return demand.columns
    key = action.observed.primary_key or action.desired.primary_key
    there = {column.name.lower() for column in action.observed.columns}
    names = key.columns if key is not None and all(name.lower() in there for name in key.columns) else ()
    if isinstance(demand, NotNull):
        return tuple(name for name in names if name.lower() != demand.path[0].lower())
    if names:
        return names
    from pytest_delta_schema.state.expressions import columns_in

    return columns_in(demand.expression)
