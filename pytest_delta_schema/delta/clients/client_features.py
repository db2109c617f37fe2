"""Which table features clients of Delta Lake read and write, with the source of every fact.

Versions are written as :func:`~pytest_delta_schema.delta.clients.client_support.parse_support` reads them. What has no
entry is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.clients.client_support import Support, parse_read_and_write
from pytest_delta_schema.delta.clients.known_clients import KNOWN_CLIENTS
from pytest_delta_schema.delta.features import base_feature, feature_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LOOKED_UP = "2026-11-22"
"""The day on which all sources were looked up."""


_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "delta": "Delta Lake documentation, How does Delta Lake manage feature compatibility?",
        "delta defaults": "Delta Lake documentation, Delta default column values",
        "delta jars": "classes in the jars of delta-spark 3.3.3, 4.0.1 and 4.4.0",
        "delta protocol": "Delta Lake documentation, Features by protocol version: basic functionality",
        "databricks": "Databricks documentation, Delta Lake feature compatibility and protocols",
        "databricks collations": "Databricks documentation, Collation support for Delta Lake",
        "databricks commits": "Databricks documentation, Catalog-managed commits",
        "databricks checkpoints": "Databricks documentation, Checkpoint V2",
        "databricks clustering": "Databricks documentation, Enable liquid clustering",
        "databricks defaults": "Databricks documentation, ALTER TABLE ... COLUMN clause",
        "databricks row tracking": "Databricks documentation, Row tracking in Databricks",
        "databricks variant": "Databricks documentation, Variant support in Delta Lake",
        "databricks widening": "Databricks documentation, Type widening",
        "trino": "Trino 481 documentation, Delta Lake connector, Delta Lake table features",
        "trino 427": "Trino release notes, Release 427",
        "trino 449": "Trino release notes, Release 449, and DeltaLakeSchemaSupport.java before it",
        "trino 450": "Trino release notes, Release 450",
        "trino 454": "Trino release notes, Releases 427 and 454",
        "trino types": "Trino 481 documentation, Delta Lake connector, Type mapping",
        "deltalake": "tried with deltalake 1.6.6 on tables with hand-made logs",
        "duckdb": "DuckDB documentation, Delta Extension",
        "fabric": "Microsoft Fabric documentation, Delta Lake table format interoperability",
        "snowflake": "Snowflake release notes, Mar 02, 2026: Query Delta-based Iceberg tables with deletion vectors",
    }
)

_CELLS: Mapping[str, Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "delta-spark": {
            "allowColumnDefaults": ("3.1", "delta defaults"),
            "appendOnly": ("yes", "delta protocol"),
            "catalogManaged": ("3.3.3..4.0.1", "delta jars"),
            "changeDataFeed": ("2.0", "delta"),
            "checkConstraints": ("0.8", "delta"),
            "checkpointProtection": ("<=3.3.3", "delta jars"),
            "clustering": ("3.1", "delta"),
            "collations": ("never <=4.4.0", "delta jars"),
            "columnMapping": ("1.2", "delta"),
            "deletionVectors": ("2.3", "delta"),
            "domainMetadata": ("3.0", "delta"),
            "generatedColumns": ("1.0", "delta"),
            "icebergCompatV1": ("3.0", "delta"),
            "icebergCompatV2": ("3.1", "delta"),
            "icebergCompatV3": ("4.0.1..4.4.0", "delta jars"),
            "identityColumns": ("3.3", "delta"),
            "inCommitTimestamp": ("3.3", "delta"),
            "invariants": ("yes", "delta protocol"),
            "materializePartitionColumns": ("4.0.1..4.4.0", "delta jars"),
            "rowTracking": ("3.2", "delta"),
            "timestampNtz": ("2.4", "delta"),
            "typeWidening": ("3.2", "delta"),
            "v2Checkpoint": ("3.0", "delta"),
            "vacuumProtocolCheck": ("<=3.3.3", "delta jars"),
            "variantShredding": ("3.3.3..4.0.1", "delta jars"),
            "variantType": ("4.0", "delta"),
        },
        "databricks": {
            "allowColumnDefaults": ("11.3", "databricks defaults"),
            "appendOnly": ("yes", "delta protocol"),
            "catalogManaged": ("16.4", "databricks commits"),
            "changeDataFeed": ("<=9.1", "databricks"),
            "checkConstraints": ("<=9.1", "databricks"),
            "clustering": ("13.3", "databricks clustering"),
            "collations": ("16.4", "databricks collations"),
            "columnMapping": ("<=10.4", "databricks"),
            "deletionVectors": ("<=12.2", "databricks"),
            "domainMetadata": ("<=13.3", "databricks clustering"),
            "generatedColumns": ("<=9.1", "databricks"),
            "identityColumns": ("<=10.4", "databricks"),
            "invariants": ("yes", "delta protocol"),
            "rowTracking": ("14.1", "databricks row tracking"),
            "timestampNtz": ("<=13.3", "databricks"),
            "typeWidening": ("15.2", "databricks widening"),
            "v2Checkpoint": ("13.3", "databricks checkpoints"),
            "variantType": ("15.3", "databricks variant"),
        },
        "trino": {
            "allowColumnDefaults": ("never <=481", "trino"),
            "appendOnly": ("<=449", "trino 449"),
            "catalogManaged": ("never <=481", "trino"),
            "changeDataFeed": ("<=449", "trino 449"),
            "checkConstraints": ("<=449", "trino 449"),
            "clustering": ("never <=481", "trino"),
            "columnMapping": ("<=449", "trino 449"),
            "deletionVectors": ("read 427, write 454", "trino 454"),
            "domainMetadata": ("never <=481", "trino"),
            "generatedColumns": ("never <=481", "trino"),
            "icebergCompatV1": ("never <=481", "trino"),
            "icebergCompatV2": ("never <=481", "trino"),
            "icebergCompatV3": ("never <=481", "trino"),
            "identityColumns": ("never <=481", "trino"),
            "inCommitTimestamp": ("never <=481", "trino"),
            "invariants": ("<=449", "trino 449"),
            "rowTracking": ("never <=481", "trino"),
            "timestampNtz": ("read <=427, write 427", "trino 427"),
            "typeWidening": ("read 450, write never <=481", "trino 450"),
            "v2Checkpoint": ("read <=481, write never <=481", "trino"),
            "vacuumProtocolCheck": ("449", "trino 449"),
            "variantType": ("read <=481, write never <=481", "trino types"),
        },
        "deltalake": {
            "allowColumnDefaults": ("never <=1.6.6", "deltalake"),
            "appendOnly": ("<=1.6.6", "deltalake"),
            "changeDataFeed": ("<=1.6.6", "deltalake"),
            "checkConstraints": ("<=1.6.6", "deltalake"),
            "checkpointProtection": ("never <=1.6.6", "deltalake"),
            "clustering": ("never <=1.6.6", "deltalake"),
            "collations": ("never <=1.6.6", "deltalake"),
            "columnMapping": ("<=1.6.6", "deltalake"),
            "deletionVectors": ("<=1.6.6", "deltalake"),
            "domainMetadata": ("never <=1.6.6", "deltalake"),
            "generatedColumns": ("<=1.6.6", "deltalake"),
            "icebergCompatV1": ("never <=1.6.6", "deltalake"),
            "icebergCompatV2": ("never <=1.6.6", "deltalake"),
            "icebergCompatV3": ("never <=1.6.6", "deltalake"),
            "identityColumns": ("never <=1.6.6", "deltalake"),
            "inCommitTimestamp": ("never <=1.6.6", "deltalake"),
            "invariants": ("<=1.6.6", "deltalake"),
            "materializePartitionColumns": ("never <=1.6.6", "deltalake"),
            "rowTracking": ("never <=1.6.6", "deltalake"),
            "timestampNtz": ("<=1.6.6", "deltalake"),
            "typeWidening": ("never <=1.6.6", "deltalake"),
            "v2Checkpoint": ("<=1.6.6", "deltalake"),
            "vacuumProtocolCheck": ("never <=1.6.6", "deltalake"),
            "variantShredding": ("never <=1.6.6", "deltalake"),
        },
        "duckdb": {"deletionVectors": ("read 0.10.3, write unknown", "duckdb")},
        "fabric-spark": {
            "appendOnly": ("<=1.1", "fabric"),
            "clustering": ("1.3", "fabric"),
            "columnMapping": ("<=1.1", "fabric"),
            "deletionVectors": ("1.2", "fabric"),
            "identityColumns": ("never <=1.3", "fabric"),
            "invariants": ("<=1.1", "fabric"),
            "timestampNtz": ("1.2", "fabric"),
        },
        "fabric-sql": {
            "columnMapping": ("yes", "fabric"),
            "deletionVectors": ("yes", "fabric"),
            "timestampNtz": ("never", "fabric"),
        },
        "power-bi": {
            "columnMapping": ("yes", "fabric"),
            "deletionVectors": ("yes", "fabric"),
            "timestampNtz": ("never", "fabric"),
        },
        "athena": {},
        "snowflake": {"deletionVectors": ("read yes, write unknown", "snowflake")},
    }
)
"""The table: client, feature, versions, source. A feature that concerns writers only has nothing to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureSupport:
    """One client and one feature, where they are known."""

    reads: Support
    writes: Support
    source: str
    text: str


