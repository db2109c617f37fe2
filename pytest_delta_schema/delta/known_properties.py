"""The keys of table properties that Delta Lake and Databricks know, so a misspelt key is found early."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.names.near_names import nearest_name

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

DELTA = "delta."
"""The prefix, in lower case, of the keys that Delta Lake reserves."""

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

PREFIXES = ("delta.constraints.", "delta.feature.", "delta.universalformat.config.")
"""Prefixes, in lower case, of keys that Delta accepts without an entry in its registry (Delta 4.4.0)."""

REGISTRY = frozenset(map(folded, OPEN_SOURCE))
"""The keys of open-source Delta in lower case."""

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
