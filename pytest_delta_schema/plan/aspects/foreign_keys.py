"""Compare foreign keys, and drop and add those whose parent's primary key changes."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, same_names
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import Change, ForeignKeyAdd, ForeignKeyDrop
from pytest_delta_schema.state.states import same_rely

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import ForeignKeyState, TableState

_A = TypeVar("_A", CreateTable, AlignTable)


def foreign_key_changes(wanted: TableState, stored: TableState) -> Iterator[Change]:
    """Yield the foreign keys to drop and to add; one that differs in anything is dropped and added."""
    yield from _replaced(wanted.foreign_keys, stored.foreign_keys)


def dependent_foreign_keys(
    wanted: Iterable[ForeignKeyState], stored: Iterable[ForeignKeyState], changed_keys: Iterable[QualifiedName]
) -> Iterator[Change]:
    """Yield the changes of foreign keys that reference a primary key that is dropped.

    Such a foreign key is dropped before and added again after. One that the model does not want any more is dropped
    only: its replacement belongs to the plan of the table that has it.

    The wanted keys are those of the model, if the table has one, and otherwise the stored ones.
    """
    parents = set(changed_keys)
    wanted_by_name = NameMap.of(wanted)
    for key in stored:
        if key.parent in parents:
            yield ForeignKeyDrop(key=key)
            match = wanted_by_name.get(key.name)
            if match is not None and _equal(match, key):
                yield ForeignKeyAdd(key=match)


def _replaced(wanted: tuple[ForeignKeyState, ...], stored: tuple[ForeignKeyState, ...]) -> Iterator[Change]:
    if wanted == stored:
        return
    by_name = NameMap.of(stored)
    kept = NameSet.of(key for key in wanted if key.name in by_name and _equal(key, by_name[key.name]))
    yield from (ForeignKeyDrop(key=key) for key in stored if key.name not in kept)
    yield from (ForeignKeyAdd(key=key) for key in wanted if key.name not in kept)


def _equal(wanted: ForeignKeyState, stored: ForeignKeyState) -> bool:
    """Whether two foreign keys of one name are equal; no parent columns are those of the parent's primary key."""
    left, right = wanted.parent_columns, stored.parent_columns
    return (
        wanted.parent == stored.parent
        and same_rely(wanted, stored)
        and same_names(wanted.columns, stored.columns)
        and (not left or not right or same_names(left, right))
    )


def with_parents(
    action: _A, parents: Mapping[QualifiedName, TableState], stored: Mapping[QualifiedName, TableState]
) -> _A:
    """Add the parents of new foreign keys to an action.

    Parents are tables as planned, and stored ones have their names as the catalog stores them.
    """
    if not action.foreign_keys:
        return action
    names = sorted({change.key.parent for change in action.foreign_keys} & parents.keys())
    parent_states = MappingProxyType({name: parents[name] for name in names})
    if isinstance(action, CreateTable):
        return replace(
            action,
            parents=parent_states,
            foreign_keys=tuple(_with_stored_parent(change, stored) for change in action.foreign_keys),
        )
    changes = tuple(
        _with_stored_parent(change, stored) if isinstance(change, ForeignKeyAdd) else change
        for change in action.changes
    )
    return replace(action, parents=parent_states, changes=changes)


def _with_stored_parent(change: ForeignKeyAdd, stored: Mapping[QualifiedName, TableState]) -> ForeignKeyAdd:
    """Return a foreign key that references its parent under the name that the catalog stores."""
    parent = stored.get(change.key.parent)
    return change if parent is None else replace(change, key=change.key._replace(parent=parent.name))
