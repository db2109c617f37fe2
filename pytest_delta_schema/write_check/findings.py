"""The findings of a write check: the name of each fault, Delta's error condition, the message and the remedy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_delta_schema.errors import Diagnostic
from pytest_delta_schema.models.codegen import column_source, field_source
from pytest_delta_schema.state.adopting import declared_column, struct_field
from pytest_delta_schema.state.type_traversal import unstorable as unstorable_parts
from pytest_delta_schema.state.types import describe_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.write_check.dependencies import Dependent
    from pytest_delta_schema.write_check.schema_merge import NewPart, TypeDifference

Path = tuple[str, ...]

NO_CAST = "DATATYPE_MISMATCH"
"""Spark's condition for a pair of types without a cast."""

_OLD_MISMATCH, _MISMATCH = "_LEGACY_ERROR_TEMP_DELTA_0007", "DELTA_METADATA_MISMATCH"
_NAMED_SINCE = (4, 1)
"""Since this version, Delta's error for a schema that does not match has a named condition."""

_BY_NAME = "write by the table's name, which fills it with NULL"
_MERGE = 'set mergeSchema on the write (.option("mergeSchema", "true"))'


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A reason why a write is refused, before it is reported for a table.

    Args:
        path: The column or field, with dots; ``""`` for the whole frame.
        rule: The name of the fault, such as ``extra-column``.
        condition: The error condition that Delta or Spark raises, such as ``DELTA_METADATA_MISMATCH``.
        message: The fact and its reason.
        remedy: What to do about it, such as the option to set or the line to add to the model.
    """

    path: str
    rule: str
    condition: str
    message: str
    remedy: str


@dataclass(slots=True, kw_only=True)
class Collector:
    """Collects the findings and the notes of one write.

    Args:
        findings: The reasons of a refusal so far.
        notes: The effects of the write so far.
    """

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def diagnostic(finding: Finding, table: str) -> Diagnostic:
    """Return a finding in the shape of all reports; its code is the error condition.

    Args:
        finding: The reason of a refusal.
        table: Dotted name of the table.
    """
    return Diagnostic(
        code=finding.condition,
        rule=finding.rule,
        table=table,
        path=finding.path,
        message=finding.message,
        remedy=finding.remedy,
    )


def mismatch(version: tuple[int, int]) -> str:
    """Return Delta's condition for a frame that would change the schema without permission."""
    return _MISMATCH if version >= _NAMED_SINCE else _OLD_MISMATCH


def extra_column(part: NewPart, version: tuple[int, int]) -> Finding:
    """Report a column or field that the frame has and the table lacks."""
    column = part.column
    path = _dotted((*part.parent, column.name))
    if any(unstorable_parts(column.data_type, path)):
        remedy = "drop it from the frame, or cast it to a type that Delta stores"
        fact = f"the frame has a column {path} ({describe_type(column.data_type)}), which the table lacks"
    elif part.parent:
        struct = f"the struct {_dotted(part.parent)} of the model"
        remedy = f"{_MERGE}, or add {field_source(struct_field(column))} to {struct}, or leave the field out"
        fact = f"the frame has a field {path} ({describe_type(column.data_type)}), which the table lacks"
    else:
        remedy = f"{_MERGE}, or add {column_source(declared_column(column))} to the model, or drop it from the frame"
        fact = f"the frame has a column {path} ({describe_type(column.data_type)}), which the table lacks"
    return Finding(path=path, rule="extra-column", condition=mismatch(version), message=fact, remedy=remedy)


def wider_type(difference: TypeDifference, version: tuple[int, int]) -> Finding:
    """Report a type that the table takes only with ``mergeSchema``."""
    name, old, new = _shown(difference)
    fact = f"{name} is {old} in the table and {new} in the frame"
    remedy = f"{_MERGE} to make it {new}, or cast it to {old}"
    return Finding(path=name, rule="wider-type", condition=mismatch(version), message=fact, remedy=remedy)


