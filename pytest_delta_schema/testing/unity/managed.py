"""Managed tables: the changes that a server makes to their entries."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.testing.unity.columns import stored_field, with_partitions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.catalog_entry import LogState

IMPOSED_PROPERTIES: Mapping[str, str] = MappingProxyType(
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
"""Properties that Unity Catalog 0.6.0 gives to every managed table, besides those of the protocol."""


def after_commit(info: Mapping[str, Any], log: LogState) -> dict[str, Any]:
    """Return the entry of a managed table after a commit: it has the metadata of the log."""
    fields = json.loads(log.schema)["fields"]
    return {
        **info,
        "table_type": "MANAGED",
        "comment": log.comment,
        "columns": with_partitions(map(stored_field, fields, range(len(fields))), list(log.partitioning)),
        "properties": {
            **log.configuration,
            "io.unitycatalog.tableId": info["table_id"],
            "delta.lastUpdateVersion": str(log.version),
        },
    }
