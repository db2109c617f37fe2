"""Check the JSON of schemas that a server sends, before any recursion into them.

Delta logs, and the JSON of a column's type, have keys like ``elementType``; the Delta API has ``element-type``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_delta_schema.delta.names import TABLE
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.entries import is_collated
from pytest_delta_schema.state.spark_types import unstorable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.types import DataTypeState


DEEPEST = 100
"""The deepest nesting of types that is accepted, because types are traversed by recursion."""


class LogField(msgspec.Struct):
    """A field, or a column."""

    name: str
    type: LogType
    nullable: bool
    metadata: dict[str, Any] | None = None


class _LogStruct(msgspec.Struct, tag_field="type", tag="struct"):
    fields: list[LogField]


class _LogArray(msgspec.Struct, tag_field="type", tag="array", rename="camel"):
    element_type: LogType
    contains_null: bool


class _LogMap(msgspec.Struct, tag_field="type", tag="map", rename="camel"):
    key_type: LogType
    value_type: LogType
    value_contains_null: bool


LogType = str | _LogStruct | _LogArray | _LogMap


class _ApiField(msgspec.Struct):
    name: str
    type: ApiType
    nullable: bool
    metadata: dict[str, Any] | None = None


class ApiStruct(msgspec.Struct, tag_field="type", tag="struct"):
    """The columns of a table."""

    fields: list[_ApiField]


class _ApiArray(msgspec.Struct, tag_field="type", tag="array", rename="kebab"):
    element_type: ApiType
    contains_null: bool


class _ApiMap(msgspec.Struct, tag_field="type", tag="map", rename="kebab"):
    key_type: ApiType
    value_type: ApiType
    value_contains_null: bool


ApiType = str | ApiStruct | _ApiArray | _ApiMap


class PlainField(msgspec.Struct):
    """A field whose type is read by itself."""

    name: str
    type: msgspec.Raw
    nullable: bool
    metadata: dict[str, str | None] | None = None


_PLAIN_FIELD = msgspec.json.Decoder(PlainField)


def field_of(text: str) -> dict[str, Any]:
    """Read the JSON of a field, or of a type alone, as older servers send it."""
    value = read_json(text)
    field = value if isinstance(value, dict) and "name" in value else {"name": "", "type": value, "nullable": True}
    if text.count("{") + text.count("[") > DEEPEST:
        _require_shallow(field)
    msgspec.convert(field, LogField)
    return field


def plain_type(text: str) -> PlainField | None:
    """Return a field whose metadata is its comment at most; ``None`` if the rest of it may matter, or is malformed."""
    if text.count("{") + text.count("[") > DEEPEST:
        return None
    try:
        field = _PLAIN_FIELD.decode(text)
    except ValueError:
        return None
    return field if not field.metadata or field.metadata.keys() == {"comment"} else None


def read_json(text: str | bytes) -> Any:
    """Read JSON; raise a ``ValueError`` with the reason, if it is not JSON or nested too deeply."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        msg = f"it is nested deeper than {DEEPEST} levels"
    raise ValueError(msg)


def require_columns(value: Any) -> None:
    """Require a value to have the form of columns of the Delta API."""
    _require_shallow(value)
    msgspec.convert(value, ApiStruct)


def _require_shallow(value: Any) -> None:
    waiting = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        if not isinstance(part, (dict, list)):
            continue
        if depth > DEEPEST:
            msg = f"it is nested deeper than {DEEPEST} levels"
            raise ValueError(msg)
        inside = part.items() if isinstance(part, dict) else enumerate(part)
        for key, item in inside:
            if key == "fields" and isinstance(item, list):
                # A field is not a level: the next one is its type.
                waiting += [(field, depth) for field in item]
            else:
                waiting.append((item, depth + 1))


def entry_type(text: str) -> tuple[DataTypeState, str]:
    """Read type and comment in the JSON of a field, or, as older servers have it, of a type alone."""
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
