"""The findings and notes of one write."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.source_code.modules import column_source, field_source
from pytest_delta_schema.state.desired import declared_column, struct_field
from pytest_delta_schema.state.spark_types import unstorable
from pytest_delta_schema.state.types import atoms, describe_type
from pytest_delta_schema.write_check.schemas import no_cast_condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.write_check.schemas import NewPart, TypeDifference


def fault(*, path: str, rule: str, condition: str, message: str, remedy: str) -> Diagnostic:
    """Return a reason why a write is refused by an error condition, before it is reported for a table."""
    return Diagnostic(table="", path=path, rule=rule, code=condition, message=message, remedy=remedy)


@dataclass(slots=True, kw_only=True)
class Collector:
    """Collects the findings and the notes of one write."""

    table: str
    findings: list[Diagnostic] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)

    def note(self, path: str, message: str) -> None:
        """Add an effect of the write on a column or field, with dots; ``""`` for the table itself."""
        self.notes.append(Diagnostic(severity="note", table=self.table, path=path, message=message))

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return the findings with the name of the table."""
        return tuple(replace(finding, table=self.table) for finding in self.findings)


_OLD_MISMATCH, _MISMATCH = "_LEGACY_ERROR_TEMP_DELTA_0007", "DELTA_METADATA_MISMATCH"
_NAMED_SINCE = (4, 1)
"""Since this version, Delta's error for a schema that does not match has a named condition."""

_MERGE = 'set mergeSchema on the write (.option("mergeSchema", "true"))'


def mismatch_condition(version: tuple[int, int]) -> str:
    """Return Delta's condition for a frame that would change the schema without permission."""
    return _MISMATCH if version >= _NAMED_SINCE else _OLD_MISMATCH


def extra_column(part: NewPart, version: tuple[int, int]) -> Diagnostic:
    """Report a column or field that the frame has and the table lacks."""
    column = part.column
    path = str(part.path)
    if any(unstorable(column.data_type, part.path)):
        remedy = "drop it from the frame, or cast it to a type that Delta stores"
        fact = f"the frame has a column {path} ({describe_type(column.data_type)}), which the table lacks"
    elif part.parent:
        struct = f"the struct {part.parent!s} of the model"
        remedy = f"{_MERGE}, or add {field_source(struct_field(column))} to {struct}, or leave the field out"
        fact = f"the frame has a field {path} ({describe_type(column.data_type)}), which the table lacks"
    else:
        remedy = f"{_MERGE}, or add {column_source(declared_column(column))} to the model, or drop it from the frame"
        fact = f"the frame has a column {path} ({describe_type(column.data_type)}), which the table lacks"
    return fault(path=path, rule="extra-column", condition=mismatch_condition(version), message=fact, remedy=remedy)


def wider_type(difference: TypeDifference, version: tuple[int, int]) -> Diagnostic:
    """Report a type that the table takes only with ``mergeSchema``."""
    name, old, new = _shown(difference)
    fact = f"{name} is {old} in the table and {new} in the frame"
    remedy = f"{_MERGE} to make it {new}, or cast it to {old}"
    return fault(path=name, rule="wider-type", condition=mismatch_condition(version), message=fact, remedy=remedy)


def type_mismatch(difference: TypeDifference, *, casts: bool) -> Diagnostic:
    """Report a type that Delta cannot merge into the type of the table."""
    name, old, new = _shown(difference)
    other = "" if casts else ", or append by the table's name, which casts (saveAsTable, writeTo)"
    return fault(
        path=name,
        rule="type-mismatch",
        condition="DELTA_FAILED_TO_MERGE_FIELDS",
        message=f"{name} is {old} in the table and {new} in the frame, and this write does not cast",
        remedy=f'cast it in the frame (.cast("{old}")){other}',
    )


def unsupported_cast(difference: TypeDifference, *, is_insert: bool = True, is_struct: bool = False) -> Diagnostic:
    """Report a type that Spark, or a struct that `insertInto`, cannot cast to the type of the table."""
    name, old, new = _shown(difference)
    condition = no_cast_condition(difference.given, difference.stored, is_insert=is_insert)
    return fault(
        path=name,
        rule="unsupported-cast",
        condition="DELTA_COLUMN_STRUCT_TYPE_MISMATCH" if is_struct else condition,
        message=f"{name} is {old} in the table and {new} in the frame,"
        f" which {'insertInto' if is_struct else 'Spark'} does not cast",
        remedy=f"convert it to {old} in the frame",
    )


