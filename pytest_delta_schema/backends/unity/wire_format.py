"""What goes over the wire: records as the server writes them, and schemas as its Delta API wants them.

Facts about the wire were run against Unity Catalog 0.6.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.errors import because
from pytest_delta_schema.state.catalog_entry import EntryColumn, EntryState, decimal_parts, type_name, type_text
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.type_traversal import unstorable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.backends.unity.answers import ColumnInfo, TableInfo
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.catalog_entry import LogState
    from pytest_delta_schema.state.types import DataTypeState

LAST_VERSION, LAST_TIMESTAMP = "delta.lastUpdateVersion", "delta.lastCommitTimestamp"
"""Where a record says which version of the log it shows."""

_KEBAB = {
    "elementType": "element-type",
    "containsNull": "contains-null",
    "keyType": "key-type",
    "valueType": "value-type",
    "valueContainsNull": "value-contains-null",
}
_CAMEL = {kebab: camel for camel, kebab in _KEBAB.items()}


def record_of(name: QualifiedName, info: TableInfo) -> EntryState:
    """Read a record as the classic API shows it.

    Raises:
        ValueError: If it cannot be understood, with the reason.
    """
    properties = info.get("properties") or {}
    version = properties.get(LAST_VERSION, "")
    return EntryState(
        name=name,
        table_id=info.get("table_id") or "",
        table_type=info["table_type"],
        data_format=info.get("data_source_format") or "",
        location=info.get("storage_location") or "",
        owner=info.get("owner") or "",
        columns=columns_of(info),
        comment=info.get("comment") or "",
        properties=MappingProxyType(properties),
        version=int(version) if version.isdecimal() else None,
    )


def columns_of(info: TableInfo) -> tuple[EntryColumn, ...]:
    """Read the columns of a record, in the order of their positions.

    Raises:
        ValueError: If one cannot be understood, with the reason.
    """
    columns = sorted(info.get("columns") or (), key=lambda column: column.get("position") or 0)
    return tuple(map(_column, columns))


def schema_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Turn columns of the Delta API into a schema as it stands in a Delta log."""
    return _renamed(columns, _CAMEL)  # type: ignore[no-any-return]


def columns_for(schema: dict[str, Any]) -> dict[str, Any]:
    """Turn a schema of a Delta log into columns for the Delta API."""
    return _renamed(schema, _KEBAB)  # type: ignore[no-any-return]


def table_info(record: EntryState, log: LogState, timestamp: int) -> dict[str, Any]:
    """Write a whole record for the classic API: what the log says, in the place that the old record had."""
    catalog, schema, table = record.name.written
    places = {name.lower(): index for index, name in enumerate(log.partitioning)}
    fields = json.loads(log.schema)["fields"]
    info: dict[str, Any] = {
        "name": table,
        "catalog_name": catalog,
        "schema_name": schema,
        "table_type": record.table_type,
        "data_source_format": record.data_format,
        "storage_location": record.location,
        "comment": log.comment,
        "properties": {**log.configuration, LAST_VERSION: str(log.version), LAST_TIMESTAMP: str(timestamp)},
        "columns": [
            _info(field, column.data_type, position, places.get(column.name.lower()))
            for position, (field, column) in enumerate(zip(fields, log.columns, strict=True))
        ],
    }
    return {**info, **({"owner": record.owner} if record.owner else {})}


def _info(field: Mapping[str, Any], data_type: DataTypeState, position: int, place: int | None) -> dict[str, Any]:
    precision, scale = decimal_parts(data_type)
    return {
        "name": field["name"],
        "type_text": type_text(data_type),
        "type_json": json.dumps(field),
        "type_name": type_name(data_type),
        "type_precision": precision,
        "type_scale": scale,
        "position": position,
        "nullable": field["nullable"],
        "comment": (field.get("metadata") or {}).get("comment", ""),
        "partition_index": place,
    }


def _column(info: ColumnInfo) -> EntryColumn:
    try:
        return EntryColumn(
            name=info["name"],
            text=info.get("type_text") or "",
            data_type=_from_json(info.get("type_json")),
            type_name=info.get("type_name") or "",
            precision=info.get("type_precision"),
            scale=info.get("type_scale"),
            is_nullable=info.get("nullable") is not False,
            comment=info.get("comment") or "",
            partition_index=info.get("partition_index"),
        )
    except (TypeError, ValueError) as error:
        said = because(ValueError(info.get("type_json")))
        msg = f"its record has a column {info['name']} of a type that we do not know ({said})"
        raise ValueError(msg) from error


def _from_json(text: str | None) -> DataTypeState | None:
    """Read the JSON of a field, or, as older servers have it, of a type alone."""
    from pytest_delta_schema.backends.unity.schemas import field_of

    if not text:
        return None
    (column,) = columns_of_schema({"fields": [field_of(text)]})
    if any(unstorable(column.data_type, "")):
        raise ValueError(text)
    return column.data_type


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Rename the keys of a type; what fields hold beside their types is passed on as it is."""
    if not isinstance(value, dict):
        return value
    return {
        names.get(key, key): [{**field, "type": _renamed(field["type"], names)} for field in part]
        if key == "fields"
        else _renamed(part, names)
        for key, part in value.items()
    }
