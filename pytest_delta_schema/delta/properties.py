"""Table properties: the keys that Delta Lake and Databricks know, and when two values of one mean the same."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import NameSet, folded, nearest_name
from pytest_delta_schema.delta.protocol import IN_NO_LOG, MAPPING_PROPERTY, PROTOCOL_VERSIONS, is_in_no_log

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

DELTA = "delta."
"""The prefix, in lower case, of the keys that Delta Lake reserves."""

CHECK_PREFIX = "delta.constraints."
"""The beginning of properties that hold a CHECK constraint: its name in lower case follows, the value is its text."""

PREFIXES = ("delta.constraints.", "delta.feature.", "delta.universalformat.config.")
"""Prefixes, in lower case, of keys that Delta accepts without an entry in its registry (Delta 4.4.0)."""

RESERVED = {
    "comment": "write comment=... on the Table",
    "external": "leave it out",
    "location": "leave it out",
    "owner": "set the owner in the catalog",
    "provider": "leave it out; every table is Delta",
}
"""Keys that Spark's parser or Delta reserve (Spark 4.2.0, Delta 4.4.0), each with the remedy."""

TABLE_ID = "io.unitycatalog.tableId"
"""The property with the id of a table to whose log Unity Catalog commits."""

PLATFORM = IN_NO_LOG | {
    "delta.columnmapping.maxcolumnid",
    "delta.incommittimestampenablementtimestamp",
    "delta.incommittimestampenablementversion",
    "delta.rowtracking.materializedrowidcolumnname",
    "delta.rowtracking.materializedrowcommitversioncolumnname",
    folded(TABLE_ID),
}
"""Keys, in lower case, that Delta, Unity Catalog or Databricks write by themselves, next to those that no log has."""

IMPOSED: Mapping[str, str] = MappingProxyType(
    {
        "delta.checkpoint.writeStatsAsJson": "true",
        "delta.checkpoint.writeStatsAsStruct": "true",
        "delta.checkpointPolicy": "v2",
        "delta.columnMapping.mode": "name",
        "delta.enableDeletionVectors": "true",
        "delta.enableInCommitTimestamps": "true",
        "delta.enableRowTracking": "true",
        "delta.randomizeFilePrefixes": "true",
    }
)
"""What Unity Catalog gives each new table to whose log it commits; a model may declare other values (0.6.0)."""


def is_written_by_platform(key: str) -> bool:
    """Whether a platform writes a property by itself, so no model declares it."""
    return folded(key) in PLATFORM or is_in_no_log(key)


OPEN_SOURCE = (
    "delta.appendOnly",
    "delta.autoOptimize",
    "delta.autoOptimize.autoCompact",
    "delta.autoOptimize.optimizeWrite",
    "delta.castIcebergTimeType",
    "delta.checkpoint.writeStatsAsJson",
    "delta.checkpoint.writeStatsAsStruct",
    "delta.checkpointInterval",
    "delta.checkpointPolicy",
    "delta.checkpointRetentionDuration",
    "delta.columnMapping.maxColumnId",
    "delta.columnMapping.mode",
    "delta.compatibility.symlinkFormatManifest.enabled",
    "delta.coordinatedCommits.commitCoordinator-preview",
    "delta.coordinatedCommits.commitCoordinatorConf-preview",
    "delta.coordinatedCommits.tableConf-preview",
    "delta.dataSkippingNumIndexedCols",
    "delta.dataSkippingStatsColumns",
    "delta.dataSkippingStringPrefixLength",
    "delta.deletedFileRetentionDuration",
    "delta.dropFeatureTruncateHistory.retentionDuration",
    "delta.enableChangeDataCapture",
    "delta.enableChangeDataFeed",
    "delta.enableDeletionVectors",
    "delta.enableExpiredLogCleanup",
    "delta.enableFullRetentionRollback",
    "delta.enableIcebergCompatV1",
    "delta.enableIcebergCompatV2",
    "delta.enableIcebergCompatV3",
    "delta.enableInCommitTimestamps",
    "delta.enableMaterializePartitionColumnsFeature",
    "delta.enableRowTracking",
    "delta.enableTypeWidening",
    "delta.enableVariantShredding",
    "delta.ignoreIcebergBucketPartition",
    "delta.ignoreProtocolDefaults",
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.inCommitTimestampEnablementVersion",
    "delta.isolationLevel",
    "delta.logRetentionDuration",
    "delta.minReaderVersion",
    "delta.minWriterVersion",
    "delta.parquet.format.version",
    "delta.randomPrefixLength",
    "delta.randomizeFilePrefixes",
    "delta.redirectReaderWriter-preview",
    "delta.redirectWriterOnly-preview",
    "delta.requireCheckpointProtectionBeforeVersion",
    "delta.rowTrackingSuspended",
    "delta.sampleRetentionDuration",
    "delta.setTransactionRetentionDuration",
    "delta.universalFormat.enabledFormats",
    "delta.universalFormat.iceberg.atomicConversion.supported",
    "delta.writePartitionColumnsToParquet",
)
"""The keys in the registry of open-source Delta 4.4.0, which has all those of Delta 3.3.3 and 4.0.1."""

REGISTRY = frozenset(map(folded, OPEN_SOURCE))
"""The keys of open-source Delta in lower case."""

