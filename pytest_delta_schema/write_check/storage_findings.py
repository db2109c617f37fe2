"""Findings about columns that a table cannot store and about values that a frame lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.write_check.collector import WriteFault

if TYPE_CHECKING:
    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.types import ColumnState

_BY_NAME = "write by the table's name, which fills it with NULL"


def missing_not_null_column(path: ColumnPath, condition: str) -> WriteFault:
    """Report a NOT NULL column or field that the frame lacks.

    The condition is that of the schema, or of the rows.
    """
    name = str(path)
    default = ", or declare a default for it" if not path.fields else ""
    return WriteFault(
        path=name,
        rule="missing-not-null-column",
        condition=condition,
        message=f"{name} is NOT NULL in the table, and the frame lacks it",
        remedy=f"give it a value in the frame{default}",
    )


def missing_partition_column(name: str) -> WriteFault:
    """Report a partition column that the frame lacks in a write to a path."""
    return WriteFault(
        path=name,
        rule="missing-partition-column",
        condition="DELTA_PARTITION_COLUMN_NOT_FOUND",
        message=f"the table is partitioned by {name}, and the frame lacks it",
        remedy=f"give it a value in the frame, or make it nullable and {_BY_NAME}",
    )


def missing_source_column(name: str, column: str) -> WriteFault:
    """Report a column that a generated column needs and the frame lacks, in a write to a path."""
    return WriteFault(
        path=column,
        rule="missing-source-column",
        condition="UNRESOLVED_COLUMN",
        message=f"{name} is generated from {column}, and the frame lacks both",
        remedy=f"give {column} a value in the frame, or {_BY_NAME}",
    )


def explicit_identity_insert(name: str) -> WriteFault:
    """Report values for an identity column that is GENERATED ALWAYS."""
    return WriteFault(
        path=name,
        rule="explicit-identity-insert",
        condition="DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
        message=f"{name} is an identity column that is GENERATED ALWAYS, and the frame has it",
        remedy="drop it from the frame, or declare Identity(always=False)",
    )


def unsupported_type(path: ColumnPath, data_type: str, condition: str) -> WriteFault:
    """Report a type that Delta cannot store, such as an interval.

    The error condition depends on the method.
    """
    return WriteFault(
        path=str(path),
        rule="unsupported-type",
        condition=condition,
        message=f"{path} is {data_type} in the frame, which Delta cannot store",
        remedy="cast it to a type that Delta stores, such as string",
    )


def empty_schema(path: ColumnPath) -> WriteFault:
    """Report a struct whose fields are all void, or a frame without columns that replaces a schema."""
    name = str(path)
    reason = "STRUCT_ALL_VOID_FIELDS" if path else "TABLE_NO_COLUMNS"
    return WriteFault(
        path=name,
        rule="empty-schema",
        condition=f"DELTA_CANNOT_WRITE_EMPTY_SCHEMA.{reason}",
        message=f"the fields of the struct {name} are all void" if path else "the frame has no columns",
        remedy="cast its fields to their types" if path else "give the frame columns",
    )


def no_columns() -> WriteFault:
    """Report a frame without columns that is written to a path."""
    return WriteFault(
        path="",
        rule="empty-schema",
        condition="InvalidSchemaException",
        message="the frame has no columns",
        remedy="give the frame columns",
    )


def void_in_stream(path: ColumnPath) -> WriteFault:
    """Report a void column in a stream."""
    return WriteFault(
        path=str(path),
        rule="void-type",
        condition="DELTA_NULL_SCHEMA_IN_STREAMING_WRITE",
        message=f"{path!s} is void in the frame, which a stream cannot write",
        remedy="cast it to its type, or drop it from the frame",
    )


def void_in_collection(path: ColumnPath) -> WriteFault:
    """Report a void element, key or value of an array or a map."""
    return WriteFault(
        path=str(path),
        rule="void-type",
        condition="DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE",
        message=f"{path!s} is void in the frame, which arrays and maps cannot hold",
        remedy="cast it to its type",
    )


def invalid_column_name(name: str) -> WriteFault:
    """Report a name with characters that need column mapping."""
    return WriteFault(
        path=name,
        rule="invalid-column-name",
        condition="DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
        message=f"{name!r} has characters that Delta stores under column mapping only",
        remedy="rename it in the frame, or declare the property delta.columnMapping.mode = name",
    )


def missing_table_feature(path: str, data_type: str, feature: str) -> WriteFault:
    """Report a type that needs a table feature which the table lacks, such as ``timestamp_ntz``."""
    return WriteFault(
        path=path,
        rule="missing-table-feature",
        condition="DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
        message=f"{path} is {data_type} in the frame, for which the table lacks {feature}",
        remedy=f"set the property {feature} = supported first; an apply of a model with such a column does",
    )


def reserved_column_name(name: str) -> WriteFault:
    """Report a name that the change data feed reserves."""
    return WriteFault(
        path=name,
        rule="reserved-column-name",
        condition="RESERVED_CDC_COLUMNS_ON_WRITE",
        message=f"{name} is a column of the table's change data feed",
        remedy="drop or rename it in the frame",
    )


def append_only() -> WriteFault:
    """Report an overwrite of a table with ``delta.appendOnly``."""
    return WriteFault(
        path="",
        rule="append-only",
        condition="DELTA_CANNOT_MODIFY_APPEND_ONLY",
        message="the table is append-only (delta.appendOnly), and an overwrite removes rows",
        remedy="append instead, or unset the property",
    )


def filled_by(column: ColumnState) -> str:
    """Return where the values of a column come from that a write leaves out."""
    generation = column.value
    if generation is None:
        return "it is NULL"
    if generation.generated is not None:
        return f"the table generates it as {generation.generated}"
    if generation.identity is not None:
        return "the table counts it"
    return f"it takes its default, {generation.default}"
