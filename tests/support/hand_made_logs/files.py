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


def of_protocol(**changes: Any) -> Write:
    """Return a log whose protocol has other values."""
    return of_actions(METADATA, changed(PROTOCOL, **changes))


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
    names = [f"{2:0{digits}d}.json" for digits in (1, 2, 5, 19, 20, 21, 25)]
    names += [
        f"{3:020d}.json",
        f"{10**6:020d}.json",
        f"{2**63:020d}.json",
        f"{10**20 - 1}.json",
        "-1.json",
        f"{2:020d}.JSON",
        f"{2:020d}.json.tmp",
        f"{2:020d}.json.gz",
        f".{2:020d}.json",
        f"_{2:020d}.json",
        f"{2:020d}",
        f"{2:020d}.{'0' * 8}-0000-4000-8000-000000000000.json",
        f"{2:019d}x.json",
        f" {2:020d}.json",
        "x.json",
        "readme.txt",
        "\u0665.json",
        f"{1:020d}.checkpoint",
        f"{2:020d}.crc.json",
    ]
    for name in names:
        yield f"file {name}", with_file(name)
    yield "empty commit in the middle", commits(GOOD, "", later(2))
    yield "empty newest commit", commits(GOOD, later(1), "")
    yield "blank newest commit", commits(GOOD, later(1), " \n\n")
    yield "empty first commit", commits("", GOOD)
    yield "only an empty commit", commits("")
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
        "without the last newline": text[:-1],
        "CRLF": text.replace("\n", "\r\n"),
        "CR": text.replace("\n", "\r"),
        "blank lines": "\n\n" + text.replace("\n", "\n\n \n"),
        "blanks around": "  " + text.replace("\n", " \t\n"),
        "byte order mark": b"\xef\xbb\xbf" + data,
        "byte order mark in the second line": text.replace('{"metaData"', '\ufeff{"metaData"'),
        "UTF-16": text.encode("utf-16"),
        "UTF-16 without mark": text.encode("utf-16-le"),
        "UTF-32": text.encode("utf-32"),
        "Latin-1": text.replace("newer", "\u00e9").encode("latin-1"),
        "UTF-8": text.replace("newer", "\u00e9"),
        "overlong UTF-8": data.replace(b"newer", b"\xc0\xae"),
        "surrogates in UTF-8": data.replace(b"newer", b"\xed\xa0\x80"),
        "escaped surrogate": data.replace(b"newer", b"\\ud800"),
        "escaped surrogate pair": data.replace(b"newer", b"\\ud83d\\ude00"),
        "cut UTF-8": data.replace(b"newer", b"\xe2\x82"),
        "form feed in front": text.replace('{"metaData"', '\f{"metaData"'),
        "form feed behind": text.replace("}\n", "}\f\n"),
        "form feed inside": text.replace("newer", "ne\fwer"),
        "vertical tab": text.replace('{"metaData"', '\v{"metaData"'),
        "line separator": text.replace("newer", "ne\u2028wer"),
        "next line": text.replace("newer", "ne\u0085wer"),
        "file separator": text.replace("newer", "ne\x1cwer"),
        "separator between actions": text.replace("}\n{", "}\x1c{"),
        "no-break space in front": text.replace('{"metaData"', '\u00a0{"metaData"'),
        "zero bytes behind": text + "\0\0\0",
        "zero byte inside": text.replace("newer", "ne\0wer"),
        "escaped zero": text.replace("newer", "ne\\u0000wer"),
        "text behind the object": text.replace("}\n", "} text\n"),
        "object behind the object": text.replace("\n", " {}\n"),
        "metadata behind the object": f'{{"txn":{{"appId":"x","version":1}}}} {metadata}\n',
        "comma behind the object": text.replace("}\n", "},\n"),
        "bracket behind the object": text.replace("}\n", "}]\n"),
        "brace behind the object": text.replace("}\n", "}}\n"),
        "list": f"[{metadata}]\n",
        "number": "5\n" + text,
        "text": '"x"\n' + text,
        "null": "null\n" + text,
        "true": "true\n" + text,
        "NaN": text.replace('"createdTime": ', '"other": NaN, "createdTime": '),
        "NaN in commitInfo": text.replace('"operation"', '"other": NaN, "operation"'),
        "infinity in commitInfo": text.replace('"operation"', '"other": -Infinity, "operation"'),
        "NaN of an unknown action": text + '{"other": NaN}\n',
        "comment": "// text\n" + text,
        "comment inside": text.replace('{"metaData"', '{/* text */"metaData"'),
        "hash": "# text\n" + text,
        "single quotes": text.replace('"', "'"),
        "bare name": text.replace('"metaData"', "metaData"),
        "comma at the end": text.replace("}}\n", "},}\n"),
        "object over two lines": text.replace('{"metaData": ', '{"metaData":\n'),
        "cut": text[:-10],
        "key twice": text.replace('"description"', '"description": "older", "description"'),
        "action twice": text.replace('{"metaData"', '{"metaData": {}, "metaData"'),
        "large number": text.replace('"createdTime": ', '"createdTime": 1e400, "other": '),
        "many digits": text.replace('"createdTime": ', f'"other": {"9" * 5000}, "createdTime": '),
        "many digits in commitInfo": text.replace('"operation"', f'"other": {"9" * 5000}, "operation"'),
        "many digits of an unknown action": text + f'{{"other": {"9" * 5000}}}\n',
        "leading zero": text.replace('"createdTime": ', '"createdTime": 01, "other": '),
        "plus": text.replace('"createdTime": ', '"createdTime": +1, "other": '),
        "deep": text + '{"other": ' + "[" * 5000 + "]" * 5000 + "}\n",
        "500 deep": text + '{"other": ' + "[" * 500 + "]" * 500 + "}\n",
        "control character": text.replace("newer", "ne\x01wer"),
        "tab in a text": text.replace("newer", "ne\twer"),
        "unknown escape": text.replace("newer", "ne\\xwer"),
        "long line": text + json_text(200_000),
        "upper case key": text.replace("metaData", "METADATA"),
    }
    for name, content in encoded.items():
        yield f"commit: {name}", commits(GOOD, content)


