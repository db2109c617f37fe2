"""Logs with odd files, actions and features, and how logs are written by hand."""

from __future__ import annotations

import json
import struct
import zlib
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.protocol import READER_FEATURES, WRITER_FEATURES
from support.logs import TIME, field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path


if TYPE_CHECKING:
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


def of_fields(*fields: Any, protocol: Mapping[str, Any] = PROTOCOL, **changes: Any) -> Write:
    """Return a log with other columns."""
    return of_metadata(protocol, schemaString=schema(*fields), **changes)


GOOD = lines(info(0), {"protocol": PROTOCOL}, {"metaData": METADATA})
NEWER = lines(info(1), {"metaData": {**METADATA, "description": "newer"}})
NEWEST = f"{1:020d}.json"


def with_file(name: str, content: str | bytes = NEWER) -> Write:
    """Return a good log with one more file."""

    def write(folder: Path) -> None:
        put(log(folder, GOOD, later(1)), name, content)

    return write


def commits(*contents: str | bytes) -> Write:
    """Return a log of these commits."""
    return lambda folder: log(folder, *contents)


def _names() -> Iterator[tuple[str, Write]]:
    names = [f"{2:0{digits}d}.json" for digits in (1, 19, 20, 21)]
    names += [f"{3:020d}.json", f"{2**63:020d}.json", f"{2:020d}.json.tmp", f"{2:019d}x.json", "x.json"]
    for name in names:
        yield f"file {name}", with_file(name)
    yield "empty commit in the middle", commits(GOOD, "", later(2))
    yield "empty newest commit", commits(GOOD, later(1), "")
    yield "empty first commit", commits("", GOOD)
    yield "commit without metadata", commits(lines(info(0), {"protocol": PROTOCOL}), later(1))
    yield "commit without protocol", commits(lines(info(0), {"metaData": METADATA}), later(1))
    yield "no commits", log
    yield "one commit", commits(GOOD)

    def without_first(folder: Path) -> None:
        (log(folder, GOOD, later(1), later(2)) / f"{0:020d}.json").unlink()

    def without_second(folder: Path) -> None:
        (log(folder, GOOD, later(1), later(2)) / f"{1:020d}.json").unlink()

    def folder_of_commit(folder: Path) -> None:
        (log(folder, GOOD, later(1)) / f"{2:020d}.json").mkdir()

    yield "first commit missing", without_first
    yield "second commit missing", without_second
    yield "folder with the name of a commit", folder_of_commit


def _encodings() -> Iterator[tuple[str, Write]]:
    """Yield logs whose newest commit, with metadata, is encoded in another way."""
    text, data = NEWER, NEWER.encode()
    metadata = NEWER.splitlines()[1]
    encoded: dict[str, str | bytes] = {
        "plain": text,
        "CRLF": text.replace("\n", "\r\n"),
        "blank lines": "\n\n" + text.replace("\n", "\n\n \n"),
        "byte order mark": b"\xef\xbb\xbf" + data,
        "UTF-16": text.encode("utf-16"),
        "overlong UTF-8": data.replace(b"newer", b"\xc0\xae"),
        "cut UTF-8": data.replace(b"newer", b"\xe2\x82"),
        "zero bytes behind": text + "\0\0\0",
        "text behind the object": text.replace("}\n", "} text\n"),
        "metadata behind the object": f'{{"txn":{{"appId":"x","version":1}}}} {metadata}\n',
        "list": f"[{metadata}]\n",
        "NaN": text.replace('"createdTime": ', '"other": NaN, "createdTime": '),
        "single quotes": text.replace('"', "'"),
        "object over two lines": text.replace('{"metaData": ', '{"metaData":\n'),
        "cut": text[:-10],
        "key twice": text.replace('"description"', '"description": "older", "description"'),
        "action twice": text.replace('{"metaData"', '{"metaData": {}, "metaData"'),
        "many digits": text.replace('"createdTime": ', f'"other": {"9" * 5000}, "createdTime": '),
        "deep": text + '{"other": ' + "[" * 5000 + "]" * 5000 + "}\n",
        "upper case key": text.replace("metaData", "METADATA"),
    }
    for name, content in encoded.items():
        yield f"commit: {name}", commits(GOOD, content)


def _hadoop_checksums() -> Iterator[tuple[str, Write]]:
    newer = NEWER.encode()
    changed = newer.replace(b"newer", b"other")
    sums = {
        "right": checksum_of(newer),
        "of a changed commit": checksum_of(changed),
        "empty": b"",
        "cut": checksum_of(newer)[:-2],
        "with another header": b"CRC\0" + checksum_of(newer)[4:],
        "with blocks of 100": checksum_of(newer, 100),
    }
    for name, content in sums.items():
        yield f"Hadoop's checksum {name}", _with_checksum(NEWEST, content)
    yield (
        "Hadoop's checksum of an empty commit",
        lambda folder: put(log(folder, GOOD, later(1), b""), f".{2:020d}.json.crc", checksum_of(b"x")),
    )
    yield "Hadoop's checksum without its commit", with_file(f".{2:020d}.json.crc", checksum_of(b"x"))


