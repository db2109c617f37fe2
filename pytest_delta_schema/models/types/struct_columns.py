"""The columns that a schema of Spark's declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.types import StructType

from pytest_delta_schema.delta.char_varchar import with_lengths
from pytest_delta_schema.delta.field_metadata import (
    CHAR_VARCHAR,
    DEFAULT,
    GENERATION_EXPRESSION,
    IDENTITY_EXPLICIT,
    IDENTITY_START,
    IDENTITY_STEP,
)
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.models.column import Column, Identity

if TYPE_CHECKING:
    from pyspark.sql.types import StructField


def columns_of(struct: StructType) -> list[Column]:
    """Return the columns that a schema of Spark or of Delta declares.

    Comments, lengths of char and varchar, defaults, generation expressions and identities are taken from the metadata
    of its fields, if it holds them: Spark hides the last two, Delta's log has them.

    Raises:
        DeclarationError: If ``struct`` is not a schema.
    """
    if not isinstance(struct, StructType):
        remedy = "give the schema of a frame, df.schema" if hasattr(struct, "schema") else "give a StructType"
        refuse_kind("Table.from_struct_type", "a StructType", struct, remedy)
    return [_column(field) for field in struct.fields]


def _column(field: StructField) -> Column:
    known = field.metadata or {}
    data_type = with_lengths(field.dataType, known[CHAR_VARCHAR]) if CHAR_VARCHAR in known else field.dataType
    identity = None
    if IDENTITY_START in known:
        always = not known.get(IDENTITY_EXPLICIT, False)
        identity = Identity(known[IDENTITY_START], known[IDENTITY_STEP], always=always)
    return Column(
        field.name,
        data_type,
        is_nullable=field.nullable,
        comment=known.get("comment") or "",
        default=known.get(DEFAULT),
        generated_as=known.get(GENERATION_EXPRESSION),
        identity=identity,
    )