def json_text(length: int) -> str:
    """Return a line with an action that readers ignore."""
    return f'{{"other": "{"x" * length}"}}\n'


def _hadoop_checksums() -> Iterator[tuple[str, Write]]:
    newer = NEWER.encode()
    changed = newer.replace(b"newer", b"other")
    sums = {
        "right": checksum_of(newer),
        "of a changed commit": checksum_of(changed),
        "empty": b"",
        "without sums": checksum_of(newer)[:8],
        "cut": checksum_of(newer)[:-2],
        "too long": checksum_of(newer) + b"\0\0\0\0",
        "with another header": b"CRC\0" + checksum_of(newer)[4:],
        "noise": bytes(range(128, 256)),
        "with blocks of 100": checksum_of(newer, 100),
        "with blocks of 0": b"crc\0\0\0\0\0" + checksum_of(newer)[8:],
        "with negative blocks": b"crc\0\xff\xff\xff\xff" + checksum_of(newer)[8:],
        "with one wrong sum": checksum_of(newer)[:-1] + b"\0",
    }
    for name, content in sums.items():
        yield f"Hadoop's checksum {name}", _with_checksum(NEWEST, content)
    first = checksum_of(GOOD.encode().replace(b'"long"', b'"date"'))
    yield "Hadoop's checksum of a changed first commit", _with_checksum(f"{0:020d}.json", first)
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
    "delta.enableChangeDataFeed": ("true", "maybe"),
    "delta.enableDeletionVectors": ("true", "maybe"),
    "delta.enableTypeWidening": ("true", "maybe"),
    "delta.enableInCommitTimestamps": ("true", "false", "maybe"),
    "delta.enableRowTracking": ("true", "maybe"),
    "delta.enableIcebergCompatV1": ("true",),
    "delta.enableIcebergCompatV2": ("true",),
    "delta.enableIcebergCompatV3": ("true",),
    "delta.enableVariantShredding": ("true",),
    "delta.enableMaterializePartitionColumnsFeature": ("true",),
    "delta.columnMapping.mode": ("none", "name", "id", "NAME", "weird", ""),
    "delta.columnMapping.maxColumnId": ("5", "x"),
    "delta.checkpointPolicy": ("classic", "v2", "weird"),
    "delta.checkpointInterval": ("10", "0", "-1", "x", "99999999999"),
    "delta.logRetentionDuration": ("interval 1 day", "1 day", "weird", ""),
    "delta.deletedFileRetentionDuration": ("interval 1 day", "interval 1 month", "x"),
    "delta.isolationLevel": ("Serializable", "weird"),
    "delta.dataSkippingNumIndexedCols": ("-1", "x"),
    "delta.universalFormat.enabledFormats": ("iceberg", "hudi", "weird"),
    "delta.coordinatedCommits.commitCoordinator-preview": ("x",),
    "delta.redirectReaderWriter-preview": ("{}", "x"),
    "delta.constraints.c": ("id > 0", "other > 0", "not SQL at all (", ""),
    "delta.constraints.": ("id > 0",),
    "delta.feature.appendOnly": ("supported", "weird"),
    "delta.minReaderVersion": ("1", "9"),
    "delta.minWriterVersion": ("9",),
    "delta.ignoreProtocolDefaults": ("true",),
    "delta.unknown": ("x",),
    "delta.randomizeFilePrefixes": ("maybe",),
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
    yield "feature twice", of_actions(METADATA, features("appendOnly", "appendOnly"))
    yield (
        "feature of writers among those of readers",
        of_actions(METADATA, features("appendOnly", reader=("appendOnly",))),
    )
    yield "no features", of_actions(METADATA, features(reader=()))
    yield "empty feature", of_actions(METADATA, features(""))
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
    "true": True,
    "5": 5,
    "1.5": 1.5,
    "text": "text",
    "digits": "5",
    "[]": [],
    "{}": {},
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


