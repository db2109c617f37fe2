"""Delta logs as files, written by tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

TIME = 1_790_000_000_000


def field(name: str, kind: Any = "long", *, nullable: bool = True, **metadata: Any) -> dict[str, Any]:
    """Write a field as a log has it."""
    return {"name": name, "type": kind, "nullable": nullable, "metadata": metadata}


def commit(folder: Path, version: int, *actions: dict[str, Any], **information: Any) -> Path:
    """Write one commit, with further information about it."""
    log = folder / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    info = {"commitInfo": {"timestamp": TIME + version, "operation": "TEST", **information}}
    text = "\n".join(json.dumps(action) for action in (info, *actions))
    (log / f"{version:020d}.json").write_text(text, "utf-8")
    return folder


def metadata(
    *fields: dict[str, Any], comment: str | None = None, partitioned_by: tuple[str, ...] = (), **configuration: str
) -> dict[str, Any]:
    """Write the metadata action; dots in keys of properties are written as two underscores."""
    entry = {
        "id": "5e9e6d3b-0000-4000-8000-000000000000",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": list(fields)}),
        "partitionColumns": list(partitioned_by),
        "configuration": {key.replace("__", "."): value for key, value in configuration.items()},
        "createdTime": TIME,
    }
    return {"metaData": {**entry, **({"description": comment} if comment else {})}}


def protocol(*features: str) -> dict[str, Any]:
    """Write the protocol action."""
    if not features:
        return {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
    return {"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": list(features)}}


def delta_log(folder: Path, *fields: dict[str, Any], **entry: Any) -> Path:
    """Make a table of one commit."""
    return commit(folder, 0, protocol(), metadata(*fields, **entry))
