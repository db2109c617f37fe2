"""Compare UNIQUE constraints: by name and by ordered columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.plan.changes import Change, UniqueAdd, UniqueDrop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.states import KeyState, TableState


def unique_changes(wanted: TableState, stored: TableState) -> Iterator[Change]:
    """Yield the UNIQUE constraints to drop and to add; one that differs in anything is dropped and added."""
    if wanted.unique == stored.unique:
        return
    kept = {_identity(key) for key in wanted.unique} & {_identity(key) for key in stored.unique}
    yield from (UniqueDrop(key=key) for key in stored.unique if _identity(key) not in kept)
    yield from (UniqueAdd(key=key) for key in wanted.unique if _identity(key) not in kept)


def _identity(key: KeyState) -> tuple[str, ...]:
    return (folded(key.name), *map(folded, key.columns))
