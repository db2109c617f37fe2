"""The ``protocol`` action of a log, as properties show it and set it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.clustering import CLUSTERING_PROPERTY
from pytest_delta_schema.delta.names.folded_names import NameSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FEATURE_PREFIX = "delta.feature."
"""The beginning of properties that enable a table feature; the name of the feature follows."""

_READER, _WRITER = "delta.minReaderVersion", "delta.minWriterVersion"
_COMMITS_IN_CATALOG = frozenset({"delta.feature.catalogmanaged", "delta.feature.catalogowned-preview"})
"""The feature of tables to which their catalog commits, by its names in Delta 4.1 and later and in Delta 4.0."""

_GENERATING = frozenset({"generatedColumns", "identityColumns"})
NEW_TABLE_PROTOCOL = MappingProxyType({_WRITER: "2"})
"""The protocol of a new table that needs no feature, as properties show it (Delta 4.4.0)."""

_NAMING = 7
"""The writer version from which on a protocol names its features."""

_IMPLIED = MappingProxyType(
    {
        "appendOnly": 2,
        "invariants": 2,
        "checkConstraints": 3,
        "changeDataFeed": 4,
        "generatedColumns": 4,
        "columnMapping": 5,
        "identityColumns": 6,
    }
)
"""The first writer version that implies a feature (source: Delta's protocol, "Valid Feature Names")."""


def protocol_properties(protocol: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the properties that show a protocol: both versions, and every feature."""
    yield _READER, str(protocol.get("minReaderVersion", 1))
    yield _WRITER, str(protocol.get("minWriterVersion", 1))
    features = {*(protocol.get("readerFeatures") or ()), *(protocol.get("writerFeatures") or ())}
    for feature in sorted(features):
        yield f"{FEATURE_PREFIX}{feature}", "supported"


def split_properties(properties: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the properties that a table stores, and its protocol, from those that SHOW TBLPROPERTIES lists."""
    derived = (_READER, _WRITER, CLUSTERING_PROPERTY)
    features = [key.removeprefix(FEATURE_PREFIX) for key in properties if key.startswith(FEATURE_PREFIX)]
    stored = {
        key: value for key, value in properties.items() if key not in derived and not key.startswith(FEATURE_PREFIX)
    }
    protocol = {
        "minReaderVersion": properties.get(_READER, "1"),
        "minWriterVersion": properties.get(_WRITER, "1"),
        "writerFeatures": features,
    }
    return stored, protocol


def supported_features(properties: Mapping[str, str | None]) -> frozenset[str]:
    """Return the table features of a protocol, with those that an older protocol has without naming them.

    The properties hold the protocol as :func:`protocol_properties` shows it; without it there are none.
    """
    named = [key.removeprefix(FEATURE_PREFIX) for key in properties if key.startswith(FEATURE_PREFIX)]
    return frozenset((*named, *_implied(int(properties.get(_WRITER) or 0))))


def may_generate_columns(protocol: Mapping[str, Any]) -> bool:
    """Whether a table may have generated or identity columns, which Spark's schema and information_schema hide."""
    features = protocol["writerFeatures"] or _implied(int(protocol["minWriterVersion"]))
    return not _GENERATING.isdisjoint(features)


def commits_are_in_catalog(properties: Iterable[str]) -> bool:
    """Whether the newest commits of a table may be in its catalog only, so its log folder is not complete."""
    return not NameSet(properties).isdisjoint(_COMMITS_IN_CATALOG)


def _implied(version: int) -> list[str]:
    """Return the features that a writer version has without naming them."""
    return [feature for feature, first in _IMPLIED.items() if first <= version < _NAMING]
