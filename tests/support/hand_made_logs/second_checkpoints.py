"""Logs with checkpoints of the second version: in parquet and in JSON, with and without sidecars, and odd hints of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from support.hand_made_logs.checkpoints import GONE, OTHER, SECOND, UUID, log_with, parquet
from support.hand_made_logs.writing import METADATA, PROTOCOL, info, lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from support.hand_made_logs.writing import Write

    Files = dict[str, str | bytes]

_FIRST = lines(info(0), {"protocol": SECOND}, {"metaData": METADATA})
_NAME = f"{2:020d}.checkpoint.{UUID}"
_OF_VERSION = {"checkpointMetadata": {"version": 2}}
_HEAD = ({"protocol": SECOND}, {"metaData": OTHER})
_ADD = {"path": "p.parquet", "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}
_ROW = {"add": {**_ADD, "partitionValues": []}}
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
    file = _ROW if kind == "parquet" else {"add": _ADD}
    whole = _checkpoint(kind, _OF_VERSION, *_HEAD, file)
    content = whole[f"{_NAME}.{kind}"]
    yield "whole", whole
    yield "with a sidecar", _referring(kind) | _WITH_PART
    yield (
        "with two references to a sidecar",
        {
            **_checkpoint(kind, _OF_VERSION, *_HEAD, {"sidecar": _REFERENCE}, {"sidecar": _REFERENCE}),
            **_WITH_PART,
        },
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


def _hints() -> Iterator[tuple[str, Write]]:
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


CASES = dict((*_checkpoints(), *_hints()))
