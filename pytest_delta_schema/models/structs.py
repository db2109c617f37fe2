"""Declared tables as Spark's structs, and Spark's structs as declared columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructField, StructType

from pytest_delta_schema.delta.char_varchar import with_lengths, without_lengths
from pytest_delta_schema.delta.field_metadata import (
    CHAR_VARCHAR,
    DEFAULT,
    GENERATION_EXPRESSION,
    IDENTITY_EXPLICIT,
    IDENTITY_START,
    IDENTITY_STEP,
)
from pytest_delta_schema.models.column import Column, Identity

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pytest_delta_schema.models.table import Table


def to_struct_type(table: Table) -> StructType:
    """Return the Spark schema of a declared table.

    ``spark.createDataFrame(rows, to_struct_type(orders))`` makes one. Names, types, nullability and comments are those
    of the model. Char and varchar are strings that keep their length in the metadata, as in every frame of Spark; so
    the struct can be given to any reader, and back to :meth:`Table.from_struct_type`.
    """
    return StructType([_field(column) for column in table.columns])


def empty_frame(spark: SparkSession, table: Table) -> DataFrame:
    """Return a frame without rows that has the schema of a declared table.

    Args:
        spark: Any session, also one of Spark Connect.
        table: The model.
    """
    return spark.createDataFrame([], to_struct_type(table))


def columns_of(struct: StructType) -> list[Column]:
    """Return the columns that a schema of Spark or of Delta declares.

    Comments, lengths of char and varchar, defaults, generation expressions and identities are taken from the metadata
    of its fields, as far as it holds them: Spark hides the last two, Delta's log has them.
    """
    return [_column(field) for field in struct.fields]


def _field(column: Column) -> StructField:
    plain = without_lengths(column.data_type)
    metadata: dict[str, Any] = {"comment": column.comment} if column.comment else {}
    if plain != column.data_type:
        metadata[CHAR_VARCHAR] = column.data_type.simpleString()
    return StructField(column.name, plain, column.is_nullable, metadata)


def _column(field: StructField) -> Column:
    known = field.metadata or {}
    data_type = with_lengths(field.dataType, known[CHAR_VARCHAR]) if CHAR_VARCHAR in known else field.dataType
    identity = None
    if IDENTITY_START in known:
        always = not known.get(IDENTITY_EXPLICIT, False)
        identity = Identity(known[IDENTITY_START], known[IDENTITY_STEP], always)
    return Column(
        field.name,
        data_type,
        is_nullable=field.nullable,
        comment=known.get("comment") or "",
        default=known.get(DEFAULT),
        generated_as=known.get(GENERATION_EXPRESSION),
        identity=identity,
    )
