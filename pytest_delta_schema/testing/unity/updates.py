"""How the double's Delta API updates a record: all actions of a request, or none."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.testing.unity.refusals import conflict, invalid, unparsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SPARK = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}
_NAMES = {"integer": "INT", "void": "NULL"}
_ATOMIC = re.compile(
    r"long|integer|short|byte|string|date|timestamp|timestamp_ntz|boolean|binary|float|double|variant|void"
    r"|decimal\(\d+,\d+\)"
)
PARTS = {
    "array": {"element-type": "elementType", "contains-null": "containsNull"},
    "map": {"key-type": "keyType", "value-type": "valueType", "value-contains-null": "valueContainsNull"},
}
"""The keys of nested types, as the wire has them and as Spark's JSON has them."""


def updated(info: Mapping[str, Any], etag: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record after an update.

    Raises:
        Refused: If the request is refused; then nothing of it is done.
    """
    _check_requirements(info, etag, body.get("requirements") or ())
    actions = body.get("updates") or ()
    kinds = [action.get("action") for action in actions]
    for kind in kinds:
        if kind not in _ACTIONS:
            message = f"unknown action {kind}"
            raise unparsed(message)
    if not kinds or len(set(kinds)) != len(kinds):
        message = "updates must be non-empty, with at most one action of each type"
        raise invalid(message)
    by_kind = dict(zip(kinds, actions, strict=True))
    both = set(by_kind.get("set-properties", {}).get("updates", ())) & set(
        by_kind.get("remove-properties", {}).get("removals", ())
    )
    if both:
        message = f"set and removed: {', '.join(sorted(both))}"
        raise invalid(message)
    after = copy.deepcopy(dict(info))
    for kind, does in _ACTIONS.items():
        if kind in by_kind:
            does(after, by_kind[kind])
    names = {column["name"] for column in after["columns"]}
    if any(name not in names for name in after["partition-columns"]):
        message = "partition column is not in the schema"
        raise invalid(message)
    for column in after["columns"]:
        place = (
            after["partition-columns"].index(column["name"]) if column["name"] in after["partition-columns"] else None
        )
        column["partition_index"] = place
    return after


def _check_requirements(info: Mapping[str, Any], etag: str, requirements: Iterable[Mapping[str, Any]]) -> None:
    said = {each.get("type"): each for each in requirements}
    if "assert-table-uuid" not in said:
        message = "assert-table-uuid is required"
        raise invalid(message)
    if said["assert-table-uuid"].get("uuid") != info["table_id"]:
        message = "table uuid does not match"
        raise conflict(message)
    if "assert-etag" in said and said["assert-etag"].get("etag") != etag:
        message = "etag does not match"
        raise conflict(message)


def _set_columns(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    columns = action.get("columns")
    if not isinstance(columns, dict) or columns.get("type") != "struct":
        message = "columns is no struct"
        raise unparsed(message)
    fields = columns.get("fields") or []
    names = [field["name"].lower() for field in fields]
    if not names or len(set(names)) != len(names):
        message = "columns are missing or named twice"
        raise invalid(message)
    info["columns"] = [column_info(field, position) for position, field in enumerate(fields)]


def column_info(field: Mapping[str, Any], position: int) -> dict[str, Any]:
    """Return a column as the record keeps it; precision and scale stay in the text alone."""
    spark = _camel(field["type"])
    return {
        "name": field["name"],
        "type_text": _text(spark),
        "type_json": json.dumps({**field, "type": spark}),
        "type_name": _name(spark),
        "type_precision": None,
        "type_scale": None,
        "position": position,
        "nullable": field["nullable"],
        "comment": (field.get("metadata") or {}).get("comment"),
        "partition_index": None,
    }


def _camel(data_type: Any) -> Any:
    """Turn a type of the wire into Spark's JSON, or refuse it."""
    if isinstance(data_type, str):
        if _ATOMIC.fullmatch(data_type) is None:
            message = f"unknown type {data_type}"
            raise invalid(message)
        return data_type
    kind = data_type.get("type") if isinstance(data_type, dict) else None
    if kind == "struct":
        fields = [{**field, "type": _camel(field["type"])} for field in data_type["fields"]]
        return {"type": kind, "fields": fields}
    if kind not in PARTS or set(data_type) != {"type", *PARTS[kind]}:
        message = f"cannot read {json.dumps(data_type)}"
        raise unparsed(message)
    said = {camel: data_type[kebab] for kebab, camel in PARTS[kind].items()}
    return {"type": kind, **{key: _camel(part) if key.endswith("Type") else part for key, part in said.items()}}


def _text(spark: Any) -> str:
    if isinstance(spark, str):
        return _SPARK.get(spark, spark)
    if spark["type"] == "struct":
        parts = [":".join((field["name"], _text(field["type"]))) for field in spark["fields"]]
        return f"struct<{','.join(parts)}>"
    if spark["type"] == "array":
        return f"array<{_text(spark['elementType'])}>"
    return f"map<{_text(spark['keyType'])},{_text(spark['valueType'])}>"


def _name(spark: Any) -> str:
    kind = spark.partition("(")[0] if isinstance(spark, str) else spark["type"]
    return _NAMES.get(kind, kind.upper())


def _set_partitions(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    info["partition-columns"] = list(action["partition-columns"])


def _set_comment(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    if not isinstance(action.get("comment"), str):
        message = "comment is null"
        raise invalid(message)
    info["comment"] = action["comment"]


def _set_properties(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    info["properties"] = {**info["properties"], **action["updates"]}


def _remove_properties(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    info["properties"] = {key: value for key, value in info["properties"].items() if key not in action["removals"]}


def _set_version(info: dict[str, Any], action: Mapping[str, Any]) -> None:
    info["properties"]["delta.lastUpdateVersion"] = str(action["last-commit-version"])
    info["properties"]["delta.lastCommitTimestamp"] = str(action["last-commit-timestamp-ms"])


_ACTIONS = {
    "set-columns": _set_columns,
    "set-partition-columns": _set_partitions,
    "set-table-comment": _set_comment,
    "set-properties": _set_properties,
    "remove-properties": _remove_properties,
    "update-metadata-snapshot-version": _set_version,
}
