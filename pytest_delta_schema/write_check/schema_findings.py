"""Findings about a frame whose schema differs from the schema of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.source_code.modules import column_source, field_source
from pytest_delta_schema.state.adopting import declared_column, struct_field
from pytest_delta_schema.state.type_traversal import unstorable as unstorable_parts
from pytest_delta_schema.state.types import describe_type
from pytest_delta_schema.write_check.collector import WriteFault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.write_check.schema_merge import NewPart, TypeDifference

NO_CAST = "DATATYPE_MISMATCH"
"""Spark's condition for a pair of types without a cast."""

_OLD_MISMATCH, _MISMATCH = "_LEGACY_ERROR_TEMP_DELTA_0007", "DELTA_METADATA_MISMATCH"
_NAMED_SINCE = (4, 1)
"""Since this version, Delta's error for a schema that does not match has a named condition."""

_MERGE = 'set mergeSchema on the write (.option("mergeSchema", "true"))'


def mismatch_condition(version: tuple[int, int]) -> str:
    """Return Delta's condition for a frame that would change the schema without permission."""
    return _MISMATCH if version >= _NAMED_SINCE else _OLD_MISMATCH


def extra_column(part: NewPart, version: tuple[int, int]) -> WriteFault:
    """Report a column or field that the frame has and the table lacks."""
    column = part.column
    path = str(part.path)
    if any(unstorable_parts(column.data_type, part.path)):
        remedy = "drop it from the frame, or cast it to a type that Delta stores"
        fact = f"the frame has a column {path} ({describe_type(column.data_type)}), which the table lacks"
    elif part.parent:
        struct = f"the struct {part.parent!s} of the model"
        remedy = f"{_MERGE}, or add {field_source(struct_field(column))} to {struct}, or leave the field out"
        fact = f"the frame has a field {path} ({describe_type(column.data_type)}), which the table lacks"
    else:
        remedy = f"{_MERGE}, or add {column_source(declared_column(column))} to the model, or drop it from the frame"
        fact = f"the frame has a column {path} ({describe_type(column.data_type)}), which the table lacks"
    return WriteFault(
        path=path, rule="extra-column", condition=mismatch_condition(version), message=fact, remedy=remedy
    )


def wider_type(difference: TypeDifference, version: tuple[int, int]) -> WriteFault:
    """Report a type that the table takes only with ``mergeSchema``."""
    name, old, new = _shown(difference)
    fact = f"{name} is {old} in the table and {new} in the frame"
    remedy = f"{_MERGE} to make it {new}, or cast it to {old}"
    return WriteFault(path=name, rule="wider-type", condition=mismatch_condition(version), message=fact, remedy=remedy)


def type_mismatch(difference: TypeDifference, *, casts: bool) -> WriteFault:
    """Report a type that Delta cannot merge into the type of the table.

    If the method casts, another method does not help.
    """
    name, old, new = _shown(difference)
    other = "" if casts else ", or append by the table's name, which casts (saveAsTable, writeTo)"
    return WriteFault(
        path=name,
        rule="type-mismatch",
        condition="DELTA_FAILED_TO_MERGE_FIELDS",
        message=f"{name} is {old} in the table and {new} in the frame, and this write does not cast",
        remedy=f'cast it in the frame (.cast("{old}")){other}',
    )


def unsupported_cast(difference: TypeDifference) -> WriteFault:
    """Report a type that Spark cannot cast to the type of the table."""
    name, old, new = _shown(difference)
    return WriteFault(
        path=name,
        rule="unsupported-cast",
        condition=NO_CAST,
        message=f"{name} is {old} in the table and {new} in the frame, which Spark does not cast",
        remedy=f"convert it to {old} in the frame",
    )


def unsupported_struct_cast(difference: TypeDifference) -> WriteFault:
    """Report a struct that ``insertInto`` cannot cast, because the table has another kind of type."""
    name, old, new = _shown(difference)
    return WriteFault(
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


def too_few_columns(parent: ColumnPath, given: int, wanted: int) -> WriteFault:
    """Report a frame, or a struct in it, that has fewer fields than ``insertInto`` needs.

    The parent is the path of the struct; ``()`` for the frame.
    """
    subject = f"the struct {parent!s}" if parent else "the frame"
    parts = "fields" if parent else "columns"
    return WriteFault(
        path=str(parent),
        rule="too-few-columns",
        condition="DELTA_INSERT_COLUMN_ARITY_MISMATCH",
        message=f"{subject} has {given} {parts} where the table has {wanted}, and insertInto matches them by position",
        remedy="give all of them in the table's order, or write by name (writeTo, saveAsTable)",
    )


def duplicate_column(names: Iterable[str], condition: str) -> WriteFault:
    """Report names that are equal without case."""
    listed = ", ".join(names)
    return WriteFault(
        path=listed.partition(", ")[0],
        rule="duplicate-column",
        condition=condition,
        message=f"the frame has {listed} more than once, because names match without case",
        remedy="rename or drop all but one",
    )


def column_in_use(difference: TypeDifference, dependent: str, *, is_generated: bool) -> WriteFault:
    """Report a column of another type that a check or a generated column depends on."""
    name, old, new = _shown(difference)
    subject = "GENERATED_COLUMNS" if is_generated else "CONSTRAINT"
    return WriteFault(
        path=name,
        rule="column-in-use",
        condition=f"DELTA_{subject}_DATA_TYPE_MISMATCH",
        message=f"{name} is {old} in the table and {new} in the frame, and {dependent} depends on it",
        remedy=f"cast it to {old}",
    )


def _shown(difference: TypeDifference) -> tuple[str, str, str]:
    """Return the path, the type in the table and the type in the frame as text."""
    return str(difference.path), describe_type(difference.stored), describe_type(difference.given)
