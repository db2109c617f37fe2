"""Char and varchar in Spark's schemas, which show them as strings and keep their lengths in the metadata of a field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.sql.types import ArrayType, CharType, DataType, MapType, StringType, StructField, StructType, VarcharType

if TYPE_CHECKING:
    from collections.abc import Iterator

CHAR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"
"""The key under which Spark keeps the text of a type that it shows without its lengths."""

_STRINGS = re.compile(r"(?:var)?char\(\d+\)|string", re.IGNORECASE)
_LENGTH = re.compile(r"(var)?char\((\d+)\)", re.IGNORECASE)


def without_lengths(data_type: DataType) -> DataType:
    """Return a type as frames have it: strings for char and varchar, at any depth."""
    return _with_strings(data_type, None)


def with_lengths(data_type: DataType, text: str) -> DataType:
    """Return the type that Spark shows as ``data_type`` and whose own text is ``text``.

    The text does not quote all names in it, so a pattern made from the shown type finds the strings.
    """
    match = re.fullmatch(_pattern(data_type), text, re.IGNORECASE)
    return data_type if match is None else _with_strings(data_type, iter(match.groups()))


def _with_strings(data_type: DataType, texts: Iterator[str] | None) -> DataType:
    """Give every string in a type another text, or take its length away if there are none."""
    if isinstance(data_type, (StringType, CharType, VarcharType)):
        return _string(next(texts)) if texts is not None else _plain(data_type)
    if isinstance(data_type, StructType):
        fields = [StructField(f.name, _with_strings(f.dataType, texts), f.nullable, f.metadata) for f in data_type]
        return StructType(fields)
    if isinstance(data_type, ArrayType):
        return ArrayType(_with_strings(data_type.elementType, texts), data_type.containsNull)
    if isinstance(data_type, MapType):
        key, value = _with_strings(data_type.keyType, texts), _with_strings(data_type.valueType, texts)
        return MapType(key, value, data_type.valueContainsNull)
    return data_type


def _plain(data_type: DataType) -> DataType:
    return StringType() if isinstance(data_type, (CharType, VarcharType)) else data_type


def _string(text: str) -> DataType:
    length = _LENGTH.fullmatch(text)
    if length is None:
        return StringType()
    return VarcharType(int(length[2])) if length[1] else CharType(int(length[2]))


def _pattern(data_type: DataType) -> str:
    if isinstance(data_type, StringType):
        return f"({_STRINGS.pattern})"
    if isinstance(data_type, StructType):
        return f"struct<{','.join(map(_field_pattern, data_type.fields))}>"
    if isinstance(data_type, ArrayType):
        return f"array<{_pattern(data_type.elementType)}>"
    if isinstance(data_type, MapType):
        return f"map<{_pattern(data_type.keyType)},{_pattern(data_type.valueType)}>"
    return re.escape(data_type.simpleString())


def _field_pattern(field: StructField) -> str:
    quoted = "`" + field.name.replace("`", "``") + "`"
    return f"(?:{re.escape(field.name)}|{re.escape(quoted)}):{_pattern(field.dataType)}"
