"""Compare primary keys: by name, by ordered columns, and by RELY."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.plan.changes import Change, PrimaryKeyAdd, PrimaryKeyDrop
from pytest_delta_schema.state.states import same_rely

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.states import KeyState, TableState


def primary_key_changes(wanted: TableState, stored: TableState) -> Iterator[Change]:
    """Yield the drop of the stored primary key and the addition of the wanted one, if they differ."""
    desired, observed = wanted.primary_key, stored.primary_key
    if desired is observed or (_identity(desired) == _identity(observed) and _agree_on_rely(desired, observed)):
        return
    if observed is not None:
        yield PrimaryKeyDrop(name=observed.name, columns=observed.columns, rely=observed.rely)
    if desired is not None:
        yield PrimaryKeyAdd(name=desired.name, columns=desired.columns, rely=desired.rely)


def _identity(key: KeyState | None) -> tuple[object, ...]:
    return () if key is None else (folded(key.name), *map(folded, key.columns))


def _agree_on_rely(desired: KeyState | None, observed: KeyState | None) -> bool:
    return desired is None or observed is None or same_rely(desired, observed)
