"""Logs whose protocol, metadata or other actions have other values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.hand_made_logs.writing import METADATA, PROTOCOL, features, info, later, lines, log, of_actions
from support.hand_made_logs.wrong_values import FEW, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from support.hand_made_logs.writing import Write

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


CASES = dict((*_protocols(), *_metadata(), *_other_actions()))