def cast_note(difference: TypeDifference) -> str:
    """Return the note that values are cast."""
    name, old, new = _shown(difference)
    return f"{name} is cast from {new} to {old}; a value that does not fit fails"


def moved_note(path: ColumnPath, name: str) -> str:
    """Return the note that a field gets the value of another field."""
    return f"{path} gets the value of the field {name}, because this write matches fields of structs by position"


def length_note(path: ColumnPath, limit: int) -> str:
    """Return the note that texts have a limit."""
    return f"{path} holds at most {limit} character{'s' if limit > 1 else ''}; a longer text fails"


def place_note(path: ColumnPath, limit: int, name: str) -> str:
    """Return the note that a text has the limit of another field."""
    return f"{path} has the place of {name}, which holds at most {limit} characters; a longer text fails"


def too_few_columns(parent: ColumnPath, given: int, wanted: int) -> Diagnostic:
    """Report a frame, or a struct in it, that has fewer fields than ``insertInto`` needs."""
    subject = f"the struct {parent!s}" if parent else "the frame"
    parts = "fields" if parent else "columns"
    return fault(
        path=str(parent),
        rule="too-few-columns",
        condition="DELTA_INSERT_COLUMN_ARITY_MISMATCH",
        message=f"{subject} has {given} {parts} where the table has {wanted}, and insertInto matches them by position",
        remedy="give all of them in the table's order, or write by name (writeTo, saveAsTable)",
    )


def duplicate_column(names: Iterable[str], condition: str, *, subject: str = "frame") -> Diagnostic:
    """Report names that are equal without case, in the frame or in the source of a MERGE."""
    listed = ", ".join(names)
    return fault(
        path=listed.partition(", ")[0],
        rule="duplicate-column",
        condition=condition,
        message=f"the {subject} has {listed} more than once, because names match without case",
        remedy="rename or drop all but one",
    )


def column_in_use(difference: TypeDifference, dependent: str, *, is_generated: bool) -> Diagnostic:
    """Report a column of another type that a check or a generated column depends on."""
    name, old, new = _shown(difference)
    subject = "GENERATED_COLUMNS" if is_generated else "CONSTRAINT"
    return fault(
        path=name,
        rule="column-in-use",
        condition=f"DELTA_{subject}_DATA_TYPE_MISMATCH",
        message=f"{name} is {old} in the table and {new} in the frame, and {dependent} depends on it",
        remedy=f"cast it to {old}",
    )


def _shown(difference: TypeDifference) -> tuple[str, str, str]:
    """Return the path, the type in the table and the type in the frame as text."""
    return str(difference.path), describe_type(difference.stored), describe_type(difference.given)


_BY_NAME = "write by the table's name, which fills it with NULL"


def missing_not_null_column(path: ColumnPath, condition: str, *, is_void: bool = False) -> Diagnostic:
    """Report a NOT NULL column or field that the frame lacks, or has without a type."""
    name = str(path)
    reason = "the frame has it without a type (void), so it is NULL in every row" if is_void else "the frame lacks it"
    default = ", or declare a default for it" if not path.fields else ""
    return fault(
        path=name,
        rule="missing-not-null-column",
        condition=condition,
        message=f"{name} is NOT NULL in the table, and {reason}",
        remedy=f"give it a value in the frame{default}",
    )


def missing_text_field(path: ColumnPath) -> Diagnostic:
    """Report a struct with a char or varchar field that a frame written to a path, or a stream, lacks."""
    name = path.root
    return fault(
        path=name,
        rule="missing-text-field",
        condition="DATA_SOURCE_EXTERNAL_ERROR",
        message=f"the frame lacks {name}, and Delta fails to compare the length of its field {path} without it",
        remedy=f"give {name} in the frame, if only as NULL, or append by the table's name (saveAsTable, writeTo)",
    )


