"""Render statements about schemas, restores, and what a catalog shows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.plan.actions import RestoreTable
from pytest_delta_schema.sql.quoting import dotted, literal
from pytest_delta_schema.sql.statement import Statement, StatementKind

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName


def restore_table(table: QualifiedName, version: int) -> str:
    """Render RESTORE TABLE."""
    return f"RESTORE TABLE {dotted(table)} TO VERSION AS OF {version:d}"


def restoring(table: QualifiedName, version: int) -> Statement:
    """Return the statement that restores an older version of a table."""
    return Statement(
        table=table,
        kind=StatementKind.RESTORE_TABLE,
        sql=restore_table(table, version),
        changes=(RestoreTable(version=version),),
    )


def select_all(source: str) -> str:
    """Render the query of all rows of a source, see :func:`~pytest_delta_schema.sql.data_check_queries.select_rows`."""
    return f"SELECT * FROM {source}"  # noqa: S608 - quoted where it is made


def select_text(path: str) -> str:
    """Render the query of a text file, with a row for each line."""
    return select_all(f"text.{identifier(path)}")


def describe_history(table: QualifiedName, limit: int | None = None) -> str:
    """Render the query of the commits of a table, the newest first.

    Args:
        table: The table.
        limit: How many commits at most; ``None`` for all.
    """
    return f"DESCRIBE HISTORY {dotted(table)}{'' if limit is None else f' LIMIT {limit:d}'}"


def describe_extended(table: QualifiedName) -> str:
    """Render the query of the columns, partitions, comment, format and location of a table."""
    return f"DESCRIBE TABLE EXTENDED {dotted(table)}"


def describe_detail(table: QualifiedName) -> str:
    """Render the query of the properties, layout and protocol of a table."""
    return f"DESCRIBE DETAIL {dotted(table)}"


def show_properties(table: QualifiedName) -> str:
    """Render the query of the properties and the protocol of a table."""
    return f"SHOW TBLPROPERTIES {dotted(table)}"


def show_schemas(catalog: str) -> str:
    """Render the query of the schemas of a catalog."""
    return f"SHOW SCHEMAS IN {identifier(catalog)}"


def show_tables(catalog: str, schema: str) -> str:
    """Render the query of the tables of a schema."""
    return f"SHOW TABLES IN {identifier(catalog)}.{identifier(schema)}"


def show_views(catalog: str, schema: str) -> str:
    """Render the query of the views of a schema."""
    return f"SHOW VIEWS IN {identifier(catalog)}.{identifier(schema)}"


def drop_table(table: QualifiedName) -> str:
    """Render DROP TABLE."""
    return f"DROP TABLE IF EXISTS {dotted(table)}"


def register_table(table: QualifiedName, location: str) -> str:
    """Render the registration of an existing Delta table in a catalog."""
    return f"CREATE TABLE {dotted(table)} USING DELTA LOCATION {literal(location)}"


def shallow_clone(source: QualifiedName, target: QualifiedName) -> str:
    """Render the creation of a table that has the metadata of another table, and reads its files."""
    return f"CREATE TABLE {dotted(target)} SHALLOW CLONE {dotted(source)}"


def create_schema(catalog: str, schema: str) -> str:
    """Render CREATE SCHEMA."""
    return f"CREATE SCHEMA IF NOT EXISTS {identifier(catalog)}.{identifier(schema)}"


def drop_schema(catalog: str, schema: str) -> str:
    """Render DROP SCHEMA with everything in it."""
    return f"DROP SCHEMA IF EXISTS {identifier(catalog)}.{identifier(schema)} CASCADE"
