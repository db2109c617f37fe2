"""Compare the types of columns, and know what new ones need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.actions import Change, ColumnTypeChange
from pytest_delta_schema.state.types import atoms, equal_types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plan.difference import Difference

NEEDED_FEATURES = {"timestamp_ntz": {"delta.feature.timestampNtz": "supported"}}
"""Types that Delta takes in a new table, and refuses on an existing one until a property has raised its protocol
(``DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT``, run on the released jars; variant raises it by itself)."""


def type_changes(difference: Difference) -> Iterator[Change]:
    """Yield the columns whose type differs, nested types as a whole."""
    for desired, observed in difference.changed:
        before, after = observed.data_type, desired.data_type
        if before is not after and not equal_types(before, after):
            yield ColumnTypeChange(name=observed.name, before=before, after=after)


def needed_features(difference: Difference) -> dict[str, str]:
    """Return the properties that must be set before the new columns can be added."""
    new = {atom for column in difference.added for atom in atoms(column.data_type) if atom in NEEDED_FEATURES}
    if new:
        new -= {atom for column in difference.observed.columns for atom in atoms(column.data_type)}
    return {key: value for atom in sorted(new) for key, value in NEEDED_FEATURES[atom].items()}
