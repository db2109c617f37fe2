"""Make the catalog entries that the server's Spark connector would make, from the Delta logs of tables."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LOG = "_delta_log"


def schemas_in(store: Path) -> dict[str, list[os.DirEntry[str]]]:
    """Return the schemas of a folder, by their dotted names, with the folders of tables in each."""
    return {
        f"{catalog.name}.{schema.name}": _folders(schema) for catalog in _folders(store) for schema in _folders(catalog)
    }


def logs_in(schemas: Mapping[str, Iterable[os.DirEntry[str]]]) -> dict[str, Path]:
    """Return the Delta logs in folders of schemas by the dotted names of their tables."""
    return {
        f"{schema}.{table.name}": Path(table, _LOG)
        for schema, tables in schemas.items()
        for table in tables
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
        return any(name.endswith(".json") for name in os.listdir(f"{table.path}/{_LOG}"))  # noqa: PTH208 - as above
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