DATABRICKS: Mapping[str, str] = MappingProxyType(
    {
        "delta.liquid.clusteringColumns": "databricks/terraform-provider-databricks, sqlTableIsManagedProperty",
        "delta.parquet.compression.codec": "SHOW CREATE TABLE of tables on Databricks",
        "delta.targetFileSize": "docs.databricks.com, Table properties reference",
        "delta.tuneFileSizesForRewrites": "docs.databricks.com, Table properties reference",
        "delta.workloadBasedColumns.deltaFileStatistics": "tables with predictive optimization on Databricks",
        "delta.workloadBasedColumns.optimizerStatistics": "SHOW CREATE TABLE of tables on Databricks",
    }
)
"""Keys that Databricks knows and open-source Delta 4.4.0 does not, each with its source (November 2026)."""

_DATABRICKS = frozenset(map(folded, DATABRICKS))


def is_open_source(key: str, registry: Collection[str] = REGISTRY) -> bool:
    """Whether open-source Delta accepts a property, or ignores it because Delta does not define it."""
    name = folded(key)
    return not name.startswith(DELTA) or name in registry or name.startswith(PREFIXES)


def is_databricks_only(key: str, registry: Collection[str] = REGISTRY) -> bool:
    """Whether Databricks knows a property that open-source Delta refuses."""
    return folded(key) in _DATABRICKS and not is_open_source(key, registry)


def is_known(key: str) -> bool:
    """Whether open-source Delta or Databricks knows a property, or does not look at it."""
    return is_open_source(key) or is_databricks_only(key)


def nearest_key(key: str) -> str | None:
    """Return the known key that resembles a misspelt one most; ``None`` if none does."""
    return nearest_name(key, (*OPEN_SOURCE, *DATABRICKS))


_NUMBERS = NameSet(
    (
        "delta.checkpointInterval",
        "delta.dataSkippingNumIndexedCols",
        "delta.dataSkippingStringPrefixLength",
        "delta.randomPrefixLength",
    )
)
_WORDS = NameSet(("delta.isolationLevel", MAPPING_PROPERTY))
_LISTS_OF_COLUMNS = NameSet(("delta.dataSkippingStatsColumns",))

_NUMBER = re.compile(r"[+-]?[0-9]+")
_QUOTED = r"`(?:[^`]|``)*`"
_PART = rf"\s*(?:{_QUOTED}|[^.,`\s](?:[^.,`]*[^.,`\s])?)\s*"
_PATH = rf"{_PART}(?:\.{_PART})*"
_LIST = re.compile(rf"{_PATH}(?:,{_PATH})*")
_NAMES = re.compile(rf"({_QUOTED})|([^.,`]+)|([.,])")

_MICROSECONDS = {
    "week": 7 * 24 * 3_600_000_000,
    "day": 24 * 3_600_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1000,
    "microsecond": 1,
}
_AMOUNT = r"[+-]?[0-9]+(?:\.[0-9]{1,9}(?=\s+seconds?\b))?\s+[a-z]+"
_INTERVAL = re.compile(rf"(?:interval \s*)?({_AMOUNT}(?:\s+{_AMOUNT})*)")
_AMOUNTS = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]*))?\s+([a-z]+)")


def equal_values(key: str, wanted: str, stored: str | None) -> bool:
    """Whether two values of a property mean the same to Delta (4.4.0).

    Values of Delta's own keys are compared as booleans, intervals, numbers, words and lists of columns, where both
    sides can be read so. A protocol version is reached when it is exceeded, because Delta never lowers one; a version
    that only lets the protocol name its features is always reached, because Delta lowers it to what the features need.
    All other values are compared as text.
    """
    if wanted == stored:
        return True
    name = folded(key)
    if stored is None or not name.startswith(DELTA):
        return False
    if name in PROTOCOL_VERSIONS:
        least, actual = _number(wanted), _number(stored)
        return least is not None and actual is not None and (actual >= least or least == PROTOCOL_VERSIONS[name])
    read = _reader(name)
    value = read(wanted)
    return value is not None and value == read(stored)


def _reader(name: str) -> Callable[[str], object]:
    """Return the function that reads the values of a property; it returns ``None`` for anything that is not a value."""
    if name in _NUMBERS:
        return _number
    if name in _WORDS:
        return str.lower
    return _columns if name in _LISTS_OF_COLUMNS else _boolean_or_interval


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


def _columns(text: str) -> list[list[str]] | None:
    """Return the paths of columns in a list; ``None`` for a malformed one."""
    if _LIST.fullmatch(text) is None:
        return None
    paths: list[list[str]] = [[]]
    for quoted, bare, separator in _NAMES.findall(text):
        if separator == ",":
            paths.append([])
        elif quoted:
            paths[-1].append(folded(quoted[1:-1].replace("``", "`")))
        elif bare.strip():
            paths[-1].append(folded(bare.strip()))
    return paths


def _boolean_or_interval(text: str) -> tuple[str, object] | None:
    if text.lower() in {"true", "false"}:
        return "boolean", text.lower()
    length = milliseconds(text)
    return None if length is None else ("milliseconds", length)


def milliseconds(text: str) -> int | None:
    """Return the length of an interval as Delta uses it; it refuses quoted amounts, months and negative intervals."""
    match = _INTERVAL.fullmatch(text.strip().lower())
    if match is None:
        return None
    total = 0
    for sign, amount, fraction, unit in _AMOUNTS.findall(match.group(1)):
        size = _MICROSECONDS.get(unit.removesuffix("s"))
        if size is None:
            return None
        microseconds = int(amount) * size + int(fraction.ljust(6, "0")[:6])
        total += -microseconds if sign == "-" else microseconds
    return total // 1000 if total >= 0 else None
