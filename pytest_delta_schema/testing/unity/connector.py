"""Make the catalog entries that the server's Spark connector would make, from the Delta logs of tables."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

_LOG = "_delta_log"


def logs_in(store: Path) -> dict[str, Path]:
    """Return the Delta logs of a folder by the dotted names of their tables."""
    folders = [
        (catalog.name, schema.name, table)
        for catalog in _folders(store)
        for schema in _folders(catalog)
        for table in _folders(schema)
    ]
    return {
        f"{catalog}.{schema}.{table.name}": Path(table, _LOG)
        for catalog, schema, table in folders
        if _has_commit(table)
    }


def _folders(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    # Every call of the double looks at all tables, and paths would cost most of its time.
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.is_dir()]
    except FileNotFoundError:
        return []


def _has_commit(table: os.DirEntry[str]) -> bool:
    try:
        return any(name.endswith(".json") for name in os.listdir(f"{table.path}/{_LOG}"))  # noqa: PTH208 - likewise
    except (FileNotFoundError, NotADirectoryError):
        return False


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