_UNKNOWN = FeatureSupport(reads=Support(), writes=Support(), source="", text="unknown")


class ClientFeatures:
    """The table of this package, with the entries that a project corrects.

    Corrections are pairs such as ``("trino.clustering", "482")`` of the setting ``client_features``.

    Raises:
        ValueError: If an entry names no client, no feature or no versions.
    """

    def __init__(self, corrections: Iterable[tuple[str, str]] = ()) -> None:
        self._corrections = dict(parse_correction(key, text) for key, text in corrections)

    def cell(self, client: str, feature: str) -> FeatureSupport:
        """Return what is known about a client and a feature."""
        name = base_feature(feature)
        corrected = self._corrections.get((client, name))
        return corrected or cells_of_package(client).get(name, _UNKNOWN)


@lru_cache(maxsize=len(KNOWN_CLIENTS))
def cells_of_package(client: str) -> Mapping[str, FeatureSupport]:
    """Return what this package knows about a client, by the names of the features."""
    return {feature: _cell(text, _SOURCES[source]) for feature, (text, source) in _CELLS[client].items()}


def _cell(text: str, source: str) -> FeatureSupport:
    reads, writes = parse_read_and_write(text)
    return FeatureSupport(reads=reads, writes=writes, source=f"{source}, {LOOKED_UP}", text=text)


def parse_correction(key: str, text: str) -> tuple[tuple[str, str], FeatureSupport]:
    """Return an entry of the setting ``client_features``.

    The key is the client and the feature with a dot between them. A feature that this package does not know is written
    as its property, ``trino.delta.feature.newFeature``. The text is what :func:`parse_read_and_write` takes.

    Raises:
        ValueError: If it names no client, no feature or no versions.
    """
    client, _, feature = key.partition(".")
    if client not in KNOWN_CLIENTS:
        msg = f"{key!r} begins with no client; clients are {', '.join(KNOWN_CLIENTS)}"
        raise ValueError(msg)
    name = feature_named(feature)
    try:
        reads, writes = parse_read_and_write(text)
    except ValueError as error:
        msg = f"{key}: {error}, or 'read ..., write ...'"
        raise ValueError(msg) from None
    return (client, name), FeatureSupport(
        reads=reads, writes=writes, source="setting client_features of the project", text=text
    )
