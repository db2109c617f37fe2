"""Read and write catalog entries in the JSON of the classic API, and schemas in that of the Delta API.

The forms are those of Unity Catalog 0.6.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.folded_names import NameMap
from pytest_delta_schema.diagnostics.errors import first_line
from pytest_delta_schema.state.catalog_entry import EntryColumn, EntryState, decimal_parts, type_name, type_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.backends.unity.http.answer_types import ColumnInfo, TableInfo
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.catalog_entry import LogState
    from pytest_delta_schema.state.types import DataTypeState

LAST_VERSION, LAST_TIMESTAMP = "delta.lastUpdateVersion", "delta.lastCommitTimestamp"
"""The properties with the version of the log that an entry was written from, and its time."""

_KEBAB = {
    "elementType": "element-type",
    "containsNull": "contains-null",
    "keyType": "key-type",
    "valueType": "value-type",
    "valueContainsNull": "value-contains-null",
}
_CAMEL = {kebab: camel for camel, kebab in _KEBAB.items()}


def entry_of(name: QualifiedName, info: TableInfo) -> EntryState:
    """Read a catalog entry from an answer of the classic API.

    Raises:
        ValueError: With the reason, if it cannot be understood.
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
        columns=columns_of_entry(info),
        comment=info.get("comment") or "",
        properties=MappingProxyType(properties),
        version=int(version) if version.isdecimal() else None,
    )


def columns_of_entry(info: TableInfo) -> tuple[EntryColumn, ...]:
    """Read the columns of an entry, in the order of their positions.

    Raises:
        ValueError: With the reason, if a column cannot be understood.
    """
    columns = sorted(info.get("columns") or (), key=lambda column: column.get("position") or 0)
    if not columns:
        return ()
    from pytest_delta_schema.backends.unity.entries.entry_types import entry_type

    return tuple([_column(column, entry_type) for column in columns])


def schema_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Convert columns of the Delta API to the schema of a Delta log."""
    return _renamed(columns, _CAMEL)  # type: ignore[no-any-return]


def columns_for(schema: dict[str, Any]) -> dict[str, Any]:
    """Convert the schema of a Delta log to columns for the Delta API."""
    return _renamed(schema, _KEBAB)  # type: ignore[no-any-return]


def table_info(entry: EntryState, log: LogState, timestamp: int) -> dict[str, Any]:
    """Return a whole catalog entry for the classic API: the metadata of the log, at the location of the old entry.

    The timestamp is that of the newest version, in milliseconds since 1970.
    """
    catalog, schema, table = entry.name.written
    partition_indexes = NameMap((name, index) for index, name in enumerate(log.partitioning))
    fields = json.loads(log.schema)["fields"]
    info: dict[str, Any] = {
        "name": table,
        "catalog_name": catalog,
        "schema_name": schema,
        "table_type": entry.table_type,
        "data_source_format": entry.data_format,
        "storage_location": entry.location,
        "comment": log.comment,
        "properties": {**log.configuration, LAST_VERSION: str(log.version), LAST_TIMESTAMP: str(timestamp)},
        "columns": [
            _info(field, column.data_type, position, partition_indexes.get(column.name))
            for position, (field, column) in enumerate(zip(fields, log.columns, strict=True))
        ],
    }
    return {**info, **({"owner": entry.owner} if entry.owner else {})}


def _info(
    field: Mapping[str, Any], data_type: DataTypeState, position: int, partition_index: int | None
) -> dict[str, Any]:
    precision, scale = decimal_parts(data_type)
    return {
        "name": field["name"],
        "type_text": type_text(data_type),
        "type_json": json.dumps(_whole(field)),
        "type_name": type_name(data_type),
        "type_precision": precision,
        "type_scale": scale,
        "position": position,
        "nullable": field["nullable"],
        "comment": (field.get("metadata") or {}).get("comment", ""),
        "partition_index": partition_index,
    }


def _column(info: ColumnInfo, entry_type: Callable[[str], tuple[DataTypeState, str]]) -> EntryColumn:
    type_json = info.get("type_json")
    try:
        data_type, json_comment = entry_type(type_json) if type_json else (None, "")
        return EntryColumn(
            name=info["name"],
            text=info.get("type_text") or "",
            data_type=data_type,
            type_name=info.get("type_name") or "",
            precision=info.get("type_precision"),
            scale=info.get("type_scale"),
            is_nullable=info.get("nullable") is not False,
            comment=info.get("comment") or "",
            partition_index=info.get("partition_index"),
            json_comment=json_comment,
        )
    except (TypeError, ValueError) as error:
        shown = first_line(ValueError(type_json))
        msg = f"its catalog entry has a column {info['name']} of an unknown type ({shown})"
        raise ValueError(msg) from error


def _whole(field: Mapping[str, Any]) -> dict[str, Any]:
    """Return a field with metadata, which some clients leave out and servers require."""
    return {**field, "metadata": field.get("metadata") or {}}


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Rename the keys of a type; what fields hold next to their types is passed on as it is."""
    if not isinstance(value, dict):
        return value
    return {
        names.get(key, key): [{**_whole(field), "type": _renamed(field["type"], names)} for field in part]
        if key == "fields"
        else _renamed(part, names)
        for key, part in value.items()
    }
