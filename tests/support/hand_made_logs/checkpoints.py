"""Logs with odd checkpoints, one or several, compactions, and checksums of versions."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from support.hand_made_logs.files import (
    ABSENT,
    FEW,
    GOOD,
    METADATA,
    PROTOCOL,
    changed,
    checksum_of,
    features,
    info,
    later,
    lines,
    log,
    put,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from support.hand_made_logs.files import Write


UUID = "0d7ab2b3-0000-4000-8000-000000000000"
SECOND = features("v2Checkpoint", reader=("v2Checkpoint",))
_TEXTS = pa.map_(pa.string(), pa.string())
_SCHEMA = pa.schema(
    {
        "protocol": pa.struct(
            {
                "minReaderVersion": pa.int32(),
                "minWriterVersion": pa.int32(),
                "readerFeatures": pa.list_(pa.string()),
                "writerFeatures": pa.list_(pa.string()),
            }
        ),
        "metaData": pa.struct(
            {
                "id": pa.string(),
                "description": pa.string(),
                "format": pa.struct({"provider": pa.string(), "options": _TEXTS}),
                "schemaString": pa.string(),
                "partitionColumns": pa.list_(pa.string()),
                "configuration": _TEXTS,
                "createdTime": pa.int64(),
            }
        ),
        "add": pa.struct(
            {
                "path": pa.string(),
                "partitionValues": _TEXTS,
                "size": pa.int64(),
                "modificationTime": pa.int64(),
                "dataChange": pa.bool_(),
            }
        ),
        "sidecar": pa.struct({"path": pa.string(), "sizeInBytes": pa.int64(), "modificationTime": pa.int64()}),
        "checkpointMetadata": pa.struct({"version": pa.int64()}),
    }
)
_CHECKPOINTS_ADD = {"path": "p.parquet", "partitionValues": [], "size": 1, "modificationTime": 1, "dataChange": True}


def parquet(*actions: Mapping[str, Any], columns: tuple[str, ...] = tuple(_SCHEMA.names)) -> bytes:
    """Return a checkpoint in parquet."""
    rows = []
    for action in actions:
        row = dict(action)
        if row.get("metaData"):
            entry = row["metaData"]
            form = {**entry["format"], "options": list(entry["format"]["options"].items())}
            row["metaData"] = {**entry, "format": form, "configuration": list(entry["configuration"].items())}
        rows.append(row)
    file = BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema([_SCHEMA.field(name) for name in columns])), file)
    return file.getvalue()


def _named(version: int, ending: str) -> str:
    return f"{version:020d}.{ending}"


def log_with(
    files: Mapping[str, str | bytes], *, first: str = GOOD, number: int = 4, lost: tuple[int, ...] = ()
) -> Write:
    """Return a log of commits, with other files; names in ``lost`` are versions whose commits are not there."""

    def write(folder: Path) -> None:
        path = log(folder, first, *map(later, range(1, number)))
        for version in lost:
            (path / f"{version:020d}.json").unlink()
        for name, content in files.items():
            (path / name).parent.mkdir(exist_ok=True)
            put(path, name, content)

    return write


OTHER = {**METADATA, "description": "of the checkpoint"}
WHOLE = parquet({"protocol": PROTOCOL}, {"metaData": OTHER}, {"add": _CHECKPOINTS_ADD})
GONE = (0, 1, 2)


def _classic() -> Iterator[tuple[str, Write]]:
    name = _named(2, "checkpoint.parquet")
    contents: dict[str, bytes] = {
        "whole": WHOLE,
        "empty file": b"",
        "cut": WHOLE[:-20],
        "without metadata": parquet({"protocol": PROTOCOL}),
        "without the column of adds": parquet(
            {"metaData": OTHER}, {"protocol": PROTOCOL}, columns=("metaData", "protocol")
        ),
        "schema of SQL": parquet({"protocol": PROTOCOL}, {"metaData": {**OTHER, "schemaString": _sql_schema()}}),
        "unknown feature": parquet({"protocol": features("weird", reader=("weird",))}, {"metaData": OTHER}),
    }
    for label, content in contents.items():
        if label in {"whole", "cut", "without metadata", "schema of SQL"}:
            yield f"checkpoint: {label}", log_with({name: content})
        yield f"checkpoint without its commits: {label}", log_with({name: content}, lost=GONE)
    parts = {
        _named(2, "checkpoint.0000000001.0000000002.parquet"): parquet({"protocol": PROTOCOL}, {"metaData": OTHER}),
        _named(2, "checkpoint.0000000002.0000000002.parquet"): parquet({"add": _CHECKPOINTS_ADD}),
    }
    second = _named(2, "checkpoint.0000000002.0000000002.parquet")
    yield "checkpoint of two parts", log_with(parts)
    yield "checkpoint of two parts without its commits", log_with(parts, lost=GONE)
    yield (
        "checkpoint that lacks a part, without its commits",
        log_with({_named(2, "checkpoint.0000000001.0000000002.parquet"): WHOLE}, lost=GONE),
    )
    yield "checkpoint with a cut part", log_with({**parts, second: WHOLE[:-20]}, lost=GONE)
    for name in ("checkpoint.1.1.parquet", "checkpoint.json", f"checkpoint.{UUID}.parquet"):
        yield f"checkpoint in {name}", log_with({_named(2, name): WHOLE})
    yield "checkpoint of a later version", log_with({_named(9, "checkpoint.parquet"): WHOLE})
    yield "checkpoint of the newest version", log_with({_named(3, "checkpoint.parquet"): WHOLE})
    yield "checkpoint of the newest version only", log_with({_named(3, "checkpoint.parquet"): WHOLE}, lost=(0, 1, 2, 3))
    yield (
        "newer checkpoint cut",
        log_with({_named(1, "checkpoint.parquet"): WHOLE, _named(2, "checkpoint.parquet"): WHOLE[:-20]}, lost=(0,)),
    )


def _sql_schema() -> str:
    return str(METADATA["schemaString"]).replace("long", "bigint")


def _compactions() -> Iterator[tuple[str, Write]]:
    newer = lines({"metaData": {**METADATA, "description": "compacted"}}, {"protocol": PROTOCOL})
    same = lines({"metaData": METADATA}, {"protocol": PROTOCOL})
    for label, name, content in (
        ("of the same", _compacted(0, 3), same),
        ("with other metadata", _compacted(0, 3), newer),
        ("of some commits with other metadata", _compacted(1, 2), newer),
        ("past the end", _compacted(1, 9), newer),
        ("that is cut", _compacted(0, 3), newer[:-20]),
    ):
        yield f"compaction {label}", log_with({name: content})
        if label in {"of the same", "with other metadata"}:
            yield f"compaction {label} whose commits are missing", log_with({name: content}, lost=(1, 2))
            yield f"compaction {label} without the first commit", log_with({name: content}, lost=(0,))


def _compacted(first: int, last: int) -> str:
    return f"{first:020d}.{last:020d}.compacted.json"


CHECKSUM = {
    "tableSizeBytes": 0,
    "numFiles": 0,
    "numMetadata": 1,
    "numProtocol": 1,
    "setTransactions": [],
    "domainMetadata": [],
    "metadata": METADATA,
    "protocol": PROTOCOL,
    "allFiles": [],
}


def _checksums() -> Iterator[tuple[str, Write]]:
    name = _named(3, "crc")
    for label, content in wrong(CHECKSUM, *CHECKSUM, wrong_values=FEW):
        yield f"checksum {label}", log_with({name: json.dumps(content)})
    keys = ("schemaString", "partitionColumns", "configuration", "description", "id", "format", "createdTime", "name")
    for label, metadata in wrong(METADATA, *keys, wrong_values=("null", "5")):
        yield f"metadata of a checksum {label}", log_with({name: json.dumps({**CHECKSUM, "metadata": metadata})})
    for label, protocol in wrong(PROTOCOL, "minReaderVersion", wrong_values=FEW):
        yield f"protocol of a checksum {label}", log_with({name: json.dumps({**CHECKSUM, "protocol": protocol})})
    whole = json.dumps(CHECKSUM)
    sql = {**METADATA, "schemaString": _sql_schema()}
    other: dict[str, Any] = {
        "with another description": {**CHECKSUM, "metadata": OTHER},
        "with a type of SQL": {**CHECKSUM, "metadata": sql},
        "with an unknown feature": {**CHECKSUM, "protocol": features("weird", reader=("weird",))},
        "without metadata and protocol": changed(CHECKSUM, metadata=ABSENT, protocol=ABSENT),
    }
    for label, content in other.items():
        yield f"checksum {label}", log_with({name: json.dumps(content)})
    texts: dict[str, str | bytes] = {
        "empty": "",
        "cut": whole[:-20],
        "a list": "[]",
        "with NaN": whole.replace('"numFiles": 0', '"numFiles": NaN'),
    }
    for label, text in texts.items():
        yield f"checksum {label}", log_with({name: text})
    checkpoint = {_named(2, "checkpoint.parquet"): parquet({"protocol": PROTOCOL}, {"metaData": METADATA})}
    malformed: dict[str, Any] = {
        "a good checksum": CHECKSUM,
        "other metadata": {**CHECKSUM, "metadata": OTHER},
        "metadata of a text": {**CHECKSUM, "metadata": "x"},
    }
    for label, content in malformed.items():
        yield (
            f"checkpoint without its commits, and {label}",
            log_with({**checkpoint, name: json.dumps(content)}, lost=GONE),
        )
    yield "checksum of a version that is missing", log_with({_named(4, "crc"): whole})
    yield "checksum with Hadoop's checksum of another", log_with({name: whole, f".{name}.crc": checksum_of(b"x")})
    yield (
        "older checksum with other metadata",
        log_with({_named(2, "crc"): json.dumps({**CHECKSUM, "metadata": OTHER})}),
    )


def _all() -> tuple[Callable[[], Iterator[tuple[str, Write]]], ...]:
    return (_classic, _compactions, _checksums)


CHECKPOINT_CASES = dict(case for cases in _all() for case in cases())


if TYPE_CHECKING:
    Files = dict[str, str | bytes]

_FIRST = lines(info(0), {"protocol": SECOND}, {"metaData": METADATA})
_NAME = f"{2:020d}.checkpoint.{UUID}"
_OF_VERSION = {"checkpointMetadata": {"version": 2}}
_HEAD = ({"protocol": SECOND}, {"metaData": OTHER})
_SECOND_CHECKPOINTS_ADD = {
    "path": "p.parquet",
    "partitionValues": {},
    "size": 1,
    "modificationTime": 1,
    "dataChange": True,
}
_ROW = {"add": {**_SECOND_CHECKPOINTS_ADD, "partitionValues": []}}
"""The same in parquet, where maps are pairs."""

_PART = f"{UUID[:-1]}1.parquet"
_SIDECAR = parquet(_ROW, columns=("add",))
_REFERENCE = {"path": _PART, "sizeInBytes": len(_SIDECAR), "modificationTime": 1}
_WITH_PART: Files = {f"_sidecars/{_PART}": _SIDECAR}


def _checkpoint(kind: str, *actions: Mapping[str, Any]) -> Files:
    return {f"{_NAME}.{kind}": parquet(*actions) if kind == "parquet" else lines(*actions)}


def _referring(kind: str, **changes: Any) -> Files:
    return _checkpoint(kind, _OF_VERSION, *_HEAD, {"sidecar": {**_REFERENCE, **changes}})


def _of_kind(kind: str) -> Iterator[tuple[str, Files]]:
    """Yield the files of odd checkpoints, by what is odd."""
    file = _ROW if kind == "parquet" else {"add": _SECOND_CHECKPOINTS_ADD}
    whole = _checkpoint(kind, _OF_VERSION, *_HEAD, file)
    content = whole[f"{_NAME}.{kind}"]
    yield "whole", whole
    yield "with a sidecar", _referring(kind) | _WITH_PART
    yield "with a sidecar that is missing", _referring(kind)
    yield "with a sidecar that is cut", _referring(kind) | {f"_sidecars/{_PART}": _SIDECAR[:-20]}
    yield "with a sidecar in another folder", _referring(kind, path=f"../{_PART}") | {_PART: _SIDECAR}
    yield "without its version", _checkpoint(kind, *_HEAD, file)
    yield "without a protocol", _checkpoint(kind, _OF_VERSION, _HEAD[1], file)
    yield "without metadata", _checkpoint(kind, _OF_VERSION, _HEAD[0], file)
    yield "cut", {f"{_NAME}.{kind}": content[:-20]}


def _checkpoints() -> Iterator[tuple[str, Write]]:
    for kind in ("parquet", "json"):
        for label, files in _of_kind(kind):
            if label in {"whole", "cut", "with a sidecar", "with a sidecar that is missing"}:
                yield f"second checkpoint in {kind}, {label}", log_with(files, first=_FIRST)
            yield f"second checkpoint in {kind} without its commits, {label}", log_with(files, first=_FIRST, lost=GONE)
    classic = {f"{2:020d}.checkpoint.parquet": parquet(*_HEAD, _ROW)}
    yield "second checkpoint next to a classic one", log_with(_referring("json") | classic, first=_FIRST, lost=GONE)
    lost = [_REFERENCE, {**_REFERENCE, "path": f"{UUID[:-1]}2.parquet"}]
    listed = {"path": f"{_NAME}.parquet", "sizeInBytes": 1, "modificationTime": 1, "sidecarFiles": lost}
    hint = json.dumps({"version": 2, "size": 4, "v2Checkpoint": {**listed, "nonFileActions": []}})
    hinted = {**_referring("parquet"), **_WITH_PART, "_last_checkpoint": hint}
    yield "hint of a second checkpoint in parquet, of a missing sidecar", log_with(hinted, first=_FIRST, lost=GONE)


SECOND_CHECKPOINT_CASES = dict(_checkpoints())
