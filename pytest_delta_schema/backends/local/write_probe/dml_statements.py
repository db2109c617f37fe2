"""Renders a MERGE, an INSERT, an UPDATE or a DELETE that changes no row, from what describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.sql.aspects.types import type_sql
from pytest_delta_schema.sql.quoting import condition, listed, path_sql
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.write_check.statements.merge_options import (
    CLAUSE_KINDS,
    clause_action,
    clause_condition,
    clauses_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql.types import DataType, StructType

    from pytest_delta_schema.write_check.options import WriteOptions
    from pytest_delta_schema.write_check.statements.merge_options import Action, ClauseKind, Merge

_WHEN: dict[ClauseKind, str] = {
    "matched": "MATCHED",
    "not_matched": "NOT MATCHED",
    "not_matched_by_source": "NOT MATCHED BY SOURCE",
}


def merge_sql(merge: Merge, table: str, source: str, *, names_evolution: bool = True) -> str:
    """Render a MERGE whose source is a view; without ``names_evolution`` a setting lets the schema evolve."""
    evolution = "WITH SCHEMA EVOLUTION " if merge.evolves and names_evolution else ""
    return "\n".join([f"MERGE {evolution}INTO {table} AS target USING {source} AS source ON true", *_clauses(merge)])


def insert_sql(options: WriteOptions, table: str, source: str) -> str:
    """Render an INSERT of the rows of a view."""
    evolution = "WITH SCHEMA EVOLUTION " if options.evolves else ""
    where = "" if options.replace_where is None else f" REPLACE WHERE {condition(options.replace_where)}"
    verb = "OVERWRITE" if options.mode == "overwrite" and not where else "INTO"
    columns = "" if options.by == "position" else " BY NAME" if options.by == "name" else f" ({listed(options.by)})"
    return f"INSERT {evolution}{verb} {table}{columns}{where} SELECT * FROM {source}"


def update_sql(table: str, assigned: StructType) -> str:
    """Render an UPDATE that assigns NULL of the given types."""
    return f"UPDATE {table} SET {_assignments((field.name, _null(field.dataType)) for field in assigned.fields)}"


def delete_sql(table: str) -> str:
    """Render a DELETE of all rows."""
    return f"DELETE FROM {table}"


def _clauses(merge: Merge) -> Iterator[str]:
    for kind in CLAUSE_KINDS:
        for clause in clauses_of(merge, kind):
            text = clause_condition(clause)
            extra = "" if text is None else f" AND {condition(text)}"
            yield f"WHEN {_WHEN[kind]}{extra} THEN {_action(kind, clause_action(clause))}"


def _action(kind: ClauseKind, action: Action) -> str:
    inserts = kind == "not_matched"
    if isinstance(action, str):
        return "DELETE" if action == "delete" else "INSERT *" if inserts else "UPDATE SET *"
    values = [(target, _value(value)) for target, value in action.items()]
    if not inserts:
        return f"UPDATE SET {_assignments(values)}"
    targets = ", ".join(_path(target) for target, _ in values)
    return f"INSERT ({targets}) VALUES ({', '.join(value for _, value in values)})"


def _assignments(values: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{_path(target)} = {value}" for target, value in values)


def _value(value: str | DataType) -> str:
    return f"source.{_path(value)}" if isinstance(value, str) else _null(value)


def _null(data_type: DataType) -> str:
    stored = canonical_type(data_type)
    return "NULL" if stored == "void" else f"CAST(NULL AS {type_sql(stored)})"


def _path(text: str) -> str:
    return path_sql(ColumnPath.parse(text))
