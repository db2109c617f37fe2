"""Logs with odd checkpoints, one or several, compactions, checksums of versions, and hints in ``_last_checkpoint``."""

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
    from collections.abc import Callable, Iterator, Mapping, Sequence
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
        "noise": bytes(range(128, 256)) * 4,
        "cut": WHOLE[:-20],
        "without rows": parquet(),
        "without protocol": parquet({"metaData": OTHER}),
        "without metadata": parquet({"protocol": PROTOCOL}),
        "without the column of the protocol": parquet({"metaData": OTHER}, columns=("metaData", "add")),
        "without the column of adds": parquet(
            {"metaData": OTHER}, {"protocol": PROTOCOL}, columns=("metaData", "protocol")
        ),
        "two metadata": parquet({"protocol": PROTOCOL}, {"metaData": OTHER}, {"metaData": METADATA}),
        "two protocols": parquet(
            {"protocol": PROTOCOL}, {"metaData": OTHER}, {"protocol": {**PROTOCOL, "minWriterVersion": 3}}
        ),
        "schema of SQL": parquet({"protocol": PROTOCOL}, {"metaData": {**OTHER, "schemaString": _sql_schema()}}),
        "null schema": parquet({"protocol": PROTOCOL}, {"metaData": {**OTHER, "schemaString": None}}),
        "null id": parquet({"protocol": PROTOCOL}, {"metaData": {**OTHER, "id": None}}),
        "null format": parquet(
            {"protocol": PROTOCOL}, {"metaData": {**OTHER, "format": {"provider": None, "options": {}}}}
        ),
        "unknown partition column": parquet(
            {"protocol": PROTOCOL}, {"metaData": {**OTHER, "partitionColumns": ["other"]}}
        ),
        "null partition column": parquet({"protocol": PROTOCOL}, {"metaData": {**OTHER, "partitionColumns": [None]}}),
        "null partition columns": parquet({"protocol": PROTOCOL}, {"metaData": {**OTHER, "partitionColumns": None}}),
        "null property": parquet({"protocol": PROTOCOL}, {"metaData": {**OTHER, "configuration": {"a": None}}}),
        "null version": parquet({"protocol": {**PROTOCOL, "minReaderVersion": None}}, {"metaData": OTHER}),
        "unknown feature": parquet({"protocol": features("weird", reader=("weird",))}, {"metaData": OTHER}),
        "wrong versions": parquet({"protocol": {"minReaderVersion": 9, "minWriterVersion": 9}}, {"metaData": OTHER}),
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
    yield "checkpoint that lacks a part", log_with({_named(2, "checkpoint.0000000001.0000000002.parquet"): WHOLE})
    yield (
        "checkpoint that lacks a part, without its commits",
        log_with({_named(2, "checkpoint.0000000001.0000000002.parquet"): WHOLE}, lost=GONE),
    )
    yield "checkpoint with a cut part", log_with({**parts, second: WHOLE[:-20]}, lost=GONE)
    for name in (
        "checkpoint.0000000000.0000000001.parquet",
        "checkpoint.0000000001.0000000000.parquet",
        "checkpoint.0000000003.0000000002.parquet",
        "checkpoint.9999999999.9999999999.parquet",
        "checkpoint.1.1.parquet",
        "checkpoint.PARQUET",
        "checkpoint.x.parquet",
        "checkpoint.json",
        "checkpoint.parquet.tmp",
        f"checkpoint.{UUID}.parquet",
        f"checkpoint.{UUID}.json",
        f"checkpoint.{UUID}.txt",
    ):
        yield f"checkpoint in {name}", log_with({_named(2, name): WHOLE})
    yield "checkpoint of a later version", log_with({_named(9, "checkpoint.parquet"): WHOLE})
    yield "checkpoint of a large version", log_with({_named(10**19, "checkpoint.parquet"): WHOLE})
    yield "checkpoint of the newest version", log_with({_named(3, "checkpoint.parquet"): WHOLE})
    yield "checkpoint of the newest version only", log_with({_named(3, "checkpoint.parquet"): WHOLE}, lost=(0, 1, 2, 3))
    yield "checkpoint in a name of few digits", log_with({"2.checkpoint.parquet": WHOLE})
    yield (
        "two checkpoints",
        log_with({_named(1, "checkpoint.parquet"): WHOLE[:-20], _named(2, "checkpoint.parquet"): WHOLE}, lost=GONE),
    )
    yield (
        "newer checkpoint cut",
        log_with({_named(1, "checkpoint.parquet"): WHOLE, _named(2, "checkpoint.parquet"): WHOLE[:-20]}, lost=(0,)),
    )
    yield "gap behind a checkpoint", log_with({_named(1, "checkpoint.parquet"): WHOLE}, lost=(0, 1, 2))


