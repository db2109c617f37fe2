"""Compare primary keys: by name and by ordered columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, PrimaryKeyAdd, PrimaryKeyDrop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import KeyState


def primary_key_changes(difference: Difference) -> Iterator[Change]:
    """Yield the drop of the stored primary key and the addition of the wanted one, if they differ."""
    desired, observed = difference.desired.primary_key, difference.observed.primary_key
    if desired is observed or _identity(desired) == _identity(observed):
        return
    if observed is not None:
        yield PrimaryKeyDrop(name=observed.name, columns=observed.columns)
    if desired is not None:
        yield PrimaryKeyAdd(name=desired.name, columns=desired.columns)


def _identity(key: KeyState | None) -> tuple[str, ...]:
    return () if key is None else (key.name.lower(), *(column.lower() for column in key.columns))
