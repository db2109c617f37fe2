"""What the server's double checks and stores of one catalog entry, as release 0.6 of the server does."""

from __future__ import annotations

import copy
import json
import re
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_delta_schema.state.delta_log import LogFacts


INVALID_ARGUMENT, INTERNAL, CONFLICT = "INVALID_ARGUMENT", "INTERNAL", "UPDATE_REQUIREMENT_CONFLICT"

_DELTA_TYPES = {
    "CATALOG_NOT_FOUND": "NoSuchCatalogException",
    "SCHEMA_NOT_FOUND": "NoSuchSchemaException",
    "TABLE_NOT_FOUND": "NoSuchTableException",
    "UNSUPPORTED_TABLE_FORMAT": "UnsupportedTableFormatException",
    INVALID_ARGUMENT: "InvalidParameterValueException",
    CONFLICT: "UpdateRequirementConflictException",
    INTERNAL: "InternalServerErrorException",
}
"""What the Delta API calls the error codes of the classic API (Unity Catalog 0.6.0)."""


class Refused(Exception):  # noqa: N818 - an answer, not a failure of the double
    """An error as the server answers it."""

    def __init__(self, status: int, code: str, message: str, *, by_authorizer: bool = False) -> None:
        self.status = status
        self.code = code
        self.message = message
        self.by_authorizer = by_authorizer
        super().__init__(message)

    def body(self, *, delta: bool) -> dict[str, Any]:
        """Return the answer in the form of the classic API, or of the Delta API."""
        if delta and not self.by_authorizer:
            kind = _DELTA_TYPES.get(self.code, self.code)
            return {"error": {"message": self.message, "type": kind, "code": self.status, "stack": None}}
        detail = {"reason": self.code, "@type": "google.rpc.ErrorInfo"}
        return {"error_code": self.code, "details": [detail], "message": self.message}


def missing(name: str, *, kind: str) -> Refused:
    """A catalog, schema or table does not exist."""
    return Refused(404, f"{kind.upper()}_NOT_FOUND", f"{kind} not found: {name}")


def invalid(message: str) -> Refused:
    """An argument is invalid."""
    return Refused(400, INVALID_ARGUMENT, message)


def unparsed(message: str) -> Refused:
    """The body cannot be parsed, or has an unknown key."""
    return Refused(400, INVALID_ARGUMENT, f"failed to parse a JSON document: {message}")


def conflict(message: str) -> Refused:
    """A requirement of an update does not hold."""
    return Refused(409, CONFLICT, message)


def deadlock(name: str) -> Refused:
    """Another update of the same rows was faster, as the embedded H2 database reports it."""
    columns = ",".join(f"tid1_0.column_number_{number:02d}" for number in range(30))
    sql = f"select {columns} from uc_tables tid1_0 where tid1_0.id=? for update"
    cause = "Deadlock detected. The current transaction was rolled back."
    return Refused(500, INTERNAL, f"Failed to update table {name}: JDBC exception executing SQL [{sql}] [{cause}]")


def too_long(length: int, limit: int, *, column: str) -> Refused:
    """A text does not fit into its column of the embedded H2 database."""
    cause = f'Value too long for column "{column} CHARACTER VARYING({limit})": "... ({length})"; SQL statement:\n'
    return Refused(
        500, INTERNAL, f"could not execute statement [{cause}insert into uc_properties values (?, ?) [22001-232]]"
    )


COMMENT_LIMIT = 65_535
"""The longest comment that the server stores, in UTF-16 units."""

NAME_LIMIT = 255
"""The longest name of a column that the server stores, in UTF-16 units."""

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
    """Return the columns of an update as the server stores them: precision and scale stay in the text alone."""
    if not isinstance(columns, dict) or columns.get("type") != "struct":
        message = "columns is not a struct"
        raise unparsed(message)
    return [_stored(field, position) for position, field in enumerate(_struct(columns, "columns")["fields"])]


def with_partitions(columns: Iterable[Mapping[str, Any]], partitioning: Any) -> list[dict[str, Any]]:
    """Return columns with their indexes among the partition columns, which are compared without case."""
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
    """Check a column of the classic API: its ``type_json`` is a whole field, and agrees with the column."""
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
    """Return a field of a Delta log as the server stores it; a comment that is not a text is in its JSON only."""
    comment = (field.get("metadata") or {}).get("comment")
    return {
        "name": field["name"],
        "type_text": _text(field["type"]),
        "type_json": json.dumps(field),
        "type_name": _name(field["type"]),
        "type_precision": None,
        "type_scale": None,
        "position": position,
        "nullable": field["nullable"],
        "comment": comment if isinstance(comment, str) else None,
        "partition_index": None,
    }


def _stored(field: Mapping[str, Any], position: int) -> dict[str, Any]:
    column = stored_field(field, position)
    if utf16_units(column["name"]) > NAME_LIMIT:
        raise too_long(utf16_units(column["name"]), NAME_LIMIT, column="NAME")
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


PROPERTY_LIMIT = 255
"""The longest key and the longest value of a property that the server stores, in UTF-16 units."""

_UUID, _ETAG = "assert-table-uuid", "assert-etag"
_REQUIREMENTS = {_UUID: ("uuid",), _ETAG: ("etag",)}
_FEATURES = "delta.feature."


def updated(info: Mapping[str, Any], etag: str, body: Any) -> dict[str, Any]:
    """Return the entry after an update."""
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
    """Return properties as the server stores them: numbers become texts."""
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
    if info["table_type"] != "EXTERNAL":
        message = (
            "update-metadata-snapshot-version is only supported for EXTERNAL Delta tables; for MANAGED tables, use the"
            " Delta commit endpoint."
        )
        raise invalid(message)
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


def after_commit(info: Mapping[str, Any], log: LogFacts) -> dict[str, Any]:
    """Return the entry of a managed table after a commit: it has the metadata of the log."""
    fields = log.schema["fields"]
    return {
        **info,
        "table_type": "MANAGED",
        "comment": log.comment,
        "columns": with_partitions(map(stored_field, fields, range(len(fields))), list(log.partitioning)),
        "properties": {
            **log.configuration,
            "io.unitycatalog.tableId": info["table_id"],
            "delta.lastUpdateVersion": str(log.version),
        },
    }