_ADD = {
    "path": "part-0.parquet",
    "partitionValues": {},
    "size": 100,
    "modificationTime": 1,
    "dataChange": True,
    "stats": '{"numRecords":1}',
}
_REMOVE = {"path": "part-0.parquet", "deletionTimestamp": 1, "dataChange": True}
_DOMAIN = {"domain": "test.domain", "configuration": "{}", "removed": False}
_TXN = {"appId": "test", "version": 1, "lastUpdated": 1}
_DOMAINS = features("domainMetadata")

PROTOCOLS = {
    f"{reader},{writer}": {"minReaderVersion": reader, "minWriterVersion": writer}
    for reader, writer in ((0, 0), (1, 1), (1, 3), (1, 4), (1, 6), (2, 5), (3, 7), (2, 7), (4, 8), (3, 2), (-1, 2))
}


def _protocols() -> Iterator[tuple[str, Write]]:
    for name, protocol in wrong(
        PROTOCOL, "minReaderVersion", "minWriterVersion", wrong_values=("absent", "null", "true", "1.5", "digits")
    ):
        yield f"protocol {name}", of_actions(METADATA, protocol)
    for name, protocol in wrong(features("appendOnly", reader=("deletionVectors",)), "readerFeatures"):
        yield f"protocol {name}", of_actions(METADATA, protocol)
    for name, protocol in wrong(features("appendOnly"), "writerFeatures"):
        yield f"protocol {name}", of_actions(METADATA, protocol)
    for name, protocol in PROTOCOLS.items():
        yield f"protocol {name}", of_actions(METADATA, protocol)
    for name, value in (("null", None), ("list", []), ("text", "x"), ("empty", {})):
        yield f"protocol of {name}", of_actions(METADATA, value)
    yield "protocol with another key", of_actions(METADATA, {**PROTOCOL, "other": 1})
    large = {"minReaderVersion": 2**31, "minWriterVersion": 2}
    yield "protocol of a large version", of_actions(METADATA, large)