def _sql_schema() -> str:
    return str(METADATA["schemaString"]).replace("long", "bigint")


def _compactions() -> Iterator[tuple[str, Write]]:
    newer = lines({"metaData": {**METADATA, "description": "compacted"}}, {"protocol": PROTOCOL})
    same = lines({"metaData": METADATA}, {"protocol": PROTOCOL})
    for label, name, content in (
        ("of the same", _compacted(0, 3), same),
        ("with other metadata", _compacted(0, 3), newer),
        ("of some commits", _compacted(1, 2), lines({"txn": {"appId": "test", "version": 2}})),
        ("of some commits with other metadata", _compacted(1, 2), newer),
        ("of one commit", _compacted(1, 1), newer),
        ("backwards", _compacted(2, 1), newer),
        ("past the end", _compacted(1, 9), newer),
        ("of a large range", _compacted(0, 10**18), newer),
        ("of larger numbers", _compacted(0, 10**20 - 1), newer),
        ("of a few digits", "0.3.compacted.json", newer),
        ("that is empty", _compacted(0, 3), ""),
        ("that is cut", _compacted(0, 3), newer[:-20]),
        ("of noise", _compacted(0, 3), "x"),
    ):
        yield f"compaction {label}", log_with({name: content})
        if label in {"of the same", "with other metadata"}:
            yield f"compaction {label} whose commits are missing", log_with({name: content}, lost=(1, 2))
            yield f"compaction {label} without the first commit", log_with({name: content}, lost=(0,))
    overlapping = {_compacted(0, 2): newer, _compacted(1, 3): same}
    yield "compactions that overlap", log_with(overlapping)


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
        "with a newer protocol": {**CHECKSUM, "protocol": {**PROTOCOL, "minWriterVersion": 3}},
        "with an unknown feature": {**CHECKSUM, "protocol": features("weird", reader=("weird",))},
        "with null features": {**CHECKSUM, "protocol": {**PROTOCOL, "writerFeatures": None}},
        "with another key": {**CHECKSUM, "other": 1},
        "with a number of files": {**CHECKSUM, "numFiles": 7},
        "without metadata and protocol": changed(CHECKSUM, metadata=ABSENT, protocol=ABSENT),
    }
    for label, content in other.items():
        yield f"checksum {label}", log_with({name: json.dumps(content)})
    texts: dict[str, str | bytes] = {
        "empty": "",
        "cut": whole[:-20],
        "a list": "[]",
        "null": "null",
        "a text": '"x"',
        "noise": bytes(range(128, 256)),
        "in two lines": whole.replace(", ", ",\n", 3),
        "with a newline": whole + "\n",
        "with a second line": whole + "\n{}",
        "with text behind": whole + " text",
        "with a byte order mark": b"\xef\xbb\xbf" + whole.encode(),
        "with NaN": whole.replace('"numFiles": 0', '"numFiles": NaN'),
        "with NaN of another key": whole.replace('"numFiles"', '"other": NaN, "numFiles"'),
        "deep": "[" * 5000,
        "with many digits": whole.replace('"numFiles"', f'"other": {"9" * 5000}, "numFiles"'),
    }
    for label, text in texts.items():
        yield f"checksum {label}", log_with({name: text})
    checkpoint = {_named(2, "checkpoint.parquet"): parquet({"protocol": PROTOCOL}, {"metaData": METADATA})}
    malformed: dict[str, Any] = {
        "a good checksum": CHECKSUM,
        "other metadata": {**CHECKSUM, "metadata": OTHER},
        "a type of SQL": {**CHECKSUM, "metadata": sql},
        "an unknown feature": {**CHECKSUM, "protocol": features("weird", reader=("weird",))},
        "null features": {**CHECKSUM, "protocol": {**PROTOCOL, "writerFeatures": None}},
        "a version of a text": {**CHECKSUM, "protocol": {**PROTOCOL, "minReaderVersion": "x"}},
        "metadata of a text": {**CHECKSUM, "metadata": "x"},
        "no files": changed(CHECKSUM, numFiles=ABSENT),
        "a text for a number": {**CHECKSUM, "numFiles": "x"},
        "domains of a text": {**CHECKSUM, "domainMetadata": "x"},
    }
    for label, content in malformed.items():
        yield (
            f"checkpoint without its commits, and {label}",
            log_with({**checkpoint, name: json.dumps(content)}, lost=GONE),
        )
    yield "checksum of a version that is missing", log_with({_named(4, "crc"): whole})
    yield "checksum of a large version", log_with({_named(10**19, "crc"): whole})
    yield "checksum in a name of few digits", log_with({"3.crc": json.dumps(other["with another description"])})
    yield "checksum with Hadoop's checksum of another", log_with({name: whole, f".{name}.crc": checksum_of(b"x")})
    yield (
        "older checksum with other metadata",
        log_with({_named(2, "crc"): json.dumps({**CHECKSUM, "metadata": OTHER})}),
    )


