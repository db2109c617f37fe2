"""Run statements in a Spark session with open-source Delta, as they are or emulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.statements.emulation import BY_COMMIT, on_delta
from pytest_delta_schema.backends.spark.statements.layout_rewrite import rewrite_table_layout
from pytest_delta_schema.backends.spark.statements.metadata_transaction import (
    add_check_in_transaction,
    rename_columns_in_transaction,
    set_not_null,
)
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import CheckAdd, ColumnNullabilityChange, ColumnRename, LayoutRewrite
from pytest_delta_schema.sql.data_check_queries import exists_violation
from pytest_delta_schema.sql.split_per_column import TOGETHER, statements_per_column
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.states import CheckState

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.backends.rows.data_queries import DataQueries
    from pytest_delta_schema.backends.spark.compat.gateway import Gateway
    from pytest_delta_schema.execute.protocols.catalog import Capabilities
    from pytest_delta_schema.models.names import QualifiedName


class DeltaStatements:
    """Runs statements on open-source Delta.

    Without a gateway, as over Spark Connect, statements need SQL. ``capabilities`` returns what the session can run; it
    is called when that is first needed. ``by_commit`` are kinds of statements that a metadata transaction does, because
    the session has no SQL for them.
    """

    def __init__(
        self,
        sql: Callable[[str], Any],
        queries: Callable[[QualifiedName], DataQueries],
        gateway: Gateway | None,
        capabilities: Callable[[], Capabilities],
        by_commit: frozenset[StatementKind] = BY_COMMIT,
    ) -> None:
        self._capabilities = capabilities
        self._by_commit = by_commit
        self._sql = sql
        self._queries = queries
        self._gateway = gateway

    def run(self, statement: Statement) -> None:
        """Run one statement, or emulate it.

        Raises:
            UnsafePlanError: If rows violate a NOT NULL column or a check that is added; nothing was changed.
            StatementError: If Spark or Delta refuses it.
        """
        if statement.kind is StatementKind.CREATE_TABLE:
            self._create(statement)
        elif self._gateway is not None and statement.kind in self._by_commit:
            self._commit(self._gateway, statement)
        elif statement.kind in TOGETHER and statement.kind in self._capabilities().splits:
            for single in statements_per_column(statement):
                self._sql(single.sql)
        else:
            self._run_on_delta(statement)

    def _commit(self, gateway: Gateway, statement: Statement) -> None:
        """Do in one metadata transaction what open-source Delta has no exact SQL for."""
        table, count = statement.table, self._queries(statement.table).count_at
        paths = [change.path for change in statement.changes if isinstance(change, ColumnNullabilityChange)]
        if paths:
            set_not_null(gateway, table, paths, count)
        renames = {change.path: change.to for change in statement.changes if isinstance(change, ColumnRename)}
        if renames:
            rename_columns_in_transaction(gateway, table, renames)
        for change in statement.changes:
            if isinstance(change, CheckAdd):
                add_check_in_transaction(gateway, table, CheckState(change.name, change.expression), count)
            elif isinstance(change, LayoutRewrite):
                rewrite_table_layout(gateway, table, change)

    def _create(self, statement: Statement) -> None:
        for change in statement.changes:
            if isinstance(change, CreateTable):
                self._require_conditions(change)
        self._run_on_delta(statement)

    def _run_on_delta(self, statement: Statement) -> None:
        for emulated in on_delta(statement, self._emulates_property):
            self._sql(emulated.sql)

    def _emulates_property(self, key: str) -> bool:
        return self._capabilities().emulates_property(key)

    def _require_conditions(self, action: CreateTable) -> None:
        """Require Spark to accept the checks of a new table, without a job; Delta stores any text as a property."""
        for check in action.checks:
            try:
                self._sql(exists_violation(action.columns, check.expression))
            except Exception as error:
                subject = f"{action.table}: check {check.name} ({check.expression})"
                msg = f"{subject} is refused by Spark: {first_line(error)}; correct it"
                raise StatementError(msg) from error
