"""Say schemas, and the ways back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.actions import RestoreTable
from pytest_delta_schema.sql.quoting import dotted, identifier, literal
from pytest_delta_schema.sql.statement import Statement, StatementKind

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName


def restore_table(table: QualifiedName, version: int) -> str:
    """Bring the table back to an older version."""
    return f"RESTORE TABLE {dotted(table)} TO VERSION AS OF {version:d}"


def restoring(table: QualifiedName, version: int) -> Statement:
    """Return the statement that brings the table back to an older version."""
    return Statement(
        table=table,
        kind=StatementKind.RESTORE_TABLE,
        sql=restore_table(table, version),
        changes=(RestoreTable(version=version),),
    )


def select_all(source: str) -> str:
    """Read all rows of a source, see :func:`~pytest_delta_schema.sql.data_check_queries.rows_of`."""
    return f"SELECT * FROM {source}"  # noqa: S608 - quoted where it is made


def select_text(path: str) -> str:
    """Read a text file, its lines as rows."""
    return select_all(f"text.{identifier(path)}")


def describe_history(table: QualifiedName, limit: int | None = None) -> str:
    """Read the commits of a table, the newest first."""
    return f"DESCRIBE HISTORY {dotted(table)}{'' if limit is None else f' LIMIT {limit:d}'}"


def describe_extended(table: QualifiedName) -> str:
    """Read columns, partitions, comment, format and place of a table."""
    return f"DESCRIBE TABLE EXTENDED {dotted(table)}"


def describe_detail(table: QualifiedName) -> str:
    """Read properties, layout and protocol of a table."""
    return f"DESCRIBE DETAIL {dotted(table)}"


def show_create(table: QualifiedName) -> str:
    """Read the statement that would create a table as it is."""
    return f"SHOW CREATE TABLE {dotted(table)}"


def show_properties(table: QualifiedName) -> str:
    """Read the properties of a table, and what its protocol is."""
    return f"SHOW TBLPROPERTIES {dotted(table)}"


def describe_schema(catalog: str, schema: str) -> str:
    """Look at one schema."""
    return f"DESCRIBE SCHEMA {identifier(catalog)}.{identifier(schema)}"


def show_schemas(catalog: str) -> str:
    """List the schemas of a catalog."""
    return f"SHOW SCHEMAS IN {identifier(catalog)}"


def show_tables(catalog: str, schema: str) -> str:
    """List the tables of a schema."""
    return f"SHOW TABLES IN {identifier(catalog)}.{identifier(schema)}"


def show_views(catalog: str, schema: str) -> str:
    """List the views of a schema."""
    return f"SHOW VIEWS IN {identifier(catalog)}.{identifier(schema)}"


def drop_table(table: QualifiedName) -> str:
    """Remove a table."""
    return f"DROP TABLE IF EXISTS {dotted(table)}"


def register_table(table: QualifiedName, location: str) -> str:
    """Make a catalog know a Delta table that is there already."""
    return f"CREATE TABLE {dotted(table)} USING DELTA LOCATION {literal(location)}"


def create_schema(catalog: str, schema: str) -> str:
    """Make a schema unless it is there."""
    return f"CREATE SCHEMA IF NOT EXISTS {identifier(catalog)}.{identifier(schema)}"


def drop_schema(catalog: str, schema: str) -> str:
    """Remove a schema with all that is in it."""
    return f"DROP SCHEMA IF EXISTS {identifier(catalog)}.{identifier(schema)} CASCADE"
