"""Compare the types of columns, and find the table features that new types need."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import (
    COLUMN_MAPPING,
    MAPPING_PROPERTY,
    TYPE_WIDENING,
    WIDENING_PROPERTY,
)
from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX
from pytest_delta_schema.delta.type_widening import Widening, widening
from pytest_delta_schema.plan.changes import Change, ColumnTypeChange
from pytest_delta_schema.state.type_traversal import atoms

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState

NEEDED_FEATURES = {"timestamp_ntz": {f"{FEATURE_PREFIX}timestampNtz": "supported"}}
"""Types that Delta accepts in a new table, and refuses in an existing one until a property enables their feature
(``DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT``, Delta 4.4.0; variant enables its feature by itself)."""


DEFAULTS_FEATURE = "delta.feature.allowColumnDefaults"
"""Without it Delta refuses every default; a refused creation leaves a folder behind (Delta 4.4.0)."""


def features_of_new_table(desired: TableState) -> dict[str, str]:
    """Return the properties that a new table needs besides the declared ones."""
    if not any(map(_has_default, desired.columns)):
        return {}
    return {} if DEFAULTS_FEATURE in NameSet(desired.table_properties) else {DEFAULTS_FEATURE: "supported"}


def as_created(desired: TableState) -> TableState:
    """Return a desired state with the properties that a table has which is created from it."""
    features = features_of_new_table(desired)
    if not features:
        return desired
    return replace(desired, table_properties=MappingProxyType({**features, **desired.table_properties}))


def _has_default(column: ColumnState) -> bool:
    return column.value is not None and column.value.default is not None


def type_changes(difference: Difference) -> Sequence[Change]:
    """Return the columns and the parts of columns whose own type differs."""
    return [
        ColumnTypeChange(path=pair.path, before=pair.observed.data_type, after=pair.desired.data_type)
        for pair in difference.retyped
    ]


def needed_features(difference: Difference, enable: Collection[str] = ()) -> dict[str, str]:
    """Return the properties that must be set before the columns and types can change.

    ``enable`` are features that may be enabled without being declared.
    """
    needed: dict[str, str] = {}
    added = [placed.column for placed in difference.added]
    retyped = [pair.desired for pair in difference.retyped]
    new = atoms([column.data_type for column in added + retyped]).intersection(NEEDED_FEATURES)
    if new:
        new -= atoms(column.data_type for column in difference.observed.columns)
        for atom in sorted(new):
            needed.update(NEEDED_FEATURES[atom])
    if any(map(_has_default, added + [pair.desired for pair in difference.changed])):
        needed[DEFAULTS_FEATURE] = "supported"
    if TYPE_WIDENING in enable and any(
        widening(pair.observed.data_type, pair.desired.data_type) is Widening.BY_FEATURE for pair in difference.retyped
    ):
        needed[WIDENING_PROPERTY] = "true"
    if (difference.dropped or difference.renames.done) and COLUMN_MAPPING in enable:
        needed[MAPPING_PROPERTY] = "name"
    return needed