def missing_partition_column(name: str) -> Diagnostic:
    """Report a partition column that the frame lacks in a write to a path."""
    return fault(
        path=name,
        rule="missing-partition-column",
        condition="DELTA_PARTITION_COLUMN_NOT_FOUND",
        message=f"the table is partitioned by {name}, and the frame lacks it",
        remedy=f"give it a value in the frame, or make it nullable and {_BY_NAME}",
    )


def missing_source_column(name: str, column: str) -> Diagnostic:
    """Report a column that a generated column needs and the frame lacks, in a write to a path."""
    return fault(
        path=column,
        rule="missing-source-column",
        condition="UNRESOLVED_COLUMN",
        message=f"{name} is generated from {column}, and the frame lacks both",
        remedy=f"give {column} a value in the frame, or {_BY_NAME}",
    )


def explicit_identity_insert(name: str) -> Diagnostic:
    """Report values for an identity column that is GENERATED ALWAYS."""
    return fault(
        path=name,
        rule="explicit-identity-insert",
        condition="DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
        message=f"{name} is an identity column that is GENERATED ALWAYS, and the frame has it",
        remedy="drop it from the frame, or declare Identity(always=False)",
    )


def unsupported_type(path: ColumnPath, data_type: str, condition: str) -> Diagnostic:
    """Report a type that Delta cannot store, such as an interval."""
    return fault(
        path=str(path),
        rule="unsupported-type",
        condition=condition,
        message=f"{path} is {data_type} in the frame, which Delta cannot store",
        remedy="cast it to a type that Delta stores, such as string",
    )


def empty_struct(path: ColumnPath) -> Diagnostic:
    """Report a struct whose fields are all void."""
    return fault(
        path=str(path),
        rule="empty-schema",
        condition="DELTA_CANNOT_WRITE_EMPTY_SCHEMA.STRUCT_ALL_VOID_FIELDS",
        message=f"the fields of the struct {path} are all void",
        remedy="cast its fields to their types",
    )


def no_columns(condition: str = "InvalidSchemaException") -> Diagnostic:
    """Report a frame without columns that is written to a path, or replaces a schema."""
    return fault(
        path="",
        rule="empty-schema",
        condition=condition,
        message="the frame has no columns",
        remedy="give the frame columns",
    )


def void_in_stream(path: ColumnPath) -> Diagnostic:
    """Report a void column in a stream."""
    return fault(
        path=str(path),
        rule="void-type",
        condition="DELTA_NULL_SCHEMA_IN_STREAMING_WRITE",
        message=f"{path!s} is void in the frame, which a stream cannot write",
        remedy="cast it to its type, or drop it from the frame",
    )


def void_in_collection(path: ColumnPath) -> Diagnostic:
    """Report a void element, key or value of an array or a map."""
    return fault(
        path=str(path),
        rule="void-type",
        condition="DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE",
        message=f"{path!s} is void in the frame, which arrays and maps cannot hold",
        remedy="cast it to its type",
    )


def invalid_column_name(name: str) -> Diagnostic:
    """Report a name with characters that need column mapping."""
    return fault(
        path=name,
        rule="invalid-column-name",
        condition="DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
        message=f"{name!r} has characters that Delta stores under column mapping only",
        remedy="rename it in the frame, or declare the property delta.columnMapping.mode = name",
    )


def missing_table_feature(path: str, data_type: str, feature: str) -> Diagnostic:
    """Report a type that needs a table feature which the table lacks, such as ``timestamp_ntz``."""
    return fault(
        path=path,
        rule="missing-table-feature",
        condition="DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
        message=f"{path} is {data_type} in the frame, for which the table lacks {feature}",
        remedy=f"set the property {feature} = supported first; an apply of a model with such a column does",
    )


def reserved_column_name(name: str) -> Diagnostic:
    """Report a name that the change data feed reserves."""
    return fault(
        path=name,
        rule="reserved-column-name",
        condition="RESERVED_CDC_COLUMNS_ON_WRITE",
        message=f"{name} is a column of the table's change data feed",
        remedy="drop or rename it in the frame",
    )