def _metadata() -> Iterator[tuple[str, Write]]:
    whole = {**METADATA, "name": "t", "description": "text"}
    keys = ("id", "name", "description", "format", "format.provider", "format.options", "schemaString")
    for name, metadata in wrong(whole, *keys, "partitionColumns", "configuration", "createdTime"):
        yield f"metadata {name}", of_actions(metadata)
    for name, value in (("null", None), ("list", []), ("text", "x"), ("empty", {})):
        yield f"metadata of {name}", of_actions(value)
    values: Mapping[str, Any] = {
        "boolean": True,
        "number": 5,
        "fraction": 1.5,
        "null": None,
        "list": ["x"],
        "object": {"x": "y"},
        "large number": 10**30,
        "exponent": 1e30,
    }
    for name, value in values.items():
        yield f"property of {name}", of_actions({**METADATA, "configuration": {"team": value}})
    yield "metadata with another key", of_actions({**METADATA, "other": 1})
    yield "format option of number", of_actions({**METADATA, "format": {"provider": "parquet", "options": {"a": 5}}})
    yield "format option", of_actions({**METADATA, "format": {"provider": "parquet", "options": {"a": "b"}}})
    yield "format of orc", of_actions({**METADATA, "format": {"provider": "orc", "options": {}}})
    yield "empty id", of_actions({**METADATA, "id": ""})
    yield "empty key of property", of_actions({**METADATA, "configuration": {"": "x"}})
    yield "large time", of_actions({**METADATA, "createdTime": 2**63})
    yield "negative time", of_actions({**METADATA, "createdTime": -1})


def _other_actions() -> Iterator[tuple[str, Write]]:
    """Yield logs with actions that say nothing about the schema."""
    commit_info = {**info(0)["commitInfo"], "isBlindAppend": True, "txnId": "x", "operationMetrics": {"a": "1"}}
    keys = ("timestamp", "operation", "operationParameters", "isBlindAppend", "txnId", "operationMetrics")
    for name, value in wrong(commit_info, *keys, wrong_values=FEW):
        yield f"commitInfo {name}", _first({"commitInfo": value})
    for name, value in wrong(
        _ADD, "path", "partitionValues", "size", "modificationTime", "dataChange", "stats", wrong_values=FEW
    ):
        yield f"add {name}", of_actions(METADATA, PROTOCOL, {"add": value})
    kinds = {"remove": (_REMOVE, PROTOCOL), "txn": (_TXN, PROTOCOL), "domainMetadata": (_DOMAIN, _DOMAINS)}
    for kind, (action, protocol) in kinds.items():
        for name, value in wrong(action, *action, wrong_values=("absent", "5", "[]")):
            yield f"{kind} {name}", of_actions(METADATA, protocol, {kind: value})
    for kind in ("commitInfo", "add", "remove", "txn", "domainMetadata", "cdc", "other"):
        for name, value in (("null", None), ("a text", "x")):
            yield f"{kind} of {name}", of_actions(METADATA, PROTOCOL, {kind: value})
    yield "domain without its feature", of_actions(METADATA, PROTOCOL, {"domainMetadata": _DOMAIN})
    yield "domain", of_actions(METADATA, _DOMAINS, {"domainMetadata": _DOMAIN})
    yield "two metadata in one commit", of_actions(METADATA, PROTOCOL, {"metaData": {**METADATA, "description": "b"}})
    yield (
        "two protocols in one commit",
        of_actions(METADATA, PROTOCOL, {"protocol": {**PROTOCOL, "minWriterVersion": 3}}),
    )
    yield "no actions", of_actions(METADATA, PROTOCOL, {})
    yield "two actions in one line", of_actions(METADATA, PROTOCOL, {"txn": _TXN, "add": _ADD})
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
        "later metadata with another id",
        lambda folder: log(
            folder,
            lines(info(0), {"protocol": PROTOCOL}, {"metaData": METADATA}),
            lines(info(1), {"metaData": {**other, "id": "another"}}),
        ),
    )
    yield (
        "protocol in a later commit",
        lambda folder: log(folder, lines(info(0), {"metaData": METADATA}), lines(info(1), {"protocol": PROTOCOL})),
    )
    yield (
        "metadata is null later",
        lambda folder: log(
            folder, lines(info(0), {"protocol": PROTOCOL}, {"metaData": METADATA}), lines(info(1), {"metaData": None})
        ),
    )


def _first(*actions: Mapping[str, Any]) -> Write:
    return lambda folder: log(folder, lines(*actions, {"protocol": PROTOCOL}, {"metaData": METADATA}), later(1))


ACTION_CASES = dict((*_protocols(), *_metadata(), *_other_actions()))
