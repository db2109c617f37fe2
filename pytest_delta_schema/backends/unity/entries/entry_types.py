"""Read the types of the columns of catalog entries; thousands of columns have the JSON of a few dozen types."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.unity.http.schemas import field_of, plain_type
from pytest_delta_schema.delta.names.column_path import TABLE
from pytest_delta_schema.state.catalog_entry import is_collated
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.type_traversal import unstorable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.types import DataTypeState


def entry_type(text: str) -> tuple[DataTypeState, str]:
    """Read type and comment in the JSON of a field, or, as older servers have it, of a type alone.

    Raises:
        ValueError: If it is neither, or the type cannot be stored by Delta.
    """
    plain = plain_type(text)
    if plain is None:
        field = field_of(text)
        return _read(field), str((field.get("metadata") or {}).get("comment") or "")
    return _known_type(bytes(plain.type)), (plain.metadata or {}).get("comment") or ""


@lru_cache(maxsize=1024)
def _known_type(data_type: bytes) -> DataTypeState:
    """Read the JSON of a type for which nothing else of its field matters."""
    return _read(field_of(f'{{"name": "", "type": {data_type.decode()}, "nullable": true}}'))


def _read(field: Mapping[str, Any]) -> DataTypeState:
    (column,) = columns_of_schema({"fields": [field]})
    if not all(is_collated(name) for _, name in unstorable(column.data_type, TABLE)):
        raise ValueError(field["type"])
    return column.data_type
