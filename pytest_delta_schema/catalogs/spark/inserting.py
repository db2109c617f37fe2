"""Append rows that are given as values by column name, so that the table fills what it can and refuses what it must."""

from __future__ import annotations

from decimal import Decimal
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.errors import BackendFailure
from pytest_delta_schema.sql.quoting import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from pytest_delta_schema.models.names import QualifiedName


def insert_rows(
    spark: SparkSession, table: QualifiedName, rows: Iterable[Mapping[str, Any]], filled: frozenset[str]
) -> None:
    """Append rows; columns that none of them gives are left to the table.

    Args:
        spark: The session.
        table: Where.
        rows: Values by column name.
        filled: The columns that the table fills when a write leaves them out, in lower case.

    Raises:
        BackendFailure: If there is no such column.
    """
    stored = spark.table(dotted(table)).schema
    folded = [{name.lower(): value for name, value in row.items()} for row in rows]
    strangers = sorted({name for row in folded for name in row} - {field.name.lower() for field in stored})
    if strangers:
        msg = f"{table}: there is no column {', '.join(strangers)}; mend the rows"
        raise BackendFailure(msg)
    for given, some in _alike(folded, filled):
        fields = [field for field in stored if field.name.lower() not in filled - given]
        tuples = [tuple(_fitting(row.get(field.name.lower()), field) for field in fields) for row in some]
        frame = spark.createDataFrame(tuples, _loose(type(stored)(fields)))
        frame.write.mode("append").saveAsTable(dotted(table))


def _alike(
    rows: Sequence[Mapping[str, Any]], filled: frozenset[str]
) -> Iterator[tuple[frozenset[str], list[Mapping[str, Any]]]]:
    """Group neighbouring rows that give the same of the columns which the table would fill."""
    for given, some in groupby(rows, key=lambda row: filled & row.keys()):
        yield given, list(some)


def _loose(kind: Any) -> Any:
    """Return a type that takes NULL and any length everywhere, so that it is the table that refuses, not the frame."""
    from pyspark.sql.types import ArrayType, CharType, MapType, StringType, StructField, StructType, VarcharType

    if isinstance(kind, StructType):
        return StructType([StructField(field.name, _loose(field.dataType)) for field in kind])
    if isinstance(kind, ArrayType):
        return ArrayType(_loose(kind.elementType))
    if isinstance(kind, MapType):
        return MapType(_loose(kind.keyType), _loose(kind.valueType))
    return StringType() if isinstance(kind, (CharType, VarcharType)) else kind


def _fitting(value: Any, field: Any) -> Any:
    """Turn whole numbers into what frames take for decimals and floats."""
    from pyspark.sql.types import DecimalType, DoubleType, FloatType

    if isinstance(value, int) and isinstance(field.dataType, (DecimalType, DoubleType, FloatType)):
        return Decimal(value) if isinstance(field.dataType, DecimalType) else float(value)
    return value
