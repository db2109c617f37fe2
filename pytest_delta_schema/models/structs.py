"""Declared tables as Spark's structs and frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.types import ArrayType, MapType, StructField, StructType

from pytest_delta_schema.delta.char_varchar import without_lengths
from pytest_delta_schema.delta.fields import CHAR_VARCHAR
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.sets import required_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.table import Table


def to_struct_type(table: Table) -> StructType:
    """Return the Spark schema of a declared table.

    ``spark.createDataFrame(rows, to_struct_type(orders))`` makes one. Names, types, nullability and comments are those
    of the model. Char and varchar are strings that keep their length in the metadata, as in every frame of Spark; so
    the struct can be given to any reader, and back to :meth:`Table.from_struct_type`.

    Raises:
        DeclarationError: If ``table`` is not a model.
    """
    return StructType([_field(column) for column in required_table(table, "to_struct_type").columns])


def empty_frame(spark: SparkSession, table: Table) -> DataFrame:
    """Return a frame without rows that has the schema of a declared table.

    Args:
        spark: Any session, also one of Spark Connect.
        table: The model.

    Raises:
        DeclarationError: If one of them is something else.
    """
    schema = to_struct_type(required_table(table, "empty_frame"))
    if not hasattr(spark, "createDataFrame"):
        refuse_kind("empty_frame", "a Spark session", spark, "give one, such as the fixture delta_spark")
    return spark.createDataFrame([], schema)


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


def _field(column: Column) -> StructField:
    plain = without_lengths(column.data_type)
    metadata: dict[str, Any] = {"comment": column.comment} if column.comment else {}
    if plain != column.data_type:
        metadata[CHAR_VARCHAR] = column.data_type.simpleString()
    return StructField(column.name, plain, column.is_nullable, metadata)
