"""Update the entry of a table as the Delta API does: all actions of a request, or none."""

from __future__ import annotations

import copy
import uuid
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.testing.unity.columns import (
    columns_of_request,
    partitioning_of,
    require_comment,
    utf16_units,
    with_partitions,
)
from pytest_delta_schema.testing.unity.refusals import INTERNAL, Refused, conflict, invalid, too_long, unparsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

PROPERTY_LIMIT = 255
"""The longest key and the longest value of a property that the server stores, in UTF-16 units."""

_UUID, _ETAG = "assert-table-uuid", "assert-etag"
_REQUIREMENTS = {_UUID: ("uuid",), _ETAG: ("etag",)}
_FEATURES = "delta.feature."


def updated(info: Mapping[str, Any], etag: str, body: Any) -> dict[str, Any]:
    """Return the entry after an update.

    Raises:
        Refused: If the request is refused; then nothing of it is done.
    """
    if not isinstance(body, dict) or body.keys() - {"requirements", "updates"}:
        message = f"not an update: {sorted(body) if isinstance(body, dict) else body}"
        raise unparsed(message)
    required = _by_kind(body.get("requirements") or (), "type", _REQUIREMENTS)
    actions = _by_kind(body.get("updates") or (), "action", _ACTIONS)
    if not actions:
        message = "At least one update is required."
        raise invalid(message)
    if _UUID not in required:
        message = "assert-table-uuid requirement is required."
        raise invalid(message)
    _require_apart(actions)
    _require_uuid(required[_UUID].get("uuid"), info["table_id"])
    if _ETAG in required and required[_ETAG].get("etag") != etag:
        message = f"assert-etag failed: expected {required[_ETAG].get('etag')} but table has {etag}"
        raise conflict(message)
    after = copy.deepcopy(dict(info))
    if actions.keys() & _SCHEMA.keys():
        _set_schema(after, actions)
    for kind, (_, apply) in _OTHERS.items():
        if kind in actions:
            apply(after, actions[kind])
    return after


def checked_properties(properties: Any) -> dict[str, str]:
    """Return properties as the server stores them: numbers become texts.

    Raises:
        Refused: If one has no value, or does not fit into the server's database.
    """
    if not isinstance(properties, dict):
        message = "properties are not an object"
        raise unparsed(message)
    texts = {}
    for key, value in properties.items():
        if value is None:
            raise Refused(500, INTERNAL, "not-null property references a null value: PropertyDAO.value")
        texts[key] = value if isinstance(value, str) else str(value)
        for column, text in (("PROPERTY_KEY", key), ("PROPERTY_VALUE", texts[key])):
            if utf16_units(text) > PROPERTY_LIMIT:
                raise too_long(utf16_units(text), PROPERTY_LIMIT, column=column)
    return texts


def _by_kind(entries: Iterable[Any], key: str, known: Mapping[str, Iterable[str]]) -> dict[str, Mapping[str, Any]]:
    """Return requirements or actions by their kinds, of each kind one."""
    by_kind: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        kind = str(entry.get(key)) if isinstance(entry, dict) else ""
        if kind not in known:
            message = f"Could not resolve type id '{kind}'"
            raise unparsed(message)
        for stranger in entry.keys() - {key, *known[kind]}:
            message = f'Unrecognized field "{stranger}"'
            raise unparsed(message)
        if kind in by_kind:
            message = f"At most one {kind} is allowed per request."
            raise invalid(message)
        by_kind[kind] = entry
    return by_kind


def _require_apart(actions: Mapping[str, Mapping[str, Any]]) -> None:
    put = actions.get("set-properties", {}).get("updates") or {}
    removed = actions.get("remove-properties", {}).get("removals") or ()
    both = sorted(set(put) & set(removed))
    if both:
        message = f"set-properties and remove-properties overlap on keys: {both}"
        raise invalid(message)


def _require_uuid(given: Any, table_id: str) -> None:
    """Compare the table's id; a null one is let through."""
    if given is None:
        return
    try:
        expected = str(uuid.UUID(given))
    except (AttributeError, TypeError, ValueError) as error:
        message = f"not a UUID: {given}"
        raise unparsed(message) from error
    if expected != table_id:
        message = f"assert-table-uuid failed: expected {expected} but table has {table_id}"
        raise conflict(message)


def _set_schema(info: dict[str, Any], actions: Mapping[str, Mapping[str, Any]]) -> None:
    """Set columns and partition columns together; one that an update leaves out stays as it is."""
    columns, partitions = actions.get("set-columns"), actions.get("set-partition-columns")
    partitioning = partitioning_of(info["columns"]) if partitions is None else partitions.get("partition-columns")
    if columns is not None:
        info["columns"] = columns_of_request(columns.get("columns"))
    info["columns"] = with_partitions(info["columns"], partitioning)


def _set_comment(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    if not isinstance(action.get("comment"), str):
        message = "set-table-comment requires a comment."
        raise invalid(message)
    require_comment(action["comment"])
    info["comment"] = action["comment"]


def _set_properties(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    info["properties"] = {**info["properties"], **checked_properties(action.get("updates") or {})}


def _remove_properties(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    removals = action.get("removals") or ()
    info["properties"] = {key: value for key, value in info["properties"].items() if key not in removals}


def _set_protocol(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    protocol = action.get("protocol")
    if not isinstance(protocol, dict):
        message = "set-protocol requires a protocol."
        raise invalid(message)
    kept = {key: value for key, value in info["properties"].items() if not key.startswith(_FEATURES)}
    features = [*(protocol.get("reader-features") or ()), *(protocol.get("writer-features") or ())]
    versions = {f"delta.min{kind.title()}Version": protocol.get(f"min-{kind}-version") for kind in ("reader", "writer")}
    info["properties"] = {
        **kept,
        **{key: str(value) for key, value in versions.items() if value is not None},
        **{f"{_FEATURES}{feature}": "supported" for feature in features},
    }


def _set_version(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    info["properties"]["delta.lastUpdateVersion"] = str(action["last-commit-version"])
    info["properties"]["delta.lastCommitTimestamp"] = str(action["last-commit-timestamp-ms"])


_SCHEMA = {"set-columns": ("columns",), "set-partition-columns": ("partition-columns",)}
_OTHERS: Mapping[str, tuple[tuple[str, ...], Callable[[dict[str, Any], Mapping[str, Any]], None]]] = {
    "set-protocol": (("protocol",), _set_protocol),
    "set-properties": (("updates",), _set_properties),
    "remove-properties": (("removals",), _remove_properties),
    "set-table-comment": (("comment",), _set_comment),
    "update-metadata-snapshot-version": (("last-commit-version", "last-commit-timestamp-ms"), _set_version),
}
"""The actions in the order in which they are applied, whatever the order of the request, each with its keys."""

_ACTIONS = {**_SCHEMA, **{kind: keys for kind, (keys, _) in _OTHERS.items()}}
