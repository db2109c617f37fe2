"""Types of Spark in declarations: the unknown ones, and structs whose frames take any rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from pytest_delta_schema.delta.char_varchar import without_lengths
from pytest_delta_schema.diagnostics.errors import DeclarationError

if TYPE_CHECKING:
    from collections.abc import Iterator


class UnknownType(DataType):
    """The type of an existing column that ``pyspark.sql.types`` or Delta does not know, as text.

    It equals a type that a log or a catalog shows by the same text. A column of such a type is never created or
    changed.

    Args:
        text: The type as drift shows it, such as ``geometry(OGC:CRS84)``.

    Raises:
        DeclarationError: If the text is empty.
    """

    def __init__(self, text: str) -> None:
        given: object = text
        if not isinstance(given, str) or not given.strip():
            msg = f"an unknown type is the text of a type, got {given!r}; write UnknownType('geometry(OGC:CRS84)')"
            raise DeclarationError(msg)
        self.text = text

    def simpleString(self) -> str:  # noqa: N802 - the name in pyspark
        """Return the text."""
        return self.text

    def jsonValue(self) -> str:  # noqa: N802 - as above
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        return f"UnknownType({self.text!r})"


def unknown_types(data_type: DataType) -> Iterator[str]:
    """Yield the texts of the unknown types that a type contains, at any depth."""
    if isinstance(data_type, UnknownType):
        yield data_type.text
    elif isinstance(data_type, StructType):
        for field in data_type.fields:
            yield from unknown_types(field.dataType)
    elif isinstance(data_type, ArrayType):
        yield from unknown_types(data_type.elementType)
    elif isinstance(data_type, MapType):
        yield from unknown_types(data_type.keyType)
        yield from unknown_types(data_type.valueType)


def nullable_struct(schema: StructType) -> StructType:
    """Return a schema without NOT NULL, lengths and metadata at any depth, so a frame takes any rows."""
    return StructType([StructField(field.name, _nullable(field.dataType)) for field in schema])


def _nullable(data_type: DataType) -> DataType:
    if isinstance(data_type, StructType):
        return nullable_struct(data_type)
    if isinstance(data_type, ArrayType):
        return ArrayType(_nullable(data_type.elementType))
    if isinstance(data_type, MapType):
        return MapType(_nullable(data_type.keyType), _nullable(data_type.valueType))
    return without_lengths(data_type)
