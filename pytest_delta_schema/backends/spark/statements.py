"""Statements on a Spark session with open-source Delta: said as they are, or emulated."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.emulation import BY_COMMIT, on_delta
from pytest_delta_schema.backends.spark.layout_rewrite import rewrite_layout
from pytest_delta_schema.backends.spark.metadata_transaction import add_check, rename_columns, set_not_null
from pytest_delta_schema.errors import StatementError, because
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import CheckAdd, ColumnNullabilityChange, ColumnRename, LayoutRewrite
from pytest_delta_schema.sql.data_check_queries import probe
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.states import CheckState

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.backends.data_queries import DataQueries
    from pytest_delta_schema.backends.spark.gateway import Gateway


class Running:
    """Runs statements.

    Args:
        sql: Runs SQL.
        questions: Asks rows.
        gateway: The way into the JVM, for what has no SQL; ``None`` over Spark Connect.
        by_commit: Kinds of statements that have no SQL here, and are done by a metadata transaction.
    """

    def __init__(
        self,
        sql: Callable[[str], Any],
        questions: DataQueries,
        gateway: Gateway | None,
        by_commit: frozenset[StatementKind] = BY_COMMIT,
    ) -> None:
        self._by_commit = by_commit
        self._sql = sql
        self._questions = questions
        self._gateway = gateway

    def run(self, statement: Statement) -> None:
        """Run one statement, or what stands for it on open-source Delta.

        Raises:
            UnsafePlanError: If rows are NULL in a column that is tightened or break a new check; nothing was changed.
            StatementError: If Spark or Delta refuses.
        """
        if statement.kind is StatementKind.CREATE_TABLE:
            self._create(statement)
        elif self._gateway is not None and statement.kind in self._by_commit:
            self._commit(self._gateway, statement)
        else:
            for each in on_delta(statement):
                self._sql(each.sql)

    def _commit(self, gateway: Gateway, statement: Statement) -> None:
        """Do in one metadata transaction what SQL cannot say, or not to the letter."""
        table, count = statement.table, partial(self._questions.count_at, statement.table)
        paths = [each.path for each in statement.changes if isinstance(each, ColumnNullabilityChange)]
        if paths:
            set_not_null(gateway, table, paths, count)
        renames = [each for each in statement.changes if isinstance(each, ColumnRename)]
        if renames:
            rename_columns(gateway, table, {each.path: each.to for each in renames})
        for change in statement.changes:
            if isinstance(change, CheckAdd):
                add_check(gateway, table, CheckState(change.name, change.expression), count)
            elif isinstance(change, LayoutRewrite):
                rewrite_layout(gateway, table, change)

    def _create(self, statement: Statement) -> None:
        for change in statement.changes:
            if isinstance(change, CreateTable):
                self._require_conditions(change)
        for each in on_delta(statement):
            self._sql(each.sql)

    def _require_conditions(self, action: CreateTable) -> None:
        """Let Spark analyse the checks of a new table, for which no job runs; Delta takes any text as a property."""
        for check in action.checks:
            try:
                self._sql(probe(action.columns, check.expression))
            except Exception as error:
                said = because(error)
                msg = f"{action.table}: check {check.name} ({check.expression}) is refused by Spark: {said}; mend it"
                raise StatementError(msg) from error