def append_only() -> Diagnostic:
    """Report an overwrite of a table with ``delta.appendOnly``."""
    return fault(
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


def condition_and_partitions() -> Diagnostic:
    """Report an overwrite with `replaceWhere` and dynamic partitions."""
    return fault(
        path="",
        rule="replace-where",
        condition="DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE",
        message="the overwrite has replaceWhere and partitionOverwriteMode = dynamic",
        remedy="use one of them",
    )


def unresolved_condition(condition: str, names: Sequence[str]) -> Diagnostic:
    """Report columns that the condition of an overwrite names, and that the table lacks."""
    return fault(
        path=names[0],
        rule="unresolved-column",
        condition="UNRESOLVED_COLUMN",
        message=f"the overwrite replaces the rows where {condition}, and the table lacks {', '.join(names)}",
        remedy="name columns of the table",
    )


def unknown_partition_columns(names: Sequence[str], condition: str) -> Diagnostic:
    """Report columns of `partitionBy` that the frame lacks."""
    return fault(
        path=names[0],
        rule="partitioning",
        condition=condition,
        message=f"the writer partitions by {', '.join(names)}, which the frame lacks",
        remedy="partition by columns of the frame",
    )


def other_partitioning(wanted: Sequence[str], stored: Sequence[str], condition: str) -> Diagnostic:
    """Report a `partitionBy` that differs from the partitioning of the table."""
    there = f"partitioned by {', '.join(stored)}" if stored else "not partitioned"
    return fault(
        path=wanted[0],
        rule="partitioning",
        condition=condition,
        message=f"the writer partitions by {', '.join(wanted)}, and the table is {there}",
        remedy="leave partitionBy out, or overwrite with overwriteSchema",
    )


_SPARK_4 = (4, 0)
"""The first Delta for Spark 4; measured before it is Delta 3.3.3 with Spark 3.5.9."""

_SPARK_4_2 = (4, 4)
"""The first Delta for Spark 4.2, whose INSERT is the first with WITH SCHEMA EVOLUTION (Spark's parser)."""


def merge_unresolved(version: tuple[int, int]) -> str:
    """Return the condition of columns that a MERGE names and that are not there.

    Delta 4.4 means DELTA_MERGE_UNRESOLVED_EXPRESSION, which Spark 4.2 does not know and reports as an internal error.
    """
    return "DELTA_MERGE_UNRESOLVED_EXPRESSION" if version < _SPARK_4 else "INTERNAL_ERROR"


def lacks_insert_evolution(version: tuple[int, int]) -> Diagnostic | None:
    """Report ``WITH SCHEMA EVOLUTION`` of an INSERT where its Spark does not know it; ``None`` where it does."""
    if version >= _SPARK_4_2:
        return None
    delta = ".".join(map(str, version))
    return fault(
        path="",
        rule="unknown-clause",
        condition="PARSE_SYNTAX_ERROR",
        message=f"the INSERT has WITH SCHEMA EVOLUTION, which the Spark of Delta {delta} does not know",
        remedy="leave it out and set spark.databricks.delta.schema.autoMerge.enabled, or use Spark 4.2",
    )


def unresolved_columns(statement: str, names: Sequence[str], condition: str) -> Diagnostic:
    """Report columns that a statement names, and that are not there."""
    return fault(
        path=names[0].partition(" of ")[0],
        rule="unresolved-column",
        condition=condition,
        message=f"the {statement} needs columns that are not there: {', '.join(names)}",
        remedy="name columns that are there, or leave them out",
    )


def void_columns(columns: Iterable[ColumnState], version: tuple[int, int]) -> Iterator[Diagnostic]:
    """Report columns of type void, old or new, in a table whose schema a MERGE lets evolve."""
    if version >= _SPARK_4:
        return
    names = [column.name for column in columns if "void" in atoms([column.data_type])]
    if names:
        yield fault(
            path=names[0],
            rule="void-column",
            condition="DELTA_MERGE_ADD_VOID_COLUMN",
            message=f"the schema after the MERGE has {', '.join(names)}, whose type is void",
            remedy="give them a type, or let the schema stay as it is",
        )


def conflicting_assignments(names: Iterable[str]) -> Diagnostic:
    """Report columns that a statement assigns more than once, or whole and in part."""
    listed = ", ".join(names)
    return fault(
        path=listed.partition(", ")[0],
        rule="conflicting-assignment",
        condition="DELTA_CONFLICT_SET_COLUMN",
        message=f"{listed} are assigned together, which are one column or parts of one another",
        remedy="assign each column once",
    )


def nested_insert(names: Iterable[str]) -> Diagnostic:
    """Report fields of structs that the INSERT of a MERGE names."""
    listed = ", ".join(names)
    return fault(
        path=listed.partition(", ")[0],
        rule="nested-column",
        condition="DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION",
        message=f"the INSERT of a MERGE assigns fields of structs: {listed}",
        remedy="assign whole columns",
    )


def nested_assignment(statement: str, names: Sequence[str]) -> Diagnostic:
    """Report parts of arrays and maps that a statement assigns."""
    return fault(
        path=names[0],
        rule="nested-column",
        condition="DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE",
        message=f"the {statement} assigns parts of arrays or maps: {', '.join(names)}",
        remedy="assign whole columns, or fields of structs that are in no array and no map",
    )


def column_not_specified(name: str) -> Diagnostic:
    """Report a NOT NULL column that an INSERT leaves out."""
    return fault(
        path=name,
        rule="missing-not-null-column",
        condition="DELTA_INSERT_COLUMN_MISMATCH",
        message=f"{name} is NOT NULL in the table, and the INSERT leaves it out",
        remedy="give it a value, or declare a default for it",
    )


def null_assigned(path: ColumnPath) -> Diagnostic:
    """Report NULL that is assigned to a NOT NULL column, which every row breaks."""
    return fault(
        path=str(path),
        rule="missing-not-null-column",
        condition="DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
        message=f"{path} is NOT NULL in the table, and NULL is assigned to it",
        remedy="assign a value, or drop the NOT NULL",
    )


def too_many_columns(given: int, wanted: int) -> Diagnostic:
    """Report an INSERT by name whose query has more columns than the table, some of them of other types."""
    return fault(
        path="",
        rule="extra-column",
        condition="INSERT_COLUMN_ARITY_MISMATCH",
        message=f"the query has {given} columns where the table has {wanted}, and others need a cast",
        remedy="leave the other columns out, or insert WITH SCHEMA EVOLUTION",
    )


def list_of_other_length(given: int, listed: int) -> Diagnostic:
    """Report an INSERT that lists more or fewer columns than its query has."""
    return fault(
        path="",
        rule="column-list",
        condition="INSERT_COLUMN_ARITY_MISMATCH",
        message=f"the INSERT lists {listed} columns, and its query has {given}",
        remedy="list one column for each column of the query",
    )


def struct_mismatch(difference: TypeDifference) -> Diagnostic:
    """Report a struct whose fields are not those of the table's struct, in a MERGE or an UPDATE."""
    name = str(difference.path)
    stored, given = describe_type(difference.stored), describe_type(difference.given)
    return fault(
        path=name,
        rule="struct-mismatch",
        condition="DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION",
        message=f"{name} is {stored} in the table and {given} in the source, whose fields are not the same",
        remedy="give all fields of the table and no others, or let the schema of a MERGE evolve",
    )


def identity_update(name: str) -> Diagnostic:
    """Report an identity column that a MERGE or an UPDATE sets."""
    return fault(
        path=name,
        rule="identity-update",
        condition="DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
        message=f"{name} is an identity column, which cannot be updated",
        remedy="leave it out of the assignments",
    )


def nested_char(paths: Sequence[ColumnPath], generated: str, statement: str) -> Diagnostic:
    """Report a MERGE or an UPDATE of a table that has a char inside another type, and a generated column."""
    names = ", ".join(map(str, paths))
    return fault(
        path=str(paths[0]),
        rule="nested-char",
        condition="DELTA_OPERATION_ON_TEMP_VIEW_WITH_GENERATED_COLS_NOT_SUPPORTED",
        message=f"{names} is char inside another type, so Spark reads the table by a query that pads it,"
        f" and Delta refuses the {statement}, because {generated} is a generated column",
        remedy=f"make {names} varchar or string, or insert and delete rows instead",
    )


def rows_removed(statement: str) -> Diagnostic:
    """Report an UPDATE, a DELETE or a clause of a MERGE that changes rows of a table with `delta.appendOnly`."""
    return fault(
        path="",
        rule="append-only",
        condition="DELTA_CANNOT_MODIFY_APPEND_ONLY",
        message=f"the table is append-only (delta.appendOnly), and the {statement} changes or removes rows",
        remedy="insert only, or unset the property",
    )
