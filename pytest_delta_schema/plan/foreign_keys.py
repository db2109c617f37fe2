"""Compare foreign keys, and let them follow when the key that they point at changes."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import Change, ForeignKeyAdd, ForeignKeyDrop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import ForeignKeyState, TableState

_A = TypeVar("_A", CreateTable, AlignTable)


def foreign_key_changes(difference: Difference) -> Iterator[Change]:
    """Yield the foreign keys that go and that come; one that differs in anything does both."""
    yield from _replaced(difference.desired.foreign_keys, difference.observed.foreign_keys)


def followers(
    wanted: Iterable[ForeignKeyState], stored: Iterable[ForeignKeyState], moved: Iterable[QualifiedName]
) -> Iterator[Change]:
    """Yield what has to happen to a table whose own foreign keys are as wanted, when keys of its parents change.

    A key that points at one of them is dropped before and added after; one that is not wanted like that any more is
    dropped only, since what is wanted in its place belongs to the plan of its own table.

    Args:
        wanted: The table's foreign keys as its model has them, if it has one, and otherwise as they are stored.
        stored: The table's foreign keys as they are stored.
        moved: Tables whose primary key goes or changes.
    """
    parents = set(moved)
    known = {key.name.lower(): key for key in wanted}
    for key in stored:
        if key.parent in parents:
            yield ForeignKeyDrop(key=key)
            match = known.get(key.name.lower())
            if match is not None and _equal(match, key):
                yield ForeignKeyAdd(key=match)


def _replaced(wanted: tuple[ForeignKeyState, ...], stored: tuple[ForeignKeyState, ...]) -> Iterator[Change]:
    if wanted == stored:
        return
    there = {key.name.lower(): key for key in stored}
    kept = {key.name.lower() for key in wanted if key.name.lower() in there and _equal(key, there[key.name.lower()])}
    yield from (ForeignKeyDrop(key=key) for key in stored if key.name.lower() not in kept)
    yield from (ForeignKeyAdd(key=key) for key in wanted if key.name.lower() not in kept)


def _equal(wanted: ForeignKeyState, stored: ForeignKeyState) -> bool:
    """Whether two foreign keys of one name are one; the parent's primary key may be written out or not."""
    if wanted.parent != stored.parent or _folded(wanted.columns) != _folded(stored.columns):
        return False
    left, right = _folded(wanted.parent_columns), _folded(stored.parent_columns)
    return left == right or not left or not right


def _folded(names: Iterable[str]) -> list[str]:
    return [name.lower() for name in names]


def with_parents(
    action: _A, parents: Mapping[QualifiedName, TableState], stored: Mapping[QualifiedName, TableState]
) -> _A:
    """Add the parents of new foreign keys to an action.

    Args:
        action: Creates or aligns a table.
        parents: Tables as they will be.
        stored: Tables as they were read; their names are written as the catalog stores them.
    """
    if not action.foreign_keys:
        return action
    names = sorted({change.key.parent for change in action.foreign_keys} & parents.keys())
    beside = MappingProxyType({name: parents[name] for name in names})
    if isinstance(action, CreateTable):
        return replace(action, parents=beside, foreign_keys=tuple(_under(each, stored) for each in action.foreign_keys))
    changes = tuple(_under(each, stored) if isinstance(each, ForeignKeyAdd) else each for each in action.changes)
    return replace(action, parents=beside, changes=changes)


def _under(change: ForeignKeyAdd, stored: Mapping[QualifiedName, TableState]) -> ForeignKeyAdd:
    """Let a foreign key point at its parent under the name that the catalog stores."""
    parent = stored.get(change.key.parent)
    return change if parent is None else replace(change, key=change.key._replace(parent=parent.name))
