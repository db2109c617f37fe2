"""Render the conversion of parquet files to Delta in place, and the registration of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.sql.aspects.types import type_sql
from pytest_delta_schema.sql.quoting import dotted, parquet_files
from pytest_delta_schema.sql.schemas_and_restores import create_schema, register_table
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind
from pytest_delta_schema.state.conversion import DELTA

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import DataTypeState


def convert_table(table: QualifiedName, changes: Sequence[ConvertTable]) -> Iterator[Statement]:
    """Render CONVERT TO DELTA, and for files that are not registered in the catalog, the table over them."""
    for change in changes:
        source = change.source
        if change.creates_schema:
            sql = create_schema(*table.written[:2])
            yield Statement(table=table, kind=StatementKind.CREATE_SCHEMA, sql=sql)
        if source.provider != DELTA:
            target = dotted(table) if source.is_registered else parquet_files(source.path)
            sql = conversion(target, change)
            yield Statement(table=table, kind=StatementKind.CONVERT_TABLE, sql=sql, changes=(change,))
        if not source.is_registered and not source.is_in_place:
            sql = register_table(table, source.path)
            yield Statement(table=table, kind=StatementKind.REGISTER_TABLE, sql=sql)


def conversion(target: str, change: ConvertTable) -> str:
    """Render CONVERT TO DELTA."""
    clauses = [f"CONVERT TO DELTA {target}"]
    if not change.statistics:
        clauses.append("NO STATISTICS")
    if change.partitions and not change.source.is_registered:
        columns = ", ".join(f"{identifier(name)} {_type(data_type)}" for name, data_type in change.partitions)
        clauses.append(f"PARTITIONED BY ({columns})")
    return " ".join(clauses)


def _type(data_type: DataTypeState) -> str:
    """Render a type; Delta's parser takes an unquoted TIMESTAMP for a keyword (Delta 4.4.0)."""
    return identifier("TIMESTAMP") if data_type == "timestamp" else type_sql(data_type)


RENDERERS: Renderers = {ConvertTable: convert_table}
