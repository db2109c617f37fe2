"""Create several new tables, each by itself: one that fails stops those that reference it, and no other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.execute.concurrent_creation import run_in_order, schema_creators
from pytest_delta_schema.execute.interruption import ApplyInterrupted, StillRunning
from pytest_delta_schema.execute.statement_runner import Stage
from pytest_delta_schema.sql.statement import StatementKind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from threading import Event

    from pytest_delta_schema.execute.create_executor import CreateExecutor
    from pytest_delta_schema.execute.interruption import InterruptedTable
    from pytest_delta_schema.execute.statement_runner import TableRun
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.sql.statement import Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Creation:
    """How the creation of one table ended.

    Args:
        action: What was run; without the creation of the schema if that of another table has created it.
        statements: The statements that ran.
        error: Why not all of them ran; ``None`` if they did.
        is_already_there: Whether another apply has created the table, and runs the rest of the statements.
    """

    action: CreateTable
    statements: tuple[Statement, ...] = ()
    error: DeltaSchemaError | None = None
    is_already_there: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether all statements ran, so that other tables can reference it."""
        return self.error is None and not self.is_already_there


class TableCreator:
    """Creates tables with their keys, several at once if the catalog can do that.

    Args:
        executor: Starts creations.
    """

    def __init__(self, executor: CreateExecutor) -> None:
        self._executor = executor
        self._tables: tuple[QualifiedName, ...] = ()
        self._runs: dict[QualifiedName, TableRun] = {}
        self._ended: dict[QualifiedName, Creation | None] = {}
        self._schemas: set[tuple[str, str]] = set()

    def create(self, actions: Sequence[CreateTable]) -> dict[QualifiedName, Creation]:
        """Create tables, and return how that ended, in the order of the tables.

        A table whose parent was not created here is not begun, and left out of the result.

        Args:
            actions: The tables, parents before those that reference them.

        Raises:
            ApplyInterrupted: If a ``KeyboardInterrupt`` ended it; it has the tables that were begun.
        """
        planned = {action.table: action for action in actions}
        parents = {
            action.table: {change.key.parent for change in action.foreign_keys} & planned.keys() - {action.table}
            for action in actions
        }
        creators = schema_creators(actions)
        after = {table: above | creators[table] for table, above in parents.items()}
        self._tables, self._runs, self._ended, self._schemas = tuple(planned), {}, {}, set()

        def work(table: QualifiedName, stop: Event | None) -> None:
            self._ended[table] = self._create(planned[table], parents[table], stop)

        try:
            with self._executor.threads("creating", len(actions), lambda: len(self._ended)) as threads:
                run_in_order(self._tables, after, work, threads)
        except KeyboardInterrupt as stop:
            raise self.interrupted(still_running=isinstance(stop, StillRunning)) from None
        return self._results()

    def interrupted(self, *, still_running: bool = False) -> ApplyInterrupted:
        """Return the interruption of the last creation, with the errors of tables that had failed before.

        Args:
            still_running: Whether a statement could not be stopped.
        """
        errors = [creation.error for creation in self._results().values() if creation.error is not None]
        return ApplyInterrupted(self.progress(), errors, still_running=still_running)

    def progress(self) -> tuple[InterruptedTable, ...]:
        """Return how far every table has come that was begun and has not failed; reads no catalog."""
        failed = {table for table, creation in self._results().items() if creation.error is not None}
        runs = (self._runs[table] for table in self._tables if table in self._runs and table not in failed)
        return tuple(reached for run in runs if (reached := run.progress()).is_begun)

    def _results(self) -> dict[QualifiedName, Creation]:
        ended = ((table, self._ended.get(table)) for table in self._tables)
        return {table: creation for table, creation in ended if creation is not None}

    def _create(self, action: CreateTable, parents: Collection[QualifiedName], stop: Event | None) -> Creation | None:
        """Create one table; the tables for which it has to wait have ended."""
        if any(parent is None or not parent.is_complete for parent in map(self._ended.get, parents)):
            return None
        schema = action.table[:2]
        if schema in self._schemas:
            action = replace(action, creates_schema=False)
        statements: list[Statement] = []
        try:
            run = self._runs[action.table] = self._executor.start(action)
            for stage in Stage:
                statements += run.advance(stage, stop)
        except DeltaSchemaError as error:
            return Creation(action=action, error=error)
        finally:
            made = self._runs[action.table].progress().done if action.table in self._runs else ()
            if any(statement.kind is StatementKind.CREATE_SCHEMA for statement in made):
                self._schemas.add(schema)
        return Creation(action=action, statements=tuple(statements), is_already_there=run.is_already_there)
