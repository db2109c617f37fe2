"""Convert columns between the Delta API, the classic API and the stored form, with the server's checks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.testing.unity.refusals import invalid, too_long, unparsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COMMENT_LIMIT = 65_535
"""The longest comment that the server stores, in UTF-16 units."""

_TEXTS = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}
_NAMES = {"integer": "INT", "void": "NULL"}
_PRIMITIVES = frozenset(
    [
        "boolean",
        "byte",
        "short",
        "integer",
        "long",
        "float",
        "double",
        "date",
        "timestamp",
        "timestamp_ntz",
        "string",
        "binary",
        "variant",
    ]
)
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(-?\d+)\s*\)")
_LARGEST_DECIMAL = 38
_NESTED = {
    "array": {"element-type": "elementType", "contains-null": "containsNull"},
    "map": {"key-type": "keyType", "value-type": "valueType", "value-contains-null": "valueContainsNull"},
}
_KEBAB = {camel: kebab for keys in _NESTED.values() for kebab, camel in keys.items()}
_FIELD_KEYS = frozenset(("name", "type", "nullable", "metadata"))


def columns_of_request(columns: Any) -> list[dict[str, Any]]:
    """Return the columns of an update as the server stores them: precision and scale stay in the text alone.

    Raises:
        Refused: If they are refused.
    """
    if not isinstance(columns, dict) or columns.get("type") != "struct":
        message = "columns is not a struct"
        raise unparsed(message)
    return [_stored(field, position) for position, field in enumerate(_struct(columns, "columns")["fields"])]


def with_partitions(columns: Iterable[Mapping[str, Any]], partitioning: Any) -> list[dict[str, Any]]:
    """Return columns with their indexes among the partition columns, which are compared without case.

    Raises:
        Refused: If a partition column is unknown or given twice.
    """
    if not isinstance(partitioning, list):
        message = "set-partition-columns requires a partition-columns list."
        raise invalid(message)
    partition_columns: dict[str, int] = {}
    for index, name in enumerate(partitioning):
        if partition_columns.setdefault(name.lower(), index) != index:
            message = f"partition-columns contains duplicate entry (case-insensitive): {name}"
            raise invalid(message)
    marked = [{**column, "partition_index": partition_columns.pop(column["name"].lower(), None)} for column in columns]
    if partition_columns:
        message = f"partition-columns references unknown column: {next(iter(partition_columns))}"
        raise invalid(message)
    return marked


def partitioning_of(columns: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of the partition columns, in order."""
    partition_columns = {column["partition_index"]: column["name"] for column in columns}
    return [partition_columns[index] for index in sorted(index for index in partition_columns if index is not None)]


def check_classic(column: Mapping[str, Any]) -> None:
    """Check a column of the classic API: its ``type_json`` is a whole field, and agrees with the column.

    Raises:
        Refused: If it is refused.
    """
    name = column.get("name")
    try:
        field = json.loads(column.get("type_json") or "null")
    except ValueError:
        field = None
    if not isinstance(field, dict) or _FIELD_KEYS - field.keys():
        message = f"Invalid type_json for column {name}: it is not a whole field"
        raise invalid(message)
    for key in ("name", "nullable"):
        if field[key] != column.get(key, field[key]):
            message = f"Invalid type_json for column {name}: field {key} {field[key]} does not match column {key}"
            raise invalid(message)