def _checkpoints_hints() -> Iterator[tuple[str, Write]]:
    checkpoint = {_named(2, "checkpoint.parquet"): WHOLE}
    hint = {"version": 2, "size": 3, "sizeInBytes": len(WHOLE), "numOfAddFiles": 1}
    for label, content in wrong(hint, "version", "size"):
        yield f"hint {label}", log_with({**checkpoint, "_last_checkpoint": json.dumps(content)}, lost=GONE)
    values: dict[str, Any] = {
        "whole": hint,
        "of an older version": {**hint, "version": 1},
        "of a later version": {**hint, "version": 9},
        "of a negative version": {**hint, "version": -1},
        "of a large version": {**hint, "version": 2**62},
        "of a huge version": {**hint, "version": 10**30},
        "of an exponent": {**hint, "version": 1e300},
        "with parts": {**hint, "parts": 2},
        "with many parts": {**hint, "parts": 2**31 - 1},
        "with huge parts": {**hint, "parts": 10**15},
        "with negative parts": {**hint, "parts": -1},
        "with a checksum": {**hint, "checksum": "00000000000000000000000000000000"},
        "with a numeric checksum": {**hint, "checksum": 5},
        "with a schema": {**hint, "checkpointSchema": {"type": "struct", "fields": []}},
        "with a wrong schema": {**hint, "checkpointSchema": "x"},
        "with another key": {**hint, "other": 1},
        "that is a list": [hint],
        "that is a number": 2,
        "with a file": {**hint, "v2Checkpoint": {"path": "other.parquet", "sizeInBytes": 1, "modificationTime": 1}},
        "with a file of another kind": {**hint, "v2Checkpoint": 5},
        "with many sidecars": {**hint, "v2Checkpoint": _many_sidecars(5000)},
    }
    for label, content in values.items():
        yield f"hint {label}", log_with({**checkpoint, "_last_checkpoint": json.dumps(content)})
    texts: dict[str, str | bytes] = {
        "empty": "",
        "cut": '{"version":2,',
        "noise": bytes(range(128, 256)),
        "text behind": json.dumps(hint) + " text",
        "byte order mark": b"\xef\xbb\xbf" + json.dumps(hint).encode(),
        "two lines": json.dumps(hint) + '\n{"version":1}',
        "deep": "[" * 5000,
        "many digits": f'{{"version": {"9" * 5000}}}',
    }
    for label, text in texts.items():
        yield f"hint: {label}", log_with({**checkpoint, "_last_checkpoint": text})
    yield "hint of a missing checkpoint", log_with({"_last_checkpoint": json.dumps(hint)})
    yield "hint in a folder", lambda folder: (log(folder, GOOD, later(1)) / "_last_checkpoint").mkdir()


def _many_sidecars(number: int) -> dict[str, Any]:
    files = [{"path": f"{index}.parquet", "sizeInBytes": 1, "modificationTime": 1} for index in range(number)]
    return {"path": f"{2:020d}.checkpoint.parquet", "sizeInBytes": 1, "modificationTime": 1, "sidecarFiles": files}


def _all() -> tuple[Callable[[], Iterator[tuple[str, Write]]], ...]:
    return (_classic, _compactions, _checksums, _checkpoints_hints)


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
    yield (
        "with two references to a sidecar",
        {**_checkpoint(kind, _OF_VERSION, *_HEAD, {"sidecar": _REFERENCE}, {"sidecar": _REFERENCE}), **_WITH_PART},
    )
    yield "with a sidecar that is missing", _referring(kind)
    yield "with a sidecar that is cut", _referring(kind) | {f"_sidecars/{_PART}": _SIDECAR[:-20]}
    yield "with an empty sidecar", _referring(kind) | {f"_sidecars/{_PART}": b""}
    yield "with a sidecar without adds", _referring(kind) | {f"_sidecars/{_PART}": parquet(columns=("protocol",))}
    yield "with a sidecar of another size", _referring(kind, sizeInBytes=2**62) | _WITH_PART
    yield "with a sidecar of a negative size", _referring(kind, sizeInBytes=-1) | _WITH_PART
    yield "with a sidecar in another folder", _referring(kind, path=f"../{_PART}") | {_PART: _SIDECAR}
    yield "with an escaped sidecar", _referring(kind, path="a%20b.parquet") | {"_sidecars/a b.parquet": _SIDECAR}
    yield "with an empty path", _referring(kind, path="") | _WITH_PART
    yield "with a path of null", _referring(kind, path=None) | _WITH_PART
    yield "with the path of a folder", _referring(kind, path=f"_sidecars/{_PART}") | _WITH_PART
    yield "without its version", _checkpoint(kind, *_HEAD, file)
    yield "of another version", _checkpoint(kind, {"checkpointMetadata": {"version": 1}}, *_HEAD, file)
    yield "without a protocol", _checkpoint(kind, _OF_VERSION, _HEAD[1], file)
    yield "without metadata", _checkpoint(kind, _OF_VERSION, _HEAD[0], file)
    yield "without the feature", _checkpoint(kind, _OF_VERSION, {"protocol": PROTOCOL}, _HEAD[1], file)
    yield "without actions", _checkpoint(kind)
    yield "cut", {f"{_NAME}.{kind}": content[:-20]}


