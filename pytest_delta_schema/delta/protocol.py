"""Table features and the protocol of a table, as a log has them and as properties show and set them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names import NameMap, NameSet, folded, nearest_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

TYPE_WIDENING, COLUMN_MAPPING = "typeWidening", "columnMapping"
"""Features that a project may let the plan raise, with the setting ``enable_features``."""

V2_CHECKPOINT = "v2Checkpoint"
"""The feature of tables whose checkpoints have names with a UUID, and refer to further files."""

READER_FEATURES = (
    "catalogManaged",
    COLUMN_MAPPING,
    "deletionVectors",
    "timestampNtz",
    TYPE_WIDENING,
    V2_CHECKPOINT,
    "vacuumProtocolCheck",
    "variantShredding",
    "variantType",
)
"""Features that readers have to know as well (source: Delta's protocol)."""

WRITER_FEATURES = (
    "allowColumnDefaults",
    "appendOnly",
    "changeDataFeed",
    "checkConstraints",
    "checkpointProtection",
    "clustering",
    "collations",
    "domainMetadata",
    "generatedColumns",
    "icebergCompatV1",
    "icebergCompatV2",
    "icebergCompatV3",
    "identityColumns",
    "inCommitTimestamp",
    "invariants",
    "materializePartitionColumns",
    "rowTracking",
)
"""Features that concern writers only."""

FEATURES = tuple(sorted((*READER_FEATURES, *WRITER_FEATURES)))
"""The table features that this package knows."""

TYPE_FEATURES = {
    "timestamp_ntz": "timestampNtz",
    "variant": "variantType",
    "string collate": "collations",
}
"""The beginnings of types that need a feature, with it; Delta 4.4.0 stores the first two."""

_PREVIEW = "-preview"

FEATURE_PREFIX = "delta.feature."
"""The beginning of properties that enable a table feature; the name of the feature follows."""

PROTOCOL_VERSIONS = MappingProxyType({"delta.minreaderversion": 3, "delta.minwriterversion": 7})
"""Properties, in lower case, that set a protocol version, each with the version that names its features."""

ONE_WAY = (FEATURE_PREFIX, *PROTOCOL_VERSIONS)
"""Prefixes of properties, in lower case, that become part of the protocol and stay in it."""

WIDENING_PROPERTY = "delta.enableTypeWidening"
"""The property without which Delta widens char and varchar only."""

MAPPING_PROPERTY = "delta.columnMapping.mode"
"""The property without which Delta neither drops nor renames columns, nor stores special characters in names."""

APPEND_ONLY = "delta.appendOnly"
"""The property with which Delta refuses to change or remove rows."""

SPECIAL_CHARACTERS = frozenset(" ,;{}()\n\t=")
"""Characters that Delta stores in column names under column mapping only (Delta 4.4.0)."""


def base_feature(name: str) -> str:
    """Return the name of a feature without the ending of its preview, which clients treat alike."""
    return name.removesuffix(_PREVIEW)


def feature_named(text: str) -> str:
    """Return the name of a feature in the spelling of Delta's protocol."""
    name = base_feature(text)
    if folded(name).startswith(FEATURE_PREFIX):
        return name[len(FEATURE_PREFIX) :]
    spellings = {folded(feature): feature for feature in FEATURES}
    if folded(name) in spellings:
        return spellings[folded(name)]
    near = nearest_name(name, FEATURES)
    proposal = "" if near is None else f"did you mean {near}? "
    newer = f"write {FEATURE_PREFIX}{text} if it is newer than this package"
    msg = f"there is no table feature {text}; {proposal}{newer}"
    raise ValueError(msg)


def is_read_by_clients(feature: str) -> bool:
    """Whether readers have to know a feature, too; that is assumed of features that this package does not know."""
    return base_feature(feature) not in WRITER_FEATURES


_FEATURES_OF_FLAGS = {
    folded(key): feature
    for key, feature in {
        WIDENING_PROPERTY: TYPE_WIDENING,
        APPEND_ONLY: "appendOnly",
        "delta.enableChangeDataFeed": "changeDataFeed",
        "delta.enableDeletionVectors": "deletionVectors",
        "delta.enableIcebergCompatV1": "icebergCompatV1",
        "delta.enableIcebergCompatV2": "icebergCompatV2",
        "delta.enableIcebergCompatV3": "icebergCompatV3",
        "delta.enableInCommitTimestamps": "inCommitTimestamp",
        "delta.enableMaterializePartitionColumnsFeature": "materializePartitionColumns",
        "delta.enableRowTracking": "rowTracking",
        "delta.enableVariantShredding": "variantShredding-preview",
    }.items()
}
"""Properties that enable a feature with the value ``true``, in lower case, each with it (Delta 4.4.0)."""

_FEATURES_OF_VALUES = {
    folded(MAPPING_PROPERTY): (COLUMN_MAPPING, ("name", "id")),
    "delta.checkpointpolicy": (V2_CHECKPOINT, ("v2",)),
}
"""Properties that enable a feature with other values, in lower case, each with both (Delta 4.4.0)."""

_BROUGHT = {
    "icebergCompatV1": (COLUMN_MAPPING,),
    "icebergCompatV2": (COLUMN_MAPPING,),
    "icebergCompatV3": (COLUMN_MAPPING, "domainMetadata", "rowTracking"),
    "rowTracking": ("domainMetadata",),
    "variantShredding": ("variantType",),
}
"""Features that Delta enables together with others, by these (Delta 4.4.0)."""

UNIFORM = "delta.universalformat.enabledformats"
"""The property that lists the formats whose metadata Delta writes as well, in lower case."""


def feature_of(key: str, value: object) -> str | None:
    """Return the feature that a property enables on a table; ``None`` for none."""
    name, text = folded(key), str(value).lower()
    if name.startswith(FEATURE_PREFIX):
        return None if value is None else key[len(FEATURE_PREFIX) :]
    if name in _FEATURES_OF_VALUES:
        feature, values = _FEATURES_OF_VALUES[name]
        return feature if text in values else None
    return _FEATURES_OF_FLAGS.get(name) if text == "true" else None


@lru_cache(maxsize=1024)
def feature_of_type(data_type: str) -> str | None:
    """Return the feature that an atomic type needs, such as ``string collate UTF8_LCASE``; ``None`` for none."""
    return next((feature for start, feature in TYPE_FEATURES.items() if data_type.startswith(start)), None)


def writes_iceberg(properties: Mapping[str, object]) -> bool:
    """Whether Iceberg clients read a table with these properties: UniForm, or a feature of Iceberg compatibility."""
    for key, value in properties.items():
        if (feature_of(key, value) or "").startswith("icebergCompat"):
            return True
        if folded(key) == UNIFORM and "iceberg" in str(value).lower().replace(" ", "").split(","):
            return True
    return False


def is_on(key: str, properties: Mapping[str, object]) -> bool:
    """Whether a table with these properties has the feature that ``key`` raises."""
    return feature_of(key, NameMap(properties.items()).get(key)) is not None


@lru_cache(maxsize=1024)
def allows_changes_of_columns(key: str, value: str) -> bool:
    """Whether Delta may refuse changes of columns until a property has this value."""
    if folded(key).startswith(ONE_WAY):
        return True
    return is_on(WIDENING_PROPERTY, {key: value}) or is_on(MAPPING_PROPERTY, {key: value})


def needed_by_property(key: str, value: object) -> frozenset[str]:
    """Return the features that a property needs; one that names a feature or sets a version is itself."""
    name = folded(key)
    if name in PROTOCOL_VERSIONS:
        return frozenset({name})
    feature = feature_of(key, value)
    if feature is None:
        return frozenset()
    own = FEATURE_PREFIX + feature if name.startswith(FEATURE_PREFIX) else feature
    return frozenset({own, *_BROUGHT.get(feature, ())})


def features_of_version(key: str, value: str | None) -> frozenset[str]:
    """Return the features that clients have to know for a property that sets a version of the protocol.

    A version that names its features needs itself. A new table has a protocol as well, which is not counted.
    """
    name = folded(key)
    if name not in PROTOCOL_VERSIONS or value is None or not value.isdecimal():
        return frozenset()
    version = int(value)
    if version >= PROTOCOL_VERSIONS[name]:
        return frozenset({name})
    if name == folded(_READER):
        return frozenset({COLUMN_MAPPING} if version > 1 else ())
    return frozenset(_implied(version)).difference(_implied(int(NEW_TABLE_PROTOCOL[_WRITER])))


def written_version(key: str, value: str, properties: Mapping[str, str | None]) -> str | None:
    """Return what Delta writes for a declared version of the protocol; any other property is what it is declared as.

    Delta lowers versions to what the features need. The reader's version 2 and the writer's 5 are those of column
    mapping, which only both of them bring, in one statement (Delta 4.4.0). ``None`` is a version without an effect.
    """
    name = folded(key)
    if name not in PROTOCOL_VERSIONS or maps_by_version(properties):
        return value
    if name == folded(_READER):
        return None if value == "2" else value
    return "4" if value == "5" else value


def maps_by_version(properties: Mapping[str, str | None]) -> bool:
    """Whether declared versions of the protocol are those of column mapping."""
    declared = NameMap(properties.items())
    return declared.get(_READER) == "2" and declared.get(_WRITER) in {"5", "6"}


def other_formats(properties: Mapping[str, str | None]) -> frozenset[str]:
    """Return the formats besides Delta as which a table with these properties can be read, such as ``iceberg``."""
    formats = {
        name
        for key, value in properties.items()
        if folded(key) == UNIFORM
        for name in str(value).lower().replace(" ", "").split(",")
    }
    return frozenset(formats.intersection({"iceberg", "hudi"})) | ({"iceberg"} if writes_iceberg(properties) else set())


def missing_features(needed: Iterable[str], supported: Collection[str]) -> frozenset[str]:
    """Return what a table lacks: features by their names, and properties that set a version.

    The preview of a feature serves as well, except for a property that names the feature (Delta 4.4.0).
    """
    unnamed = frozenset(needed).difference(supported)
    if not unnamed:
        return unnamed
    names = NameSet(supported)
    bases = NameSet(map(base_feature, supported))
    return frozenset(
        name.removeprefix(FEATURE_PREFIX)
        for name in unnamed
        if name.removeprefix(FEATURE_PREFIX) not in names
        and (name.startswith(FEATURE_PREFIX) or base_feature(name) not in bases)
    )


def loss(enabled: Iterable[str]) -> str:
    """Return what clients lose when a change raises the protocol of a table; ``""`` if it raises nothing."""
    features = sorted({*enabled}.difference(PROTOCOL_VERSIONS))
    if not features:
        return "clients of older protocols lose the table" if enabled else ""
    what = "neither read nor write" if any(map(is_read_by_clients, features)) else "no longer write"
    return f"clients that do not know {', '.join(features)} can {what} the table"


_READER, _WRITER = "delta.minReaderVersion", "delta.minWriterVersion"
_COMMITS_IN_CATALOG = frozenset({"delta.feature.catalogmanaged", "delta.feature.catalogowned-preview"})
"""The feature of tables to which their catalog commits, by its names in Delta 4.1 and later and in Delta 4.0."""

_GENERATING = frozenset({"generatedColumns", "identityColumns"})
NEW_TABLE_PROTOCOL = MappingProxyType({_WRITER: "2"})
"""The protocol of a new table that needs no feature, as properties show it (Delta 4.4.0)."""

_NAMES_FEATURES = 7
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

NAMED_FEATURES = tuple(name for name in READER_FEATURES if name not in _IMPLIED)
"""The features of readers that a protocol has only if it names them, so who knows one of them reads such protocols."""


def protocol_properties(protocol: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the properties that show a protocol: both versions, and every feature."""
    yield _READER, str(protocol.get("minReaderVersion", 1))
    yield _WRITER, str(protocol.get("minWriterVersion", 1))
    features = {*(protocol.get("readerFeatures") or ()), *(protocol.get("writerFeatures") or ())}
    for feature in sorted(features):
        yield f"{FEATURE_PREFIX}{feature}", "supported"


def split_properties(properties: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the properties that a table stores, and its protocol, from those that SHOW TBLPROPERTIES lists."""
    features = [key.removeprefix(FEATURE_PREFIX) for key in properties if key.startswith(FEATURE_PREFIX)]
    stored = {
        key: value
        for key, value in properties.items()
        if key not in (_READER, _WRITER) and not key.startswith(FEATURE_PREFIX) and not is_in_no_log(key)
    }
    protocol = {
        "minReaderVersion": properties.get(_READER, "1"),
        "minWriterVersion": properties.get(_WRITER, "1"),
        "writerFeatures": features,
    }
    return stored, protocol


def supported_features(properties: Mapping[str, str | None]) -> frozenset[str]:
    """Return the table features of a protocol, with those that an older protocol has without naming them."""
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
    return [feature for feature, first in _IMPLIED.items() if first <= version < _NAMES_FEATURES]


CLUSTERING_FEATURES = ("clustering", "domainMetadata")
"""The features that the first clustering of a table enables, by itself."""

CLUSTERED = MappingProxyType({f"{FEATURE_PREFIX}{feature}": "supported" for feature in CLUSTERING_FEATURES})
"""The properties that enable them in a transaction."""

Paths = Sequence[Sequence[str]]
"""Clustering columns, each as a path of physical names."""

CLUSTERING_DOMAIN = "delta.clustering"
"""The domain of a log that holds the clustering columns (Delta's protocol)."""

CLUSTERING_PROPERTY = "clusteringColumns"
"""The property in which SHOW TBLPROPERTIES lists the clustering columns, as paths in JSON; no log has it."""

MIRROR = "option."
"""The prefix under which Spark lists each property of a table of Unity Catalog a second time (Spark 4.2.0)."""

IN_NO_LOG = frozenset(
    {
        folded(CLUSTERING_PROPERTY),
        "delta.clusteringcolumns",
        "delta.lastupdateversion",
        "delta.lastcommittimestamp",
        "delta.rowtracking.rowidhighwatermark",
    }
)
"""Keys, in lower case, that servers and sessions list next to the properties of a log (Unity Catalog 0.6.0)."""


def is_in_no_log(key: str) -> bool:
    """Whether a server or a session lists a property that no log has; it changes without a change of the table."""
    return folded(key) in IN_NO_LOG or key.startswith(MIRROR)


_CLUSTERING = "clustering"


def may_be_clustered(protocol: Mapping[str, Any]) -> bool:
    """Whether a table may have clustering columns, which are then in domain metadata of its log."""
    return _CLUSTERING in (protocol.get("writerFeatures") or ())


def clustering_in(domains: Iterable[Mapping[str, Any]]) -> Paths | None:
    """Return the clustering columns; none if their domain was removed, ``None`` if it is not among ``domains``."""
    paths: Paths | None = None
    for domain in domains:
        if domain["domain"] == CLUSTERING_DOMAIN:
            paths = () if domain.get("removed") else json.loads(domain["configuration"])[CLUSTERING_PROPERTY]
    return paths
