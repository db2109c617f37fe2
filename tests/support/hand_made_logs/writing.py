"""Write logs by hand: a good log of two commits, and every part of it that a case replaces."""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

from support.logs import TIME, field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Write = Callable[[Path], object]
    """Writes a log to the folder of a table."""

FIELDS = (field("id"), field("name", "string"))
PROTOCOL = {"minReaderVersion": 1, "minWriterVersion": 2}
METADATA = {
    "id": "5e9e6d3b-0000-4000-8000-000000000000",
    "format": {"provider": "parquet", "options": {}},
    "schemaString": json.dumps({"type": "struct", "fields": FIELDS}),
    "partitionColumns": [],
    "configuration": {},
    "createdTime": TIME,
}
ABSENT = object()
"""The value of a key that an action lacks."""


def schema(*fields: Mapping[str, Any]) -> str:
    """Return the text of a schema."""
    return json.dumps({"type": "struct", "fields": fields})


def features(*names: str, reader: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Return a protocol with named features.

    Args:
        names: The features of writers.
        reader: Those of readers; without them the protocol does not name any.
    """
    named = {"writerFeatures": list(names)}
    if reader is None:
        return {"minReaderVersion": 1, "minWriterVersion": 7, **named}
    return {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": list(reader), **named}


def changed(action: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Return an action with other values; :data:`ABSENT` removes a key."""
    return {key: value for key, value in {**action, **changes}.items() if value is not ABSENT}


def lines(*actions: Mapping[str, Any]) -> str:
    """Return the text of a commit."""
    return "".join(json.dumps(action) + "\n" for action in actions)


def info(version: int) -> dict[str, Any]:
    """Return the information of a commit."""
    parameters: dict[str, str] = {}
    return {"commitInfo": {"timestamp": TIME + version, "operation": "TEST", "operationParameters": parameters}}


def later(version: int) -> str:
    """Return the text of a commit that changes neither the metadata nor the protocol."""
    return lines(info(version), {"txn": {"appId": "test", "version": version}})


def log(folder: Path, *contents: str | bytes) -> Path:
    """Write the commits of a log, and return its folder."""
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    for version, content in enumerate(contents):
        put(log, f"{version:020d}.json", content)
    return log


def put(log: Path, name: str, content: str | bytes) -> None:
    """Write one file of a log."""
    (log / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def checksum_of(content: bytes, block: int = 512) -> bytes:
    """Return the checksum file that Hadoop writes for a file (Hadoop 3.4)."""
    sums = (zlib.crc32(content[start : start + block]) for start in range(0, len(content), block))
    return b"crc\0" + struct.pack(">i", block) + b"".join(struct.pack(">I", value) for value in sums)


def of_actions(metadata: Any = METADATA, protocol: Any = PROTOCOL, *others: Mapping[str, Any]) -> Write:
    """Return a log of two commits, the first of which has these actions."""
    stated = [
        {kind: action} for kind, action in (("protocol", protocol), ("metaData", metadata)) if action is not ABSENT
    ]
    return lambda folder: log(folder, lines(info(0), *stated, *others), later(1))


def of_metadata(protocol: Mapping[str, Any] = PROTOCOL, **changes: Any) -> Write:
    """Return a log whose metadata has other values."""
    return of_actions(changed(METADATA, **changes), protocol)


def of_protocol(**changes: Any) -> Write:
    """Return a log whose protocol has other values."""
    return of_actions(METADATA, changed(PROTOCOL, **changes))


def of_fields(*fields: Any, protocol: Mapping[str, Any] = PROTOCOL, **changes: Any) -> Write:
    """Return a log with other columns."""
    return of_metadata(protocol, schemaString=schema(*fields), **changes)
