"""The ``protocol`` action of a log, as properties show it and set it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.clustering import CLUSTERING_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FEATURE_PREFIX = "delta.feature."
"""The beginning of properties that enable a table feature; the name of the feature follows."""

_READER, _WRITER = "delta.minReaderVersion", "delta.minWriterVersion"
_GENERATING = frozenset({"generatedColumns", "identityColumns"})
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

_LEGACY_GENERATING = range(4, 7)
"""Writer versions without named features that imply generated columns, and from 6 on identity columns."""


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

    Args:
        properties: The protocol as :func:`protocol_properties` shows it, among other properties; without it there are
            none.
    """
    named = [key.removeprefix(FEATURE_PREFIX) for key in properties if key.startswith(FEATURE_PREFIX)]
    version = int(properties.get(_WRITER) or 0)
    implied = [feature for feature, first in _IMPLIED.items() if first <= version < _NAMING]
    return frozenset((*named, *implied))


def may_generate_columns(protocol: Mapping[str, Any]) -> bool:
    """Whether a table may have generated or identity columns, which Spark's schema and information_schema hide."""
    features = set(protocol["writerFeatures"])
    return bool(features & _GENERATING) or (not features and int(protocol["minWriterVersion"]) in _LEGACY_GENERATING)
