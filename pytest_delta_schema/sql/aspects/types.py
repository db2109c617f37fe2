"""Render data types as SQL, and changes of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.plan.changes import ColumnTypeChange
from pytest_delta_schema.sql.batches import batches
from pytest_delta_schema.sql.quoting import dotted, literal, path_sql
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind
from pytest_delta_schema.state.types import ArrayState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


def type_sql(data_type: DataTypeState) -> str:
    """Render a type in upper case, nested fields with NOT NULL and comments."""
    return data_type.upper() if isinstance(data_type, str) else _nested_sql(data_type)


@lru_cache(maxsize=1024)
def _nested_sql(data_type: StructState | ArrayState | MapState) -> str:
    if isinstance(data_type, StructState):
        return f"STRUCT<{', '.join(map(_field_sql, data_type.fields))}>"
    if isinstance(data_type, ArrayState):
        return f"ARRAY<{type_sql(data_type.element)}>"
    return f"MAP<{type_sql(data_type.key)}, {type_sql(data_type.value)}>"


def _field_sql(field: ColumnState) -> str:
    not_null = "" if field.is_nullable else " NOT NULL"
    comment = f" COMMENT {literal(field.comment)}" if field.comment else ""
    return f"{identifier(field.name)}: {type_sql(field.data_type)}{not_null}{comment}"


def change_types(table: QualifiedName, changes: Sequence[ColumnTypeChange]) -> Iterator[Statement]:
    """Render the new types of columns as one statement, or as few as Spark allows."""
    for group in batches(changes):
        lines = ",\n".join(f"  {path_sql(change.path)} TYPE {type_sql(change.after)}" for change in group)
        yield Statement(
            table=table,
            kind=StatementKind.CHANGE_TYPES,
            sql=f"ALTER TABLE {dotted(table)} ALTER COLUMN\n{lines}",
            changes=group,
        )


RENDERERS: Renderers = {ColumnTypeChange: change_types}
