"""What a plan demands of the rows that are there already: pure values, asked of the data before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Union

from pytest_delta_schema.plan.renames import old_names, with_names
from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState
from pytest_delta_schema.state.types import find, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.changes import CheckReplace
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState

    Names = dict[tuple[str, ...], str]


class NotNull(NamedTuple):
    """No row is NULL in a column, or in the field of a struct that a path leads to."""

    path: tuple[str, ...]


NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""The text that stands for NULL where partitions are named by their values, so that no value can be called like it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionValue:
    """Every value of a column is read back unchanged when the table is partitioned by it.

    Args:
        column: Its name.
        data_type: Its type: text, ``timestamp`` or ``binary``; a partition keeps every value of all other types
            (Delta 4.4.0, tried with the extremes of each).
    """

    column: str
    data_type: str


DataCheck = Union[NotNull, PartitionValue, CheckState, KeyState, ForeignKeyState]  # noqa: UP007 - a union of classes at run time
"""A check is met by every row, a primary key has no value twice, and a foreign key always finds its parent."""


def demands_of(action: AlignTable) -> tuple[DataCheck, ...]:
    """Return what ``action`` demands: NOT NULL first, then values of new partitions, then checks, then keys.

    The rows are asked before anything changes, so columns that the plan renames are meant under their old names. A
    check that is only renamed or put back, and a foreign key that is put back, demand nothing new.
    """
    names = old_names(action.rename_columns)
    key, rewrite = action.add_primary_key, action.rewrite_layout
    return (
        *(NotNull(with_names(change.path, names)) for change in action.change_nullability if not change.is_nullable),
        *(partition_values(action.observed, _old(rewrite.partitioning, names)) if rewrite else ()),
        *(_before(change.after, names) for change in action.replace_checks if not _says_the_same(change, names)),
        *(_before(CheckState(change.name, change.expression), names) for change in action.add_checks),
        *([KeyState(key.name, _old(key.columns, names))] if key else []),
        *(_stored(change.key, action, names) for change in action.foreign_keys if not _is_put_back(change.key, action)),
    )


def partition_values(state: TableState, partitioning: Iterable[str]) -> Iterator[PartitionValue]:
    """Yield the demands of a table that is partitioned anew: for columns that it was not partitioned by before.

    Args:
        state: The table as it is.
        partitioning: The columns of its new partitions, by the names that they have now.
    """
    parted = {name.lower() for name in state.partitioning}
    for name in partitioning:
        column = find(state.columns, (name,))
        if name.lower() not in parted and column is not None and _may_lose_values(column.data_type):
            yield PartitionValue(column=column.name, data_type=str(column.data_type))


def _may_lose_values(data_type: DataTypeState) -> bool:
    return plain(data_type) in {"string", "timestamp", "binary"}


def _before(check: CheckState, names: Names) -> CheckState:
    """Write a check over the columns as they are still called."""
    if not names:
        return check
    from pytest_delta_schema.state.expressions import with_columns

    return check._replace(expression=with_columns(check.expression, names))


def _says_the_same(change: CheckReplace, names: Names) -> bool:
    if not names:
        return change.before.expression == change.after.expression
    from pytest_delta_schema.state.expressions import canonical

    return canonical(change.before.expression) == canonical(_before(change.after, names).expression)


def _old(columns: tuple[str, ...], names: Names) -> tuple[str, ...]:
    return tuple(names.get((column.lower(),), column) for column in columns)


def _stored(key: ForeignKeyState, action: AlignTable, names: Names) -> ForeignKeyState:
    """Write a foreign key over the columns as they are still called, with the parent's primary key written out."""
    parent = action.parents.get(key.parent)
    there = key.parent_columns or (parent.primary_key.columns if parent and parent.primary_key else ())
    return key._replace(columns=_old(key.columns, names), parent_columns=there)


def _is_put_back(key: ForeignKeyState, action: AlignTable) -> bool:
    """Whether a foreign key only steps aside, for renamed columns on either side included."""
    stored = {change.key.name.lower(): change.key for change in action.drop_foreign_keys}.get(key.name.lower())
    parent = action.parents.get(key.parent)
    hints = parent.renames if parent else ()
    there: Names = {(hint.path[0].lower(),): hint.old for hint in hints if len(hint.path) == 1}
    old = _stored(key, action, old_names(action.rename_columns))
    return stored is not None and stored in (old, key, old._replace(parent_columns=_old(old.parent_columns, there)))


def shown_columns(data_check: DataCheck, action: AlignTable) -> tuple[str, ...]:
    """Return the columns that tell which rows break a demand: the key's own, or the table's primary key.

    A table without a primary key shows what a check names or a partition would not keep, and nothing for NOT NULL,
    where all there is to see is NULL.
    """
    if isinstance(data_check, (KeyState, ForeignKeyState)):
        return data_check.columns
    key = action.observed.primary_key or action.desired.primary_key
    there = {column.name.lower() for column in action.observed.columns}
    names = key.columns if key is not None and all(name.lower() in there for name in key.columns) else ()
    if isinstance(data_check, NotNull):
        return tuple(name for name in names if name.lower() != data_check.path[0].lower())
    if names:
        return names
    if isinstance(data_check, PartitionValue):
        return (data_check.column,)
    from pytest_delta_schema.state.expressions import columns_in

    return columns_in(data_check.expression)