def _with_checksum(name: str, content: bytes) -> Write:
    return lambda folder: put(log(folder, GOOD, NEWER), f".{name}.crc", content)


FILE_CASES = dict((*_names(), *_encodings(), *_hadoop_checksums()))


_VALUES = {
    "delta.appendOnly": ("true", "false", "TRUE", "maybe", ""),
    "delta.enableDeletionVectors": ("true", "maybe"),
    "delta.enableInCommitTimestamps": ("true", "false", "maybe"),
    "delta.enableRowTracking": ("true", "maybe"),
    "delta.columnMapping.mode": ("none", "name", "id", "NAME", "weird", ""),
    "delta.logRetentionDuration": ("interval 1 day", "1 day", "weird", ""),
    "delta.coordinatedCommits.commitCoordinator-preview": ("x",),
    "delta.redirectReaderWriter-preview": ("{}", "x"),
    "delta.constraints.c": ("id > 0", "other > 0", "not SQL at all (", ""),
    "delta.feature.appendOnly": ("supported", "weird"),
    "delta.minReaderVersion": ("1", "9"),
    "DELTA.APPENDONLY": ("true",),
}


def _named() -> Iterator[tuple[str, Write]]:
    for name in READER_FEATURES:
        yield f"feature {name}", of_actions(METADATA, features(name, reader=(name,)))
        yield f"feature {name} of writers only", of_actions(METADATA, features(name))
    for name in WRITER_FEATURES:
        yield f"feature {name}", of_actions(METADATA, features(name))
    for first, second in (
        ("icebergCompatV1", "columnMapping"),
        ("rowTracking", "domainMetadata"),
        ("clustering", "domainMetadata"),
        ("icebergCompatV1", "icebergCompatV2"),
    ):
        yield f"features {first} and {second}", of_actions(METADATA, features(first, second))
    yield "feature that is not known", of_actions(METADATA, features("weird"))
    yield "feature of readers that is not known", of_actions(METADATA, features("weird", reader=("weird",)))
    yield "feature in another case", of_actions(METADATA, features("APPENDONLY"))
    yield (
        "feature of writers among those of readers",
        of_actions(METADATA, features("appendOnly", reader=("appendOnly",))),
    )
    yield "no features", of_actions(METADATA, features(reader=()))
    for reader, writer in ((1, 2), (2, 5), (1, 7), (3, 6), (2, 7)):
        named = {"minReaderVersion": reader, "minWriterVersion": writer}
        protocol = {**named, "readerFeatures": ["columnMapping"], "writerFeatures": ["columnMapping"]}
        yield f"features in protocol {reader},{writer}", of_actions(METADATA, protocol)


def _properties() -> Iterator[tuple[str, Write]]:
    for key, values in _VALUES.items():
        for value in values:
            yield f"{key} = {value!r}", of_metadata(PROTOCOL, configuration={key: value})
    ict = {"delta.enableInCommitTimestamps": "true"}
    yield "in-commit timestamps with their feature", of_metadata(features("inCommitTimestamp"), configuration=ict)
    yield (
        "two checks that differ by case",
        of_metadata(configuration={"delta.constraints.a": "id > 0", "delta.constraints.A": "id > 1"}),
    )
    yield "two properties that differ by case", of_metadata(configuration={"team": "a", "TEAM": "b"})


FEATURE_CASES = dict((*_named(), *_properties()))


WRONG: dict[str, Any] = {
    "absent": ABSENT,
    "null": None,
    "5": 5,
    "1.5": 1.5,
    "text": "text",
    "[]": [],
}
"""Values by their names."""

SOME = ("absent", "null", "5", "text")
FEW = ("absent", "5", "text")


