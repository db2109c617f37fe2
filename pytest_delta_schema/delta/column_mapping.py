"""Column mapping: logical names, which people use, and physical names, which data files use (Delta's protocol)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.field_metadata import PHYSICAL_NAME
from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, same_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_INNER = frozenset({"elementType", "keyType", "valueType"})
"""Where the schema of an array or a map has the types in it."""


def physical_path(metadata: Mapping[str, Any], path: ColumnPath) -> list[str]:
    """Return the physical names of a path; without column mapping they are the names as stored.

    The path is that of a column, or of a field of structs below it.
    """
    names, fields = [], json.loads(metadata["schemaString"])["fields"]
    for part in path:
        field = next(field for field in fields if same_name(field["name"], part))
        names.append(_physical_name(field))
        fields = field["type"]["fields"] if isinstance(field["type"], dict) else []
    return names


def logical_path(schema: Mapping[str, Any], path: Sequence[str]) -> ColumnPath:
    """Return the logical names of a path; parts that the schema does not have stay as they are.

    The schema is the parsed ``schemaString`` of a log, and the path that of a column, or of a field of structs below
    it.
    """
    names = []
    for part in path:
        fields = schema["fields"] if isinstance(schema, dict) and schema.get("type") == "struct" else []
        field = next((field for field in fields if _physical_name(field) == part), None)
        names.append(part if field is None else field["name"])
        schema = {} if field is None else field["type"]
    return ColumnPath(*names)


def with_names_of(schema: Any, other: Any) -> Any:
    """Return a schema under the names that its fields have in another schema of the table.

    Fields are the same if their physical names are, or else if their names are. A field that the other schema does not
    have gets a name that no field there has.

    A schema is the parsed ``schemaString`` of a log, or a type in it.
    """
    if not isinstance(schema, dict) or not isinstance(other, dict) or schema["type"] != other["type"]:
        return schema
    if schema["type"] == "struct":
        return {**schema, "fields": _fields_with_names(schema["fields"], other["fields"])}
    return {**schema, **{key: with_names_of(schema[key], other[key]) for key in _INNER & schema.keys()}}


def _fields_with_names(fields: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> list[Any]:
    own = NameSet(map(_physical_name, fields))
    by_physical_name = NameMap((_physical_name(other), other) for other in others)
    by_name = NameMap((other["name"], other) for other in others if _physical_name(other) not in own)
    unused = max((other["name"] for other in others), key=len, default="") + "?"
    renamed: list[Any] = []
    for field in fields:
        same = by_physical_name.get(_physical_name(field)) or by_name.get(field["name"])
        if same is None:
            renamed.append({**field, "name": unused})
        else:
            renamed.append({**field, "name": same["name"], "type": with_names_of(field["type"], same["type"])})
    return renamed


def _physical_name(field: Mapping[str, Any]) -> str:
    name: str = (field.get("metadata") or {}).get(PHYSICAL_NAME, field["name"])
    return name
