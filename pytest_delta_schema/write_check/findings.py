"""What is said about a write: each rule of Delta's with its error condition, the fact, and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.models.codegen import column_source, field_source
from pytest_delta_schema.state.adopting import declared_column, struct_field
from pytest_delta_schema.state.type_traversal import unstorable as unstorable_parts
from pytest_delta_schema.state.types import describe_type
from pytest_delta_schema.write_check.verdict import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.state.types import ColumnState, DataTypeState

Path = tuple[str, ...]

NO_CAST = "DATATYPE_MISMATCH"
"""What Spark says of a cast that it does not have."""

_OLD_MISMATCH, _MISMATCH = "_LEGACY_ERROR_TEMP_DELTA_0007", "DELTA_METADATA_MISMATCH"
_NAMED_SINCE = (4, 1)
"""Since this version of Delta, a schema that does not match has a condition with a name."""

_BY_NAME = "write by the table's name, which takes NULL"
_MERGE = 'set mergeSchema on the write (.option("mergeSchema", "true"))'


class Findings(list[Finding]):
    """The findings of one write, and its notes."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []


def mismatch(version: tuple[int, int]) -> str:
    """Return the condition of a frame that would change the schema and may not."""
    return _MISMATCH if version >= _NAMED_SINCE else _OLD_MISMATCH


def extra_column(above: Path, column: ColumnState, version: tuple[int, int]) -> Finding:
    """A column or a field that only the frame has."""
    path = _dotted((*above, column.name))
    if any(unstorable_parts(column.data_type, path)):
        remedy = "drop it from the frame, or turn it into a type that Delta stores"
        fact = f"the frame has a column {path} ({describe_type(column.data_type)}), which the table lacks"
    elif above:
        place = f"to the struct {_dotted(above)} of the model"
        remedy = f"{_MERGE}, or add {field_source(struct_field(column))} {place}, or leave the field out"
        fact = f"the frame has a field {path} ({describe_type(column.data_type)}), which the table lacks"
    else:
        remedy = f"{_MERGE}, or add {column_source(declared_column(column))} to the model, or drop it from the frame"
        fact = f"the frame has a column {path} ({describe_type(column.data_type)}), which the table lacks"
    return Finding(path=path, rule="extra-column", condition=mismatch(version), message=fact, remedy=remedy)


def wider(path: Path, stored: DataTypeState, given: DataTypeState, version: tuple[int, int]) -> Finding:
    """A type to which the table may evolve, if the write says so."""
    old, new = describe_type(stored), describe_type(given)
    fact = f"{_dotted(path)} is {old} in the table and {new} in the frame"
    remedy = f"{_MERGE} to make it {new}, or cast it to {old}"
    return Finding(path=_dotted(path), rule="wider-type", condition=mismatch(version), message=fact, remedy=remedy)


def other_type(path: Path, stored: DataTypeState, given: DataTypeState, *, casts: bool) -> Finding:
    """A type that Delta cannot merge into that of the table."""
    old, new = describe_type(stored), describe_type(given)
    other = "" if casts else ", or append by the table's name, which casts (saveAsTable, writeTo)"
    return Finding(
        path=_dotted(path),
        rule="other-type",
        condition="DELTA_FAILED_TO_MERGE_FIELDS",
        message=f"{_dotted(path)} is {old} in the table and {new} in the frame, and this write casts nothing",
        remedy=f'cast it in the frame (.cast("{old}")){other}',
    )


def no_cast(path: Path, given: DataTypeState, wanted: DataTypeState) -> Finding:
    """A type that Spark does not cast to that of the table."""
    old, new = describe_type(wanted), describe_type(given)
    return Finding(
        path=_dotted(path),
        rule="no-cast",
        condition=NO_CAST,
        message=f"{_dotted(path)} is {old} in the table and {new} in the frame, which Spark does not cast",
        remedy=f"make it {old} in the frame",
    )


def struct_for(path: Path, given: DataTypeState, wanted: DataTypeState) -> Finding:
    """A struct where the table has something else, in a struct that is inserted by position."""
    old, new = describe_type(wanted), describe_type(given)
    return Finding(
        path=_dotted(path),
        rule="no-cast",
        condition="DELTA_COLUMN_STRUCT_TYPE_MISMATCH",
        message=f"{_dotted(path)} is {old} in the table and {new} in the frame, which insertInto does not cast",
        remedy=f"make it {old} in the frame",
    )


def cast_note(path: Path, given: DataTypeState, wanted: DataTypeState) -> str:
    """Say that values are cast."""
    old, new = describe_type(given), describe_type(wanted)
    return f"{_dotted(path)} is cast from {old} to {new}; a value that does not fit fails"


def too_few(above: Path, given: int, wanted: int) -> Finding:
    """A frame, or a struct in it, with fewer fields than an insert by position needs."""
    where = f"the struct {_dotted(above)}" if above else "the frame"
    what = "fields" if above else "columns"
    return Finding(
        path=_dotted(above),
        rule="too-few-columns",
        condition="DELTA_INSERT_COLUMN_ARITY_MISMATCH",
        message=f"{where} has {given} {what} where the table has {wanted}, and insertInto matches them by position",
        remedy="give all of them in the table's order, or write by name (writeTo, saveAsTable)",
    )


