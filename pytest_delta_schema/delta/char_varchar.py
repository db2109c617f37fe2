"""Char and varchar, which Spark stores as strings with the text of their type in the metadata of the field.

Schemas in JSON, as logs have them, and schemas as objects of Spark are read by one pattern.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import ArrayType, CharType, DataType, MapType, StringType, StructField, StructType, VarcharType

from pytest_delta_schema.delta.fields import SIZED
from pytest_delta_schema.diagnostics.text import identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}
"""Names of atomic types in schemas in JSON that differ from Spark's short names (Delta's protocol)."""

_STRING = r"\s*((?:var)?char(?:acter)?\s*\(\s*\d+\s*\)|string)\s*"
"""Char, varchar and string as Spark's parser takes them: ``character`` is ``char``, and blanks do not count."""


def text_limit(data_type: object) -> int | None:
    """Return how many characters a type takes at most; ``None`` for all types but char and varchar."""
    sized = SIZED.fullmatch(data_type) if isinstance(data_type, str) else None
    return None if sized is None or sized[1] == "decimal" else int(sized[2])


def padded_length(data_type: object) -> int | None:
    """Return to how many characters a type pads each text; ``None`` for all types but char."""
    return text_limit(data_type) if str(data_type).startswith("char(") else None


def without_lengths(data_type: DataType) -> DataType:
    """Return a type as frames have it: strings for char and varchar, at any depth."""
    if isinstance(data_type, (CharType, VarcharType)):
        return StringType()
    if isinstance(data_type, StructType):
        return StructType([StructField(f.name, without_lengths(f.dataType), f.nullable, f.metadata) for f in data_type])
    if isinstance(data_type, ArrayType):
        return ArrayType(without_lengths(data_type.elementType), data_type.containsNull)
    if isinstance(data_type, MapType):
        key, value = without_lengths(data_type.keyType), without_lengths(data_type.valueType)
        return MapType(key, value, data_type.valueContainsNull)
    return data_type


def with_lengths(data_type: DataType, text: str) -> DataType:
    """Return the type that Spark shows as ``data_type``, with strings instead of char and varchar."""
    shown = data_type.jsonValue()
    stored = with_lengths_json(shown, text)
    if stored == shown:
        return data_type
    field = {"name": "", "type": stored, "nullable": True, "metadata": {}}
    return StructType.fromJson({"type": "struct", "fields": [field]}).fields[0].dataType


def with_lengths_json(data_type: Any, text: str) -> Any:
    """Return a type in JSON with char and varchar instead of their strings.

    The text does not quote the names in it, so it cannot be parsed; but all that may differ from the type are its
    strings, so a pattern made from the type finds them.
    """
    match = re.fullmatch(_pattern(data_type), text, re.IGNORECASE)
    return data_type if match is None else _with_strings(data_type, iter(match.groups()))


def _pattern(data_type: Any) -> str:
    if data_type == "string":
        return _STRING
    if isinstance(data_type, str):
        return re.escape(SHORT_NAMES.get(data_type, data_type))
    match data_type["type"]:
        case "struct":
            return f"struct<{','.join(map(_field_pattern, data_type['fields']))}>"
        case "array":
            return f"array<{_pattern(data_type['elementType'])}>"
        case "map":
            return f"map<{_pattern(data_type['keyType'])},{_pattern(data_type['valueType'])}>"
    return r"(?!)"


def _field_pattern(field: dict[str, Any]) -> str:
    name: str = field["name"]
    return f"(?:{re.escape(name)}|{re.escape(identifier(name))}):{_pattern(field['type'])}"


def _with_strings(data_type: Any, texts: Iterator[str]) -> Any:
    if data_type == "string":
        return "".join(next(texts).lower().replace("character", "char").split())
    if isinstance(data_type, str):
        return data_type
    if data_type["type"] == "struct":
        fields = [{**field, "type": _with_strings(field["type"], texts)} for field in data_type["fields"]]
        return {**data_type, "fields": fields}
    # The key of a map comes before its value, as in the text.
    parts = [part for part in ("elementType", "keyType", "valueType") if part in data_type]
    return {**data_type, **{part: _with_strings(data_type[part], texts) for part in parts}}
