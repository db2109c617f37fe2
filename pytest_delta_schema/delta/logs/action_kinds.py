"""The kinds of values in the actions of a log; Spark refuses a log with others (Delta 4.4.0).

Where a text is expected, Spark takes every value, as its JSON; of such keys only paths are here, which have to be URIs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILE: Mapping[str, type] = {"path": str, "partitionValues": dict, "size": int, "dataChange": bool, "tags": dict}
_TRACKED: Mapping[str, type] = {
    **_FILE,
    "baseRowId": int,
    "defaultRowCommitVersion": int,
    "deletionVector": dict,
}
_KINDS: Mapping[str, Mapping[str, type]] = {
    "add": {**_TRACKED, "modificationTime": int},
    "cdc": _FILE,
    "checkpointMetadata": {"version": int, "tags": dict},
    "commitInfo": {
        "inCommitTimestamp": int,
        "isBlindAppend": bool,
        "operationMetrics": dict,
        "operationParameters": dict,
        "readVersion": int,
        "tags": dict,
        "timestamp": int,
        "version": int,
    },
    "domainMetadata": {"removed": bool},
    "metaData": {},
    "protocol": {},
    "remove": {**_TRACKED, "deletionTimestamp": int, "extendedFileMetadata": bool},
    "sidecar": {"path": str, "sizeInBytes": int, "modificationTime": int, "tags": dict},
    "txn": {"version": int, "lastUpdated": int},
}


def value_of_another_kind(line: Mapping[str, Any]) -> str:
    """Return the path of a value in one line of a log that is of another kind; ``""`` if there is none.

    Of two actions in one line, Spark reads one.
    """
    actions = {kind: action for kind, action in line.items() if action is not None and kind in _KINDS}
    if len(actions) > 1:
        return " and ".join(actions)
    for kind, action in actions.items():
        if type(action) is not dict:
            return kind
        kinds = _KINDS[kind]
        for key in kinds.keys() & action.keys():
            value = action[key]
            if value is not None and (type(value) is not kinds[key] or not is_long(value)):
                return f"{kind}.{key}"
    return ""


def is_long(value: object) -> bool:
    """Whether a value, if it is an integer, fits into 64 bits."""
    return type(value) is not int or -(2**63) <= value < 2**63