def repeated(names: Iterable[str], condition: str) -> Finding:
    """Names that are one, case aside."""
    listed = ", ".join(names)
    return Finding(
        path=listed.partition(", ")[0],
        rule="duplicate-column",
        condition=condition,
        message=f"the frame has {listed} more than once, because names match without case",
        remedy="rename or drop all but one",
    )


def missing(path: Path, condition: str) -> Finding:
    """A NOT NULL column, or field, that the frame does not give."""
    name = _dotted(path)
    default = ", or declare a default for it" if len(path) == 1 else ""
    return Finding(
        path=name,
        rule="missing-not-null",
        condition=condition,
        message=f"{name} is NOT NULL in the table, and the frame lacks it",
        remedy=f"give it a value in the frame{default}",
    )


def missing_partition(name: str) -> Finding:
    """A partition column that a write to a path lacks."""
    return Finding(
        path=name,
        rule="missing-partition",
        condition="DELTA_PARTITION_COLUMN_NOT_FOUND",
        message=f"the table is partitioned by {name}, and the frame lacks it",
        remedy=f"give it a value in the frame, or make it nullable and {_BY_NAME}",
    )


def missing_source(name: str, column: str) -> Finding:
    """A column that a generated one is made from and that a write to a path lacks."""
    return Finding(
        path=column,
        rule="missing-source",
        condition="UNRESOLVED_COLUMN",
        message=f"{name} is generated from {column}, and the frame has neither",
        remedy=f"give {column} a value in the frame, or {_BY_NAME}",
    )


def given_identity(name: str) -> Finding:
    """An identity column that always counts by itself."""
    return Finding(
        path=name,
        rule="given-identity",
        condition="DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
        message=f"{name} is an identity column that the table always counts itself, and the frame has it",
        remedy="drop it from the frame, or declare Identity(always=False)",
    )


def used_by(path: Path, stored: DataTypeState, given: DataTypeState, user: str, *, generated: bool) -> Finding:
    """A column whose type may not change, because a constraint or a generated column needs it."""
    old, new = describe_type(stored), describe_type(given)
    condition = "DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH" if generated else "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH"
    return Finding(
        path=_dotted(path),
        rule="used-column",
        condition=condition,
        message=f"{_dotted(path)} is {old} in the table and {new} in the frame, and {user} is made of it",
        remedy=f"cast it to {old}",
    )


def unstorable(path: str, data_type: str, condition: str) -> Finding:
    """A type that Delta has no place for."""
    return Finding(
        path=path,
        rule="unstorable-type",
        condition=condition,
        message=f"{path} is {data_type} in the frame, which Delta cannot store",
        remedy="turn it into a type that Delta stores, such as string",
    )


def nothing_to_store(path: Path) -> Finding:
    """A struct in which nothing has a type, or a frame without columns."""
    name = _dotted(path)
    part = "STRUCT_ALL_VOID_FIELDS" if path else "TABLE_NO_COLUMNS"
    return Finding(
        path=name,
        rule="nothing-to-store",
        condition=f"DELTA_CANNOT_WRITE_EMPTY_SCHEMA.{part}",
        message=f"the struct {name} has no field with a type" if path else "the frame has no columns",
        remedy="cast its fields to their types" if path else "give the frame columns",
    )


def no_columns() -> Finding:
    """A frame without columns that is appended to a path."""
    return Finding(
        path="",
        rule="nothing-to-store",
        condition="InvalidSchemaException",
        message="the frame has no columns",
        remedy="give the frame columns",
    )


def null_in_stream(path: Path) -> Finding:
    """A column without a type that is streamed."""
    return Finding(
        path=_dotted(path),
        rule="nothing-to-store",
        condition="DELTA_NULL_SCHEMA_IN_STREAMING_WRITE",
        message=f"{_dotted(path)} is void in the frame, which no stream may write",
        remedy="cast it to its type, or drop it from the frame",
    )


def void_in_collection(path: Path) -> Finding:
    """A part of an array or a map without a type."""
    return Finding(
        path=_dotted(path),
        rule="nothing-to-store",
        condition="DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE",
        message=f"{_dotted(path)} is void in the frame, which no array and no map may hold",
        remedy="cast it to its type",
    )


def odd_name(name: str) -> Finding:
    """A name that parquet cannot keep."""
    return Finding(
        path=name,
        rule="odd-name",
        condition="DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
        message=f"{name!r} has characters that a table without column mapping cannot keep",
        remedy="rename it in the frame, or declare the property delta.columnMapping.mode = name",
    )


def needs_feature(path: str, data_type: str, feature: str) -> Finding:
    """A type for which the table lacks the feature."""
    return Finding(
        path=path,
        rule="needs-feature",
        condition="DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
        message=f"{path} is {data_type} in the frame, for which the table lacks {feature}",
        remedy=f"set the property {feature} = supported first; an apply of a model with such a column does",
    )


def reserved(name: str) -> Finding:
    """A name that the change data feed keeps for itself."""
    return Finding(
        path=name,
        rule="reserved-name",
        condition="RESERVED_CDC_COLUMNS_ON_WRITE",
        message=f"{name} is a column of the table's change data feed",
        remedy="drop or rename it in the frame",
    )


def append_only() -> Finding:
    """A table of which nothing is ever removed."""
    return Finding(
        path="",
        rule="append-only",
        condition="DELTA_CANNOT_MODIFY_APPEND_ONLY",
        message="the table is append-only (delta.appendOnly), and an overwrite removes rows",
        remedy="append instead, or unset the property",
    )


def _dotted(path: Path) -> str:
    return ".".join(path)
