"""Make the catalog entries that the server's Spark connector would make, from the Delta logs of tables."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def logs_in(store: Path) -> dict[str, Path]:
    """Return the Delta logs of a folder by the dotted names of their tables."""
    logs = (path for path in store.glob("*/*/*/_delta_log") if any(path.glob("*.json")))
    return {".".join(path.parts[-4:-1]): path for path in logs}


def external_entry(catalog: str, schema: str, table: str, log: Path) -> dict[str, Any]:
    """Return the entry that the connector makes of an external table: a comment, and no columns."""
    comment = None
    with suppress(AttributeError, ValueError):
        actions = [json.loads(line) for line in min(log.glob("*.json")).read_text("utf-8").splitlines()]
        comment = next((action["metaData"].get("description") for action in actions if "metaData" in action), None)
    return {
        "name": table,
        "catalog_name": catalog,
        "schema_name": schema,
        "table_type": "EXTERNAL",
        "data_source_format": "DELTA",
        "storage_location": log.parent.as_uri(),
        "comment": comment,
    }
