"""Compare the types of columns, and know what new ones need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import Change, ColumnTypeChange
from pytest_delta_schema.state.types import StructState, atoms, equal_types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.types import DataTypeState

NEEDED_FEATURES = {"timestamp_ntz": {"delta.feature.timestampNtz": "supported"}}
"""Types that Delta takes in a new table, and refuses on an existing one until a property has raised its protocol
(``DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT``, run on the released jars; variant raises it by itself)."""


def type_changes(difference: Difference) -> Iterator[Change]:
    """Yield the columns whose type differs in more than the nullability of fields, nested types as a whole."""
    for desired, observed in difference.changed:
        if is_retyped(observed.data_type, desired.data_type):
            yield ColumnTypeChange(name=observed.name, before=observed.data_type, after=desired.data_type)


def is_retyped(before: DataTypeState, after: DataTypeState) -> bool:
    """Whether a type becomes another one, so that values would have to be read in another way."""
    return nested_nullability(before, after) is None


def nested_nullability(before: DataTypeState, after: DataTypeState) -> tuple[tuple[tuple[str, ...], bool], ...] | None:
    """Return the fields below two types that may be NULL in one of them only, if nothing else differs.

    Args:
        before: The stored type.
        after: The wanted type.

    Returns:
        The path of each such field, as stored, and whether it may be NULL in ``after``; ``None`` if the types differ in
        something else, inside of arrays and maps included, where Delta keeps no NOT NULL.
    """
    if before is after or equal_types(before, after):
        return ()
    if not isinstance(before, StructState) or not isinstance(after, StructState):
        return None
    there = {field.name.lower(): field for field in before.fields}
    if sorted(there) != sorted(field.name.lower() for field in after.fields):
        return None
    found: list[tuple[tuple[str, ...], bool]] = []
    for field in after.fields:
        stored = there[field.name.lower()]
        if field.is_nullable != stored.is_nullable:
            found.append(((stored.name,), field.is_nullable))
        below = nested_nullability(stored.data_type, field.data_type)
        if below is None:
            return None
        found.extend(((stored.name, *path), is_nullable) for path, is_nullable in below)
    return tuple(found)


def needed_features(difference: Difference) -> dict[str, str]:
    """Return the properties that must be set before the new columns can be added."""
    new = {atom for column in difference.added for atom in atoms(column.data_type) if atom in NEEDED_FEATURES}
    if new:
        new -= {atom for column in difference.observed.columns for atom in atoms(column.data_type)}
    return {key: value for atom in sorted(new) for key, value in NEEDED_FEATURES[atom].items()}