def fields_of(columns: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return stored columns as fields of the Delta API; no field at all if one of them cannot be read."""
    try:
        fields = [json.loads(column["type_json"]) for column in columns]
        return [{**field, "type": _kebab(field["type"])} for field in fields]
    except (TypeError, ValueError):
        return []


def require_comment(comment: str | None) -> None:
    """Make sure that a comment fits into the server's database; raise a ``Refused`` if it is too long."""
    if comment is not None and utf16_units(comment) > COMMENT_LIMIT:
        raise too_long(utf16_units(comment), COMMENT_LIMIT, column="COMMENT")


def utf16_units(text: str) -> int:
    """Return the length of a text as the server's database counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def stored_field(field: Mapping[str, Any], position: int) -> dict[str, Any]:
    """Return a field of a Delta log as the server stores it."""
    return {
        "name": field["name"],
        "type_text": _text(field["type"]),
        "type_json": json.dumps(field),
        "type_name": _name(field["type"]),
        "type_precision": None,
        "type_scale": None,
        "position": position,
        "nullable": field["nullable"],
        "comment": (field.get("metadata") or {}).get("comment"),
        "partition_index": None,
    }


def _stored(field: Mapping[str, Any], position: int) -> dict[str, Any]:
    column = stored_field(field, position)
    require_comment(column["comment"])
    return column


def _struct(struct: Mapping[str, Any], path: str) -> dict[str, Any]:
    _require_known(struct, ("type", "fields"))
    fields = struct.get("fields")
    if not isinstance(fields, list) or not fields:
        message = f"{path}.fields must contain at least one field."
        raise invalid(message)
    checked = [_field(field, f"{path}.fields[{index}]") for index, field in enumerate(fields)]
    names: set[str] = set()
    for index, field in enumerate(checked):
        if field["name"].lower() in names:
            message = f"Duplicate field name (case-insensitive) in {path}.fields[{index}]: {field['name']}"
            raise invalid(message)
        names.add(field["name"].lower())
    return {"type": "struct", "fields": checked}


def _field(field: Any, path: str) -> dict[str, Any]:
    if not isinstance(field, dict):
        message = f"{path} is not an object"
        raise unparsed(message)
    _require_known(field, _FIELD_KEYS)
    if not str(field.get("name") or "").strip():
        message = f"{path}.name is required."
        raise invalid(message)
    _require_given(field, ("type", "nullable", "metadata"), path)
    return {**field, "type": _type(field["type"], f"{path}.type")}


def _type(data_type: Any, path: str) -> Any:
    """Turn a type of the wire into one of a Delta log."""
    if isinstance(data_type, str):
        return _primitive(data_type, path)
    kind = data_type.get("type") if isinstance(data_type, dict) else None
    if kind == "struct":
        return _struct(data_type, path)
    if kind not in _NESTED:
        message = f"cannot read {json.dumps(data_type)}"
        raise unparsed(message)
    keys = _NESTED[kind]
    _require_known(data_type, ("type", *keys))
    _require_given(data_type, keys, path)
    parts = {
        camel: _type(data_type[kebab], f"{path}.{kebab}") if kebab.endswith("type") else data_type[kebab]
        for kebab, camel in keys.items()
    }
    return {"type": kind, **parts}


def _primitive(text: str, path: str) -> str:
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None:
        if text not in _PRIMITIVES:
            message = f"{path}: Unsupported Delta primitive type: {text}"
            raise invalid(message)
        return text
    precision, scale = map(int, decimal.groups())
    if precision > _LARGEST_DECIMAL or not 0 <= scale <= precision:
        message = f"{path}: no decimal has precision {precision} and scale {scale}."
        raise invalid(message)
    return f"decimal({precision},{scale})"


def _require_known(value: Mapping[str, Any], keys: Iterable[str]) -> None:
    for key in value.keys() - set(keys):
        message = f'Unrecognized field "{key}"'
        raise unparsed(message)


def _require_given(value: Mapping[str, Any], keys: Iterable[str], path: str) -> None:
    for key in keys:
        if value.get(key) is None:
            message = f"{path}.{key} is required."
            raise invalid(message)


def _text(data_type: Any) -> str:
    if isinstance(data_type, str):
        return _TEXTS.get(data_type, data_type)
    if data_type["type"] == "struct":
        fields = [f"{field['name']}:{_text(field['type'])}" for field in data_type["fields"]]
        return f"struct<{','.join(fields)}>"
    if data_type["type"] == "array":
        return f"array<{_text(data_type['elementType'])}>"
    return f"map<{_text(data_type['keyType'])},{_text(data_type['valueType'])}>"


def _name(data_type: Any) -> str:
    kind = data_type.partition("(")[0] if isinstance(data_type, str) else data_type["type"]
    return _NAMES.get(kind, kind.upper())


def _kebab(value: Any) -> Any:
    """Write a type of a Delta log as the wire has it."""
    if not isinstance(value, dict):
        return value
    return {
        _KEBAB.get(key, key): [{**field, "type": _kebab(field["type"])} for field in part]
        if key == "fields"
        else _kebab(part)
        for key, part in value.items()
    }
