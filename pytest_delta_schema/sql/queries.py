"""Say what is asked of data, and the ways back; none of it is part of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.sql.quoting import dotted, identifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.models.names import QualifiedName


def rows_with_null(table: QualifiedName, column: str) -> str:
    """List the rows that are NULL in ``column``."""
    return f"SELECT * FROM {dotted(table)} WHERE {identifier(column)} IS NULL"  # noqa: S608 - quoted right here


def count_nulls(table: QualifiedName, columns: Sequence[str], *, version: int | None = None) -> str:
    """Count all rows, then the rows that are NULL in each of ``columns``, in one scan.

    Args:
        table: Where.
        columns: Which; their counts come in this order behind the count of all rows.
        version: Delta version to ask; ``None`` for the newest.
    """
    counts = ", ".join(["count(*)", *(f"count_if({identifier(column)} IS NULL)" for column in columns)])
    at = "" if version is None else f" VERSION AS OF {version:d}"
    return f"SELECT {counts} FROM {dotted(table)}{at}"  # noqa: S608 - quoted right here


def restore_table(table: QualifiedName, version: int) -> str:
    """Bring the table back to an older version."""
    return f"RESTORE TABLE {dotted(table)} TO VERSION AS OF {version:d}"


def drop_table(table: QualifiedName) -> str:
    """Remove a table."""
    return f"DROP TABLE IF EXISTS {dotted(table)}"


def create_schema(catalog: str, schema: str) -> str:
    """Make a schema unless it is there."""
    return f"CREATE SCHEMA IF NOT EXISTS {identifier(catalog)}.{identifier(schema)}"


def drop_schema(catalog: str, schema: str) -> str:
    """Remove a schema with all that is in it."""
    return f"DROP SCHEMA IF EXISTS {identifier(catalog)}.{identifier(schema)} CASCADE"
