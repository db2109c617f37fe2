"""Say what is asked of data, and the ways back; none of it is part of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.sql.quoting import condition, dotted, identifier
from pytest_delta_schema.sql.types import type_sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState


def rows_with_null(table: QualifiedName, column: str) -> str:
    """List the rows that are NULL in ``column``."""
    return f"SELECT * FROM {dotted(table)} WHERE {identifier(column)} IS NULL"  # noqa: S608 - quoted right here


def repeated_keys(table: QualifiedName, key: Sequence[str]) -> str:
    """List the values of ``key`` that occur more than once."""
    names = _listed(key)
    return f"SELECT {names}, count(*) FROM {dotted(table)} GROUP BY {names} HAVING count(*) > 1"  # noqa: S608 - quoted


def rows_that_break(table: QualifiedName, expression: str) -> str:
    """List the rows for which a check is false or unknown."""
    return f"SELECT * FROM {dotted(table)} WHERE {broken(expression)}"  # noqa: S608 - a condition, parsed before


def broken(expression: str) -> str:
    """Say that a row does not meet a check: false and unknown alike, as Delta counts them."""
    return f"NOT coalesce({condition(expression)}, false)"


def counted_columns(columns: Sequence[str], expressions: Sequence[str] = (), *, key: Sequence[str] = ()) -> list[str]:
    """Say what is counted, in order: all rows, NULLs in each column, rows that break each check, repeated keys.

    Args:
        columns: Counted where they are NULL.
        expressions: Counted where they are false or unknown.
        key: Counted where another row has the same values of these columns already; left out if empty.
    """
    return [
        "count(*)",
        *(f"count_if({identifier(column)} IS NULL)" for column in columns),
        *(f"count_if({broken(expression)})" for expression in expressions),
        *([f"count_if({_whole(key)}) - count(DISTINCT {_listed(key)})"] if key else []),
    ]


def count_rows(
    table: QualifiedName,
    said: Sequence[str],
    *,
    added: Iterable[ColumnState] = (),
    version: int | None = None,
) -> str:
    """Count in one scan of a table.

    Args:
        table: Where.
        said: What, from :func:`counted_columns`.
        added: Columns that are not there yet, and NULL in every row.
        version: Delta version to ask; ``None`` for the newest.
    """
    source = dotted(table) if version is None else f"{dotted(table)} VERSION AS OF {version:d}"
    new = ", ".join(map(null_column, added))
    rows = f"(SELECT *, {new} FROM {source})" if new else source  # noqa: S608 - quoted right here
    return f"SELECT {', '.join(said)} FROM {rows}"  # noqa: S608 - quoted right here


def probe(columns: Iterable[ColumnState], expression: str) -> str:
    """Ask nothing, of no rows: whoever analyses it finds out whether ``expression`` is a condition over ``columns``."""
    return f"SELECT 1 FROM (SELECT {', '.join(map(null_column, columns))}) WHERE {condition(expression)}"  # noqa: S608 - it is analysed and never run


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


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(map(identifier, columns))


def _whole(columns: Sequence[str]) -> str:
    return " AND ".join(f"{identifier(column)} IS NOT NULL" for column in columns)


def null_column(column: ColumnState) -> str:
    """Say a column that is NULL in every row."""
    return f"CAST(NULL AS {type_sql(column.data_type)}) AS {identifier(column.name)}"
