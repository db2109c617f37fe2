"""Data checks: what the existing rows of a table must satisfy before a plan runs, as pure values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Union

from pytest_delta_schema.delta.names import ColumnPath, NameMap, NameSet, same_name
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.difference import old_names, with_names
from pytest_delta_schema.state.expressions import canonical, columns_in, with_columns
from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState
from pytest_delta_schema.state.types import find, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.state.states import TableState

    Names = dict[ColumnPath, str]


class NotNull(NamedTuple):
    """No row is NULL in a column, or in the field of a struct that a path leads to."""

    path: ColumnPath


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionValue:
    """Every value of a column is read back unchanged when the table is partitioned by it.

    Args:
        column: Its name.
        data_type: Its type: text, ``timestamp`` or ``binary``; a partition keeps every value of all other types
            (Delta 4.4.0, tested with the extremes of each).
    """

    column: str
    data_type: str


DataCheck = Union[NotNull, PartitionValue, CheckState, KeyState, ForeignKeyState]  # noqa: UP007 - a union of classes at run time
"""All rows satisfy a check, no two have the same values in a key, and each foreign key has a row in its parent."""


def data_checks_of(action: AlignTable) -> tuple[DataCheck, ...]:
    """Return the data checks of an action, in the order of its changes, over the names before its renames."""
    names = old_names(action.all(kinds.ColumnRename))
    return tuple(data_check for change in action.changes for data_check in _needed_by(change, action, names))


def _needed_by(change: Change, action: AlignTable, names: Names) -> Iterator[DataCheck]:
    """Yield the data checks of one change, whose columns have their stored names."""
    match change:
        case kinds.ColumnNullabilityChange(path=path, is_nullable=False):
            yield NotNull(with_names(path, names))
        case kinds.LayoutRewrite(partitioning=partitioning):
            yield from partition_values(action.observed, _old_columns(partitioning, names))
        case kinds.CheckAdd(name=name, expression=expression, replaces=replaced):
            check = CheckState(name, with_columns(expression, names) if names else expression)
            if replaced is None or not _are_equal(replaced, check, names):
                yield check
        case kinds.PrimaryKeyAdd(key=key) | kinds.UniqueAdd(key=key):
            yield key._replace(columns=_old_columns(key.columns, names))
        case kinds.ForeignKeyAdd(key=foreign_key) if not _is_added_again(foreign_key, action):
            yield _stored_foreign_key(foreign_key, action, names)


_MAY_LOSE_VALUES = ("string", "timestamp", "binary")


def partition_values(state: TableState, partitioning: Iterable[str]) -> Iterator[PartitionValue]:
    """Yield the data checks of columns by which a table was not partitioned before."""
    partitioned = NameSet(state.partitioning)
    for name in partitioning:
        column = find(state.columns, (name,))
        if name not in partitioned and column is not None and plain(column.data_type) in _MAY_LOSE_VALUES:
            yield PartitionValue(column=column.name, data_type=str(column.data_type))


def _are_equal(stored: CheckState, wanted: CheckState, names: Names) -> bool:
    """Whether all rows satisfy a wanted check over the stored names because they satisfy the stored one."""
    if not names:
        return stored.expression == wanted.expression
    return canonical(stored.expression) == canonical(wanted.expression)


def _old_columns(columns: tuple[str, ...], names: Names) -> tuple[str, ...]:
    return tuple(names.get(ColumnPath(column), column) for column in columns)


def _stored_foreign_key(key: ForeignKeyState, action: AlignTable, names: Names) -> ForeignKeyState:
    """Return a foreign key over the stored names of columns, with the parent's primary key filled in."""
    parent = action.parents.get(key.parent)
    parent_columns = key.parent_columns or (parent.primary_key.columns if parent and parent.primary_key else ())
    return key._replace(columns=_old_columns(key.columns, names), parent_columns=parent_columns)


def _is_added_again(key: ForeignKeyState, action: AlignTable) -> bool:
    """Whether a foreign key is only dropped and added again, also over columns that are renamed on either side."""
    stored = NameMap.of(change.key for change in action.all(kinds.ForeignKeyDrop)).get(key.name)
    parent = action.parents.get(key.parent)
    hints = parent.renames if parent else ()
    there: Names = {hint.path: hint.old for hint in hints}
    old = _stored_foreign_key(key, action, old_names(action.all(kinds.ColumnRename)))
    return stored is not None and stored in (
        old,
        key,
        old._replace(parent_columns=_old_columns(old.parent_columns, there)),
    )


def shown_columns(data_check: DataCheck, action: AlignTable) -> tuple[str, ...]:
    """Return the columns that identify the rows that fail a data check: those of the key, or of the primary key."""
    if isinstance(data_check, (KeyState, ForeignKeyState)):
        return data_check.columns
    key = action.observed.primary_key or action.desired.primary_key
    there = NameSet.of(action.observed.columns)
    names = key.columns if key is not None and all(name in there for name in key.columns) else ()
    if isinstance(data_check, NotNull):
        return tuple(name for name in names if not same_name(name, data_check.path.root))
    if names:
        return names
    if isinstance(data_check, PartitionValue):
        return (data_check.column,)
    return columns_in(data_check.expression)
