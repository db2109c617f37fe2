"""The table features that a table needs: for its columns, constraints, clustering and properties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import PartPath, part_path
from pytest_delta_schema.delta.protocol import (
    CLUSTERING_FEATURES,
    NEW_TABLE_PROTOCOL,
    feature_of,
    feature_of_type,
    missing_features,
    supported_features,
)
from pytest_delta_schema.state.types import atoms, not_null_paths

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredFeature:
    """A feature that a table needs, and why."""

    name: str
    path: PartPath
    """The path of the first part of the table that needs it."""
    causes: tuple[str, ...]
    """Everything that needs it, as messages name it."""


def required_features(table: TableState) -> tuple[RequiredFeature, ...]:
    """Return the features that a table needs, or has, sorted by name."""
    needs: dict[str, list[tuple[PartPath, str]]] = {}
    for name, path, cause in _needs(table):
        needs.setdefault(name, []).append((path, cause))
    return tuple(
        RequiredFeature(name=name, path=causes[0][0], causes=tuple(dict.fromkeys(cause for _, cause in causes)))
        for name, causes in sorted(needs.items())
    )


def unsupported_features(features: Collection[str], table: TableState) -> frozenset[str]:
    """Return which features a stored table neither has in its protocol nor uses."""
    supported = supported_features({**NEW_TABLE_PROTOCOL, **table.table_properties})
    if not missing_features(features, supported):
        return frozenset()
    return missing_features(features, supported.union(need.name for need in required_features(table)))


def features_of_types(types: Iterable[DataTypeState]) -> frozenset[str]:
    """Return the features that types need, at any depth."""
    return frozenset(filter(None, map(feature_of_type, atoms(types))))


def _needs(table: TableState) -> Iterator[tuple[str, PartPath, str]]:
    """Yield each feature with the part of the table that needs it, and how messages name that part."""
    for column in table.columns:
        yield from _needs_of_column(column)
    for path in not_null_paths(table.columns):
        yield "invariants", part_path("columns", path), f"NOT NULL of column {path}"
    for check in table.checks:
        yield "checkConstraints", part_path("checks", check.name), f"check {check.name}"
    if table.clustering:
        for name in CLUSTERING_FEATURES:
            yield name, part_path("layout"), "clustered_by"
    for key, value in table.table_properties.items():
        feature = feature_of(key, value)
        if feature is not None:
            yield feature, part_path("properties", key), f"property {key}"
        if feature == "rowTracking":
            yield "domainMetadata", part_path("properties", key), f"property {key}"


def _needs_of_column(column: ColumnState) -> Iterator[tuple[str, PartPath, str]]:
    # Most columns have one atomic type, which need not be looked for.
    types = (column.data_type,) if isinstance(column.data_type, str) else sorted(atoms([column.data_type]))
    for atom in types:
        feature = feature_of_type(atom)
        if feature is not None:
            yield feature, part_path("columns", column.name), f"column {column.name} of type {atom}"
    value = column.value
    if value is None:
        return
    if value.default is not None:
        yield "allowColumnDefaults", part_path("columns", column.name, "default"), f"default of column {column.name}"
    if value.generated is not None:
        yield "generatedColumns", part_path("columns", column.name), f"generated column {column.name}"
    if value.identity is not None:
        yield "identityColumns", part_path("columns", column.name), f"identity column {column.name}"