def with_value(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """Return a copy of a value in JSON with another value at a path; :data:`ABSENT` removes a key."""
    copy = deepcopy(value)
    parent = copy
    for key in path[:-1]:
        parent = parent[key]
    if new is ABSENT:
        parent.pop(path[-1], None)
    else:
        parent[path[-1]] = new
    return copy


def wrong(value: Any, *paths: str, wrong_values: Iterable[str] = SOME) -> Iterator[tuple[str, Any]]:
    """Yield copies of a value with wrong values at paths, by names such as ``format.provider 5``.

    Args:
        value: The value, which has what it should have.
        paths: Keys, with dots between them.
        wrong_values: Names in :data:`WRONG`.
    """
    for path in paths:
        keys = tuple(int(key) if key.isdigit() else key.replace("/", ".") for key in path.split("."))
        for name in wrong_values:
            yield f"{path.replace('/', '.')} {name}", with_value(value, keys, WRONG[name])


_DOMAIN = {"domain": "test.domain", "configuration": "{}", "removed": False}
_DOMAINS = features("domainMetadata")

PROTOCOLS = {
    f"{reader},{writer}": {"minReaderVersion": reader, "minWriterVersion": writer}
    for reader, writer in ((0, 0), (1, 1), (1, 3), (1, 4), (1, 6), (2, 5), (3, 7), (2, 7), (4, 8), (3, 2), (-1, 2))
}


def _protocols() -> Iterator[tuple[str, Write]]:
    for name, protocol in wrong(PROTOCOL, "minReaderVersion", "minWriterVersion", wrong_values=("absent", "1.5")):
        yield f"protocol {name}", of_actions(METADATA, protocol)
    for name, protocol in wrong(features("appendOnly", reader=("deletionVectors",)), "readerFeatures"):
        yield f"protocol {name}", of_actions(METADATA, protocol)
    for name, protocol in wrong(features("appendOnly"), "writerFeatures"):
        yield f"protocol {name}", of_actions(METADATA, protocol)
    for name, protocol in PROTOCOLS.items():
        yield f"protocol {name}", of_actions(METADATA, protocol)
    for name, value in (("null", None), ("list", []), ("text", "x"), ("empty", {})):
        yield f"protocol of {name}", of_actions(METADATA, value)


def _metadata() -> Iterator[tuple[str, Write]]:
    whole = {**METADATA, "name": "t", "description": "text"}
    keys = ("id", "name", "description", "format", "format.provider", "format.options", "schemaString")
    for name, metadata in wrong(whole, *keys, "partitionColumns", "configuration", "createdTime"):
        yield f"metadata {name}", of_actions(metadata)
    for name, value in (("null", None), ("list", []), ("text", "x"), ("empty", {})):
        yield f"metadata of {name}", of_actions(value)
    values: Mapping[str, Any] = {
        "number": 5,
        "null": None,
        "list": ["x"],
    }
    for name, value in values.items():
        yield f"property of {name}", of_actions({**METADATA, "configuration": {"team": value}})
    yield "format of orc", of_actions({**METADATA, "format": {"provider": "orc", "options": {}}})


def _other_actions() -> Iterator[tuple[str, Write]]:
    """Yield logs with actions that say nothing about the schema."""
    commit_info = {**info(0)["commitInfo"], "isBlindAppend": True, "txnId": "x", "operationMetrics": {"a": "1"}}
    keys = ("timestamp", "operation", "operationParameters", "isBlindAppend", "txnId", "operationMetrics")
    for name, value in wrong(commit_info, *keys, wrong_values=FEW):
        yield f"commitInfo {name}", _first({"commitInfo": value})
    for name, value in wrong(_DOMAIN, *_DOMAIN, wrong_values=("absent", "5", "[]")):
        yield f"domainMetadata {name}", of_actions(METADATA, _DOMAINS, {"domainMetadata": value})
    for kind in ("commitInfo", "add", "domainMetadata", "other"):
        for name, value in (("null", None), ("a text", "x")):
            yield f"{kind} of {name}", of_actions(METADATA, PROTOCOL, {kind: value})
    yield "domain without its feature", of_actions(METADATA, PROTOCOL, {"domainMetadata": _DOMAIN})
    yield "domain", of_actions(METADATA, _DOMAINS, {"domainMetadata": _DOMAIN})
    yield "two metadata in one commit", of_actions(METADATA, PROTOCOL, {"metaData": {**METADATA, "description": "b"}})
    yield (
        "metadata and protocol in one line",
        lambda folder: log(folder, lines(info(0), {"protocol": PROTOCOL, "metaData": METADATA}), later(1)),
    )
    other = {**METADATA, "description": "later"}
    yield (
        "later metadata",
        lambda folder: log(
            folder, lines(info(0), {"protocol": PROTOCOL}, {"metaData": METADATA}), lines(info(1), {"metaData": other})
        ),
    )
    yield (
        "protocol in a later commit",
        lambda folder: log(folder, lines(info(0), {"metaData": METADATA}), lines(info(1), {"protocol": PROTOCOL})),
    )


def _first(*actions: Mapping[str, Any]) -> Write:
    return lambda folder: log(folder, lines(*actions, {"protocol": PROTOCOL}, {"metaData": METADATA}), later(1))


ACTION_CASES = dict((*_protocols(), *_metadata(), *_other_actions()))
