"""Refuse a CHECK where the default collation is not UTF8_BINARY, as Databricks does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.databricks.create_statement import default_collation
from pytest_delta_schema.backends.databricks.metadata_queries import describe_schema_extended, show_create
from pytest_delta_schema.backends.databricks.rows import CreateRow, first
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import Refusal
from pytest_delta_schema.plan import CreateTable
from pytest_delta_schema.sql import Statement, StatementKind, dotted, identifier

if TYPE_CHECKING:
    from pytest_delta_schema.backends.databricks.connection import Connection
    from pytest_delta_schema.models import QualifiedName

_PLAIN = "UTF8_BINARY"
_COLLATION = "COLLATION"
"""The item of DESCRIBE SCHEMA EXTENDED that holds the default collation of a schema (Spark 4.1)."""


class DefaultCollations:
    """Reads default collations, each once, when a plan adds a CHECK.

    Where a collation is not shown, the statement is left to Databricks.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[str, str] = {}

    def refusal(self, statement: Statement) -> Refusal | None:
        """Return why a statement cannot add its checks, or ``None``."""
        table = statement.table
        if statement.kind is StatementKind.ADD_CHECK:
            what, name, read = "table", dotted(table), self._of_table
        elif any(isinstance(change, CreateTable) and change.checks for change in statement.changes):
            what, name, read = "schema", ".".join(map(identifier, table.written[:2])), self._of_schema
        else:
            return None
        if name not in self._known:
            self._known[name] = read(table)
        if self._known[name] in ("", _PLAIN):
            return None
        fact = f"the default collation of the {what} is {self._known[name]}"
        reason = f"{fact}, and Databricks takes a CHECK under {_PLAIN} only"
        remedy = f"leave the checks out, or run ALTER {what.upper()} {name} DEFAULT COLLATION {_PLAIN}"
        return Refusal(reason, f"{remedy}, which changes columns that are added later only")

    def _of_table(self, table: QualifiedName) -> str:
        try:
            return default_collation(first(CreateRow, self._connection.rows(show_create(table)))["createtab_stmt"])
        except (StatementError, ValueError):
            return ""

    def _of_schema(self, table: QualifiedName) -> str:
        try:
            rows = self._connection.values(describe_schema_extended(*table.written[:2]))
        except StatementError:
            return ""
        return next((str(row[1]).upper() for row in rows if str(row[0]).upper() == _COLLATION), "")
