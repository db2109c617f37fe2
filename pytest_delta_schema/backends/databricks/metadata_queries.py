"""Render the queries of what Databricks shows of one table or schema, besides its information schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.sql import dotted, identifier

if TYPE_CHECKING:
    from pytest_delta_schema.models import QualifiedName


def show_create(table: QualifiedName) -> str:
    """Render the query of the statement that would create a table."""
    return f"SHOW CREATE TABLE {dotted(table)}"


def describe_schema(catalog: str, schema: str) -> str:
    """Render DESCRIBE SCHEMA."""
    return f"DESCRIBE SCHEMA {identifier(catalog)}.{identifier(schema)}"


def describe_schema_extended(catalog: str, schema: str) -> str:
    """Render DESCRIBE SCHEMA EXTENDED, which shows the default collation."""
    return f"DESCRIBE SCHEMA EXTENDED {identifier(catalog)}.{identifier(schema)}"