def type_mismatch(difference: TypeDifference, *, casts: bool) -> Finding:
    """Report a type that Delta cannot merge into the type of the table."""
    name, old, new = _shown(difference)
    other = "" if casts else ", or append by the table's name, which casts (saveAsTable, writeTo)"
    return Finding(
        path=name,
        rule="type-mismatch",
        condition="DELTA_FAILED_TO_MERGE_FIELDS",
        message=f"{name} is {old} in the table and {new} in the frame, and this write does not cast",
        remedy=f'cast it in the frame (.cast("{old}")){other}',
    )


def unsupported_cast(difference: TypeDifference) -> Finding:
    """Report a type that Spark cannot cast to the type of the table."""
    name, old, new = _shown(difference)
    return Finding(
        path=name,
        rule="unsupported-cast",
        condition=NO_CAST,
        message=f"{name} is {old} in the table and {new} in the frame, which Spark does not cast",
        remedy=f"convert it to {old} in the frame",
    )


def unsupported_struct_cast(difference: TypeDifference) -> Finding:
    """Report a struct that ``insertInto`` cannot cast, because the table has another kind of type."""
    name, old, new = _shown(difference)
    return Finding(
        path=name,
        rule="unsupported-cast",
        condition="DELTA_COLUMN_STRUCT_TYPE_MISMATCH",
        message=f"{name} is {old} in the table and {new} in the frame, which insertInto does not cast",
        remedy=f"convert it to {old} in the frame",
    )


def cast_note(difference: TypeDifference) -> str:
    """Return the note that values are cast."""
    name, old, new = _shown(difference)
    return f"{name} is cast from {new} to {old}; a value that does not fit fails"


def too_few_columns(parent: Path, given: int, wanted: int) -> Finding:
    """Report a frame, or a struct in it, that has fewer fields than ``insertInto`` needs."""
    subject = f"the struct {_dotted(parent)}" if parent else "the frame"
    parts = "fields" if parent else "columns"
    return Finding(
        path=_dotted(parent),
        rule="too-few-columns",
        condition="DELTA_INSERT_COLUMN_ARITY_MISMATCH",
        message=f"{subject} has {given} {parts} where the table has {wanted}, and insertInto matches them by position",
        remedy="give all of them in the table's order, or write by name (writeTo, saveAsTable)",
    )


def duplicate_column(names: Iterable[str], condition: str) -> Finding:
    """Report names that are equal without case."""
    listed = ", ".join(names)
    return Finding(
        path=listed.partition(", ")[0],
        rule="duplicate-column",
        condition=condition,
        message=f"the frame has {listed} more than once, because names match without case",
        remedy="rename or drop all but one",
    )


def missing_not_null_column(path: Path, condition: str) -> Finding:
    """Report a NOT NULL column or field that the frame lacks."""
    name = _dotted(path)
    default = ", or declare a default for it" if len(path) == 1 else ""
    return Finding(
        path=name,
        rule="missing-not-null-column",
        condition=condition,
        message=f"{name} is NOT NULL in the table, and the frame lacks it",
        remedy=f"give it a value in the frame{default}",
    )


def missing_partition_column(name: str) -> Finding:
    """Report a partition column that the frame lacks in a write to a path."""
    return Finding(
        path=name,
        rule="missing-partition-column",
        condition="DELTA_PARTITION_COLUMN_NOT_FOUND",
        message=f"the table is partitioned by {name}, and the frame lacks it",
        remedy=f"give it a value in the frame, or make it nullable and {_BY_NAME}",
    )


def missing_source_column(name: str, column: str) -> Finding:
    """Report a column that a generated column needs and the frame lacks, in a write to a path."""
    return Finding(
        path=column,
        rule="missing-source-column",
        condition="UNRESOLVED_COLUMN",
        message=f"{name} is generated from {column}, and the frame lacks both",
        remedy=f"give {column} a value in the frame, or {_BY_NAME}",
    )


def explicit_identity_insert(name: str) -> Finding:
    """Report values for an identity column that is GENERATED ALWAYS."""
    return Finding(
        path=name,
        rule="explicit-identity-insert",
        condition="DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
        message=f"{name} is an identity column that is GENERATED ALWAYS, and the frame has it",
        remedy="drop it from the frame, or declare Identity(always=False)",
    )


