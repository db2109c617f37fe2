"""Column mapping: logical names, which people use, and physical names, which data files use (Delta's protocol)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.column_path import ColumnPath
from pytest_delta_schema.delta.field_metadata import PHYSICAL_NAME
from pytest_delta_schema.delta.folded_names import same_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def physical_path(metadata: Mapping[str, Any], path: ColumnPath) -> list[str]:
    """Return the physical names of a path; without column mapping they are the names as stored.

    Args:
        metadata: The ``metaData`` action of a log.
        path: A column, or a field of structs below it.
    """
    names, fields = [], json.loads(metadata["schemaString"])["fields"]
    for part in path:
        field = next(field for field in fields if same_name(field["name"], part))
        names.append(_physical_name(field))
        fields = field["type"]["fields"] if isinstance(field["type"], dict) else []
    return names


def logical_path(schema: Mapping[str, Any], path: Sequence[str]) -> ColumnPath:
    """Return the logical names of a path; parts that the schema does not have stay as they are.

    Args:
        schema: The parsed ``schemaString`` of a log.
        path: Physical names of a column and of fields of structs below it.
    """
    names = []
    for part in path:
        fields = schema["fields"] if isinstance(schema, dict) and schema.get("type") == "struct" else []
        field = next((field for field in fields if _physical_name(field) == part), None)
        names.append(part if field is None else field["name"])
        schema = {} if field is None else field["type"]
    return ColumnPath(*names)


def _physical_name(field: Mapping[str, Any]) -> str:
    name: str = (field.get("metadata") or {}).get(PHYSICAL_NAME, field["name"])
    return name
