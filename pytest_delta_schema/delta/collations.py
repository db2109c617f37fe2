"""Collations, which Spark stores in the metadata of a field next to the type ``string`` (Spark 4.2.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.column_path import ELEMENT, KEY, VALUE

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEFAULT = "UTF8_BINARY"
"""The collation of strings without one."""

_PARTS = {"elementType": ELEMENT, "keyType": KEY, "valueType": VALUE}
"""The parts of arrays and maps in schemas in JSON, and their names in paths of collations."""


def with_collations_json(data_type: Any, path: str, collations: Mapping[str, str]) -> Any:
    """Return a type in JSON with ``string collate UTF8_LCASE`` instead of strings that have another collation.

    The type is as in the ``schemaString`` of a log. The collations are the value of ``__COLLATIONS``: the provider and
    name of each, by the name of the field and of the parts of arrays and maps below it, joined with dots.
    """
    if data_type == "string" and path in collations:
        name = collations[path].partition(".")[2]
        return data_type if name == _DEFAULT else f"string collate {name}"
    if isinstance(data_type, dict) and data_type["type"] in ("array", "map"):
        # The fields of a struct have metadata of their own.
        below = {
            part: with_collations_json(data_type[part], f"{path}.{name}", collations)
            for part, name in _PARTS.items()
            if part in data_type
        }
        return {**data_type, **below}
    return data_type
