"""Schemas in JSON as servers send them: checked before anything walks down in them.

Delta logs, and the JSON of a column's type, write keys as in ``elementType``; the Delta API as in ``element-type``.
"""

from __future__ import annotations

from typing import Any

import msgspec

DEEPEST = 100
"""Types that are nested deeper are refused: every walk through a type is a recursion."""


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


def field_of(text: str) -> dict[str, Any]:
    """Read the JSON of a field, or, as older servers have it, of a type alone.

    Raises:
        ValueError: If it is neither, with the reason.
    """
    value = read_json(text)
    field = value if isinstance(value, dict) and "name" in value else {"name": "", "type": value, "nullable": True}
    if text.count("{") + text.count("[") > DEEPEST:
        _require_shallow(field)
    msgspec.convert(field, LogField)
    return field


def read_json(text: str | bytes) -> Any:
    """Read JSON.

    Raises:
        ValueError: If it is none, or nested too deeply, with the reason.
    """
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        msg = f"it is nested deeper than {DEEPEST} levels"
    raise ValueError(msg)


def require_columns(value: Any) -> None:
    """Make sure that a value has the form of the columns of the Delta API.

    Raises:
        ValueError: If it has not, with the place of the fault.
    """
    _require_shallow(value)
    msgspec.convert(value, ApiStruct)


def _require_shallow(value: Any) -> None:
    waiting = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        if depth > DEEPEST:
            msg = f"it is nested deeper than {DEEPEST} levels"
            raise ValueError(msg)
        if isinstance(part, (dict, list)):
            inside = part.values() if isinstance(part, dict) else part
            waiting += [(each, depth + 1) for each in inside if isinstance(each, (dict, list))]