def column_in_use(difference: TypeDifference, dependent: Dependent) -> Finding:
    """Report a column of another type that a check or a generated column depends on."""
    name, old, new = _shown(difference)
    subject = "GENERATED_COLUMNS" if dependent.is_generated else "CONSTRAINT"
    return Finding(
        path=name,
        rule="column-in-use",
        condition=f"DELTA_{subject}_DATA_TYPE_MISMATCH",
        message=f"{name} is {old} in the table and {new} in the frame, and {dependent.label} depends on it",
        remedy=f"cast it to {old}",
    )


def unsupported_type(path: str, data_type: str, condition: str) -> Finding:
    """Report a type that Delta cannot store."""
    return Finding(
        path=path,
        rule="unsupported-type",
        condition=condition,
        message=f"{path} is {data_type} in the frame, which Delta cannot store",
        remedy="cast it to a type that Delta stores, such as string",
    )


def empty_schema(path: Path) -> Finding:
    """Report a struct whose fields are all void, or a frame without columns that replaces a schema."""
    name = _dotted(path)
    reason = "STRUCT_ALL_VOID_FIELDS" if path else "TABLE_NO_COLUMNS"
    return Finding(
        path=name,
        rule="empty-schema",
        condition=f"DELTA_CANNOT_WRITE_EMPTY_SCHEMA.{reason}",
        message=f"the fields of the struct {name} are all void" if path else "the frame has no columns",
        remedy="cast its fields to their types" if path else "give the frame columns",
    )


def no_columns() -> Finding:
    """Report a frame without columns that is written to a path."""
    return Finding(
        path="",
        rule="empty-schema",
        condition="InvalidSchemaException",
        message="the frame has no columns",
        remedy="give the frame columns",
    )


def void_in_stream(path: Path) -> Finding:
    """Report a void column in a stream."""
    return Finding(
        path=_dotted(path),
        rule="void-type",
        condition="DELTA_NULL_SCHEMA_IN_STREAMING_WRITE",
        message=f"{_dotted(path)} is void in the frame, which a stream cannot write",
        remedy="cast it to its type, or drop it from the frame",
    )


def void_in_collection(path: Path) -> Finding:
    """Report a void element, key or value of an array or a map."""
    return Finding(
        path=_dotted(path),
        rule="void-type",
        condition="DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE",
        message=f"{_dotted(path)} is void in the frame, which arrays and maps cannot hold",
        remedy="cast it to its type",
    )


def invalid_column_name(name: str) -> Finding:
    """Report a name with characters that need column mapping."""
    return Finding(
        path=name,
        rule="invalid-column-name",
        condition="DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
        message=f"{name!r} has characters that Delta stores under column mapping only",
        remedy="rename it in the frame, or declare the property delta.columnMapping.mode = name",
    )


def missing_table_feature(path: str, data_type: str, feature: str) -> Finding:
    """Report a type that needs a table feature which the table lacks."""
    return Finding(
        path=path,
        rule="missing-table-feature",
        condition="DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
        message=f"{path} is {data_type} in the frame, for which the table lacks {feature}",
        remedy=f"set the property {feature} = supported first; an apply of a model with such a column does",
    )


def reserved_column_name(name: str) -> Finding:
    """Report a name that the change data feed reserves."""
    return Finding(
        path=name,
        rule="reserved-column-name",
        condition="RESERVED_CDC_COLUMNS_ON_WRITE",
        message=f"{name} is a column of the table's change data feed",
        remedy="drop or rename it in the frame",
    )


def append_only() -> Finding:
    """Report an overwrite of an append-only table."""
    return Finding(
        path="",
        rule="append-only",
        condition="DELTA_CANNOT_MODIFY_APPEND_ONLY",
        message="the table is append-only (delta.appendOnly), and an overwrite removes rows",
        remedy="append instead, or unset the property",
    )


def _shown(difference: TypeDifference) -> tuple[str, str, str]:
    """Return the path, the type in the table and the type in the frame as text."""
    return _dotted(difference.path), describe_type(difference.stored), describe_type(difference.given)


def _dotted(path: Path) -> str:
    return ".".join(path)
