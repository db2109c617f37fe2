"""Which clients support which table features."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.protocol import base_feature, feature_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


ClientVersion = tuple[int, ...]
"""The numbers of a version, without zeros at the end; ``()`` for a client without versions."""

SUPPORT_FORMS = "'454', '<=481', '427..454', 'never', 'never <=481', 'yes' or 'unknown'"
"""What may be written for the versions that support a feature."""

_VERSION = r"\d+(?:\.\d+)*"
_SUPPORT = re.compile(
    rf"(?P<since>{_VERSION})|<=\s*(?P<known>{_VERSION})|(?P<last>{_VERSION})\s*\.\.\s*(?P<first>{_VERSION})"
    rf"|never(?:\s*<=\s*(?P<until>{_VERSION}))?|(?P<always>yes)|unknown"
)
_READ_AND_WRITE = re.compile(r"read\s+(?P<reads>[^,]+?)\s*,\s*write\s+(?P<writes>[^,]+)")


@lru_cache(maxsize=512)
def parse_version(text: str) -> ClientVersion:
    """Return the numbers of a version such as ``15.4``; raise a ``ValueError`` if it is none."""
    if re.fullmatch(_VERSION, text) is None:
        msg = f"{text!r} is not a version; write numbers with dots, such as 15.4"
        raise ValueError(msg)
    numbers = [int(part) for part in text.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def oldest_version(text: str) -> ClientVersion:
    """Return the numbers of the oldest version that a text names; ``()``, which is below all others, for ``""``."""
    return parse_version(text) if text else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The versions of a client that support a table feature, where they are known."""

    since: str | None = None
    """The oldest version that is known to support it; ``""`` for every version, ``None`` if none is known to."""
    lacks_until: str | None = None
    """The newest version that is known to lack it; ``None`` if none is."""
    lacks_otherwise: bool = False
    """Whether all versions lack it that are not known to support it."""

    def of(self, version: ClientVersion) -> bool | None:
        """Return whether a version supports the feature; ``None`` if it is not known."""
        if self.since is not None and version >= oldest_version(self.since):
            return True
        if self.lacks_otherwise or (self.lacks_until is not None and version <= parse_version(self.lacks_until)):
            return False
        return None

    @property
    def reason(self) -> str:
        """Why an older version, or every version, lacks the feature."""
        if self.since is not None and self.lacks_until is not None:
            return f"version {self.lacks_until} cannot, version {self.since} can"
        if self.since is not None:
            return f"version {self.since} is the first that can"
        return "no version can" if self.lacks_until is None else f"no version up to {self.lacks_until} can"


def parse_support(text: str) -> Support:
    """Return what a text says about the versions that support a feature.

    ``454`` supports it and older versions do not. ``<=481`` supports it, and older versions are not known. In
    ``427..454`` the second supports it, the first does not, and those between them are not known. ``never`` is not
    a version, ``never <=481`` none up to this one, ``yes`` every version, and ``unknown`` says nothing.
    """
    match = _SUPPORT.fullmatch(text.strip())
    if match is None:
        msg = f"{text.strip()!r} names no versions; write {SUPPORT_FORMS}"
        raise ValueError(msg)
    if match["always"]:
        return Support(since="")
    if match["last"]:
        return Support(since=match["first"], lacks_until=match["last"])
    is_bare_never = text.strip() == "never"
    return Support(
        since=match["since"] or match["known"],
        lacks_until=match["until"],
        lacks_otherwise=bool(match["since"]) or is_bare_never,
    )


def parse_read_and_write(text: str) -> tuple[Support, Support]:
    """Return the versions that can read, and those that can write a table with a feature.

    One text is for both, or it is such as ``read 450, write never``.
    """
    match = _READ_AND_WRITE.fullmatch(text.strip())
    if match is None:
        both = parse_support(text)
        return both, both
    return parse_support(match["reads"]), parse_support(match["writes"])


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownClient:
    """A client in the table."""

    title: str
    has_versions: bool = True
    """Whether users choose its version; services have none."""
    only_reads: bool = False
    """Whether it never writes Delta tables, or not those of other clients."""
    example: str
    """How an entry of ``clients`` names it."""


KNOWN_CLIENTS: Mapping[str, KnownClient] = MappingProxyType(
    {
        "delta-spark": KnownClient(title="Delta Lake on Apache Spark", example="delta-spark>=3.3"),
        "databricks": KnownClient(title="Databricks Runtime", example="databricks>=15.4"),
        "trino": KnownClient(title="Delta Lake connector of Trino", example="trino>=470"),
        "deltalake": KnownClient(title="delta-rs, the Python package deltalake", example="deltalake>=1.6.6"),
        "duckdb": KnownClient(title="delta extension of DuckDB", example="duckdb>=1.1"),
        "fabric-spark": KnownClient(title="Microsoft Fabric, Spark runtime", example="fabric-spark>=1.3"),
        "fabric-sql": KnownClient(
            title="Microsoft Fabric, SQL analytics endpoint", has_versions=False, only_reads=True, example="fabric-sql"
        ),
        "power-bi": KnownClient(
            title="Power BI, Direct Lake semantic models", has_versions=False, only_reads=True, example="power-bi"
        ),
        "athena": KnownClient(
            title="Amazon Athena, engine version 3", has_versions=False, only_reads=True, example="athena"
        ),
        "snowflake": KnownClient(
            title="Snowflake, Iceberg tables on Delta files", has_versions=False, example="snowflake"
        ),
    }
)
"""The clients of the table by the names that ``clients`` uses."""

SYNONYMS: Mapping[str, str] = MappingProxyType(
    {
        "dbr": "databricks",
        "delta": "delta-spark",
        "delta-rs": "deltalake",
        "direct-lake": "power-bi",
        "fabric": "fabric-spark",
        "polars": "deltalake",
        "pyspark": "delta-spark",
        "spark": "delta-spark",
    }
)
"""What users may call a client, with its name in the table."""


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
    """The table of this package, with the entries that a project corrects."""

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
    """Return an entry of the setting ``client_features``."""
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
