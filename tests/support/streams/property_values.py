"""Properties and table features whose changes are recorded."""

from __future__ import annotations

CHECKPOINTS = "delta.checkpointPolicy"
SWITCHES = (
    "delta.appendOnly",
    "delta.enableChangeDataFeed",
    "delta.enableDeletionVectors",
    "delta.enableInCommitTimestamps",
    "delta.enableRowTracking",
    "delta.enableTypeWidening",
    "delta.autoOptimize.autoCompact",
    "delta.autoOptimize.optimizeWrite",
)
"""Properties that are on or off."""

VALUES = {
    "delta.logRetentionDuration": "interval 60 days",
    "delta.deletedFileRetentionDuration": "interval 14 days",
    "delta.setTransactionRetentionDuration": "interval 14 days",
    "delta.checkpointInterval": "20",
    "delta.dataSkippingNumIndexedCols": "8",
    "delta.dataSkippingStatsColumns": "id",
    "delta.isolationLevel": "Serializable",
}
"""Other properties, each with a value."""

ENABLED = (
    "allowColumnDefaults",
    "appendOnly",
    "changeDataFeed",
    "checkConstraints",
    "checkpointProtection",
    "columnMapping",
    "deletionVectors",
    "domainMetadata",
    "generatedColumns",
    "identityColumns",
    "inCommitTimestamp",
    "invariants",
    "materializePartitionColumns",
    "rowTracking",
    "timestampNtz",
    "typeWidening",
    "v2Checkpoint",
    "vacuumProtocolCheck",
    "variantShredding",
    "variantType",
)
"""Table features that a property enables."""
