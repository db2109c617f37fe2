"""Findings about statements: MERGE, INSERT, UPDATE and DELETE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.state.type_traversal import atoms
from pytest_delta_schema.state.types import describe_type
from pytest_delta_schema.write_check.collector import WriteFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.write_check.schema_merge import TypeDifference

_SPARK_4 = (4, 0)
"""The first Delta for Spark 4; measured before it is Delta 3.3.3 with Spark 3.5.9."""

_SPARK_4_2 = (4, 4)
"""The first Delta for Spark 4.2, whose INSERT is the first with WITH SCHEMA EVOLUTION (Spark's parser)."""


def merge_unresolved(version: tuple[int, int]) -> str:
    """Return the condition of columns that a MERGE names and that are not there.

    Delta 4.4 means DELTA_MERGE_UNRESOLVED_EXPRESSION, which Spark 4.2 does not know and reports as an internal error.
    """
    return "DELTA_MERGE_UNRESOLVED_EXPRESSION" if version < _SPARK_4 else "INTERNAL_ERROR"


def lacks_insert_evolution(version: tuple[int, int]) -> WriteFault | None:
    """Report ``WITH SCHEMA EVOLUTION`` of an INSERT where its Spark does not know it; ``None`` where it does."""
    if version >= _SPARK_4_2:
        return None
    delta = ".".join(map(str, version))
    return WriteFault(
        path="",
        rule="unknown-clause",
        condition="PARSE_SYNTAX_ERROR",
        message=f"the INSERT has WITH SCHEMA EVOLUTION, which the Spark of Delta {delta} does not know",
        remedy="leave it out and set spark.databricks.delta.schema.autoMerge.enabled, or use Spark 4.2",
    )


def unresolved_columns(statement: str, names: Sequence[str], condition: str) -> WriteFault:
    """Report columns that a statement names, and that are not there."""
    return WriteFault(
        path=names[0].partition(" of ")[0],
        rule="unresolved-column",
        condition=condition,
        message=f"the {statement} needs columns that are not there: {', '.join(names)}",
        remedy="name columns that are there, or leave them out",
    )


def void_columns(columns: Iterable[ColumnState], version: tuple[int, int]) -> Iterator[WriteFault]:
    """Report columns of type void, old or new, in a table whose schema a MERGE lets evolve."""
    if version >= _SPARK_4:
        return
    names = [column.name for column in columns if "void" in atoms([column.data_type])]
    if names:
        yield WriteFault(
            path=names[0],
            rule="void-column",
            condition="DELTA_MERGE_ADD_VOID_COLUMN",
            message=f"the schema after the MERGE has {', '.join(names)}, whose type is void",
            remedy="give them a type, or let the schema stay as it is",
        )


def ambiguous_columns(names: Iterable[str]) -> WriteFault:
    """Report columns of the source of a MERGE whose names are equal without case."""
    listed = ", ".join(names)
    return WriteFault(
        path=listed.partition(", ")[0],
        rule="duplicate-column",
        condition="AMBIGUOUS_REFERENCE",
        message=f"the source has {listed} more than once, because names match without case",
        remedy="rename or drop all but one",
    )


def conflicting_assignments(names: Iterable[str]) -> WriteFault:
    """Report columns that a statement assigns more than once, or whole and in part."""
    listed = ", ".join(names)
    return WriteFault(
        path=listed.partition(", ")[0],
        rule="conflicting-assignment",
        condition="DELTA_CONFLICT_SET_COLUMN",
        message=f"{listed} are assigned together, which are one column or parts of one another",
        remedy="assign each column once",
    )


def nested_insert(names: Iterable[str]) -> WriteFault:
    """Report fields of structs that the INSERT of a MERGE names."""
    listed = ", ".join(names)
    return WriteFault(
        path=listed.partition(", ")[0],
        rule="nested-column",
        condition="DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION",
        message=f"the INSERT of a MERGE assigns fields of structs: {listed}",
        remedy="assign whole columns",
    )


def column_not_specified(name: str) -> WriteFault:
    """Report a NOT NULL column that an INSERT leaves out."""
    return WriteFault(
        path=name,
        rule="missing-not-null-column",
        condition="DELTA_INSERT_COLUMN_MISMATCH",
        message=f"{name} is NOT NULL in the table, and the INSERT leaves it out",
        remedy="give it a value, or declare a default for it",
    )


def null_assigned(path: ColumnPath) -> WriteFault:
    """Report NULL that is assigned to a NOT NULL column, which every row breaks."""
    return WriteFault(
        path=str(path),
        rule="missing-not-null-column",
        condition="DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
        message=f"{path} is NOT NULL in the table, and NULL is assigned to it",
        remedy="assign a value, or drop the NOT NULL",
    )


def too_many_columns(given: int, wanted: int) -> WriteFault:
    """Report an INSERT by name whose query has more columns than the table, some of them of other types."""
    return WriteFault(
        path="",
        rule="extra-column",
        condition="INSERT_COLUMN_ARITY_MISMATCH",
        message=f"the query has {given} columns where the table has {wanted}, and others need a cast",
        remedy="leave the other columns out, or insert WITH SCHEMA EVOLUTION",
    )


def list_of_other_length(given: int, listed: int) -> WriteFault:
    """Report an INSERT that lists more or fewer columns than its query has."""
    return WriteFault(
        path="",
        rule="column-list",
        condition="INSERT_COLUMN_ARITY_MISMATCH",
        message=f"the INSERT lists {listed} columns, and its query has {given}",
        remedy="list one column for each column of the query",
    )


def struct_mismatch(difference: TypeDifference) -> WriteFault:
    """Report a struct whose fields are not those of the table's struct, in a MERGE or an UPDATE."""
    name = str(difference.path)
    stored, given = describe_type(difference.stored), describe_type(difference.given)
    return WriteFault(
        path=name,
        rule="struct-mismatch",
        condition="DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION",
        message=f"{name} is {stored} in the table and {given} in the source, whose fields are not the same",
        remedy="give all fields of the table and no others, or let the schema of a MERGE evolve",
    )


def identity_update(name: str) -> WriteFault:
    """Report an identity column that a MERGE or an UPDATE sets."""
    return WriteFault(
        path=name,
        rule="identity-update",
        condition="DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
        message=f"{name} is an identity column, which cannot be updated",
        remedy="leave it out of the assignments",
    )


def rows_removed(statement: str) -> WriteFault:
    """Report an UPDATE, a DELETE or a clause of a MERGE that changes rows of a table with `delta.appendOnly`."""
    return WriteFault(
        path="",
        rule="append-only",
        condition="DELTA_CANNOT_MODIFY_APPEND_ONLY",
        message=f"the table is append-only (delta.appendOnly), and the {statement} changes or removes rows",
        remedy="insert only, or unset the property",
    )