def _checkpoints() -> Iterator[tuple[str, Write]]:
    for kind in ("parquet", "json"):
        for label, files in _of_kind(kind):
            if label in {"whole", "cut", "with a sidecar", "with a sidecar that is missing"}:
                yield f"second checkpoint in {kind}, {label}", log_with(files, first=_FIRST)
            yield f"second checkpoint in {kind} without its commits, {label}", log_with(files, first=_FIRST, lost=GONE)
    json_texts = {
        "with a sidecar that is a text": lines(_OF_VERSION, *_HEAD, {"sidecar": "x"}),
        "with a number as path": lines(_OF_VERSION, *_HEAD, {"sidecar": {**_REFERENCE, "path": 5}}),
        "with a text as size": lines(_OF_VERSION, *_HEAD, {"sidecar": {**_REFERENCE, "sizeInBytes": "x"}}),
        "with blank lines": "\n\n" + lines(_OF_VERSION, *_HEAD),
        "with text behind": lines(_OF_VERSION, *_HEAD).replace("}\n", "} x\n"),
        "with a type of SQL": lines(
            _OF_VERSION,
            _HEAD[0],
            {"metaData": {**OTHER, "schemaString": str(OTHER["schemaString"]).replace("long", "int")}},
        ),
    }
    for label, text in json_texts.items():
        files = {f"{_NAME}.json": text, **_WITH_PART}
        yield f"second checkpoint in json without its commits, {label}", log_with(files, first=_FIRST, lost=GONE)
    both = _referring("parquet") | _checkpoint("json", _OF_VERSION, *_HEAD) | _WITH_PART
    yield "second checkpoints in parquet and json", log_with(both, first=_FIRST, lost=GONE)
    classic = {f"{2:020d}.checkpoint.parquet": parquet(*_HEAD, _ROW)}
    yield "second checkpoint next to a classic one", log_with(_referring("json") | classic, first=_FIRST, lost=GONE)
    yield (
        "second checkpoint in a classic name",
        log_with(
            {f"{2:020d}.checkpoint.parquet": parquet(_OF_VERSION, *_HEAD, {"sidecar": _REFERENCE}), **_WITH_PART},
            first=_FIRST,
            lost=GONE,
        ),
    )


def _hint(kind: str, sidecars: Sequence[Mapping[str, Any]] | None, **changes: Any) -> str:
    second = {"path": f"{_NAME}.{kind}", "sizeInBytes": 1, "modificationTime": 1, **changes}
    files = {} if sidecars is None else {"sidecarFiles": sidecars, "nonFileActions": []}
    return json.dumps({"version": 2, "size": 4, "v2Checkpoint": {**second, **files}})


def _second_checkpoints_hints() -> Iterator[tuple[str, Write]]:
    for kind in ("parquet", "json"):
        files = _referring(kind) | _WITH_PART
        other = {**_REFERENCE, "path": f"{UUID[:-1]}2.parquet"}
        for label, text in {
            "right": _hint(kind, [_REFERENCE]),
            "without sidecars": _hint(kind, None),
            "of no sidecars": _hint(kind, []),
            "of a missing sidecar": _hint(kind, [_REFERENCE, other]),
            "of many missing sidecars": _hint(kind, [{**other, "path": f"{number}.parquet"} for number in range(2000)]),
            "of a sidecar in another folder": _hint(kind, [{**_REFERENCE, "path": f"../../../{_PART}"}]),
            "of a sidecar that is a text": _hint(kind, ["x"]),  # type: ignore[list-item]
            "of another checkpoint": _hint(kind, [_REFERENCE], path=f"{2:020d}.checkpoint.{UUID[:-1]}9.{kind}"),
            "of a checkpoint elsewhere": _hint(kind, [_REFERENCE], path=f"../{_NAME}.{kind}"),
            "of a large size": _hint(kind, [_REFERENCE], sizeInBytes=2**62),
        }.items():
            hinted = {**files, "_last_checkpoint": text}
            yield f"hint of a second checkpoint in {kind}, {label}", log_with(hinted, first=_FIRST, lost=GONE)


SECOND_CHECKPOINT_CASES = dict((*_checkpoints(), *_second_checkpoints_hints()))
