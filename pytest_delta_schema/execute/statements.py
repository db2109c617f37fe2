"""Run the statements of one table, and report how that ended: what ran, why it failed and how to restore the table."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import (
    ApplyError,
    ApplyErrors,
    ConvergenceError,
    DeltaSchemaError,
    Diagnostic,
    DiagnosticsError,
    MetadataSyncError,
    UnfinishedCreationError,
    UnprovedApplyError,
    UnsafePlanError,
    first_line,
)
from pytest_delta_schema.diagnostics.text import escaped, escaped_lines
from pytest_delta_schema.execute.concurrency import is_created_by_other
from pytest_delta_schema.execute.interruption import InterruptedTable, listing, progress_of
from pytest_delta_schema.execute.protocols import ABSENT, Absence, version_after_failure
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.progress import step
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.renderers import drop_table, restore_table, restoring
from pytest_delta_schema.sql.statement import StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from threading import Event

    from pytest_delta_schema.execute.protocols import DeltaDDL
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import HiddenPart


CONVERTED = 0
"""The version of a table right after its conversion, which is its first one."""

_BRINGS_DELTA = (StatementKind.CONVERT_TABLE, StatementKind.REGISTER_TABLE)
_FOREIGN = (StatementKind.DROP_FOREIGN_KEY, StatementKind.ADD_FOREIGN_KEY)


class Stage(Enum):
    """The stages in which the tables of a plan are changed, each for all tables before the next."""

    DROP_FOREIGN_KEYS = (StatementKind.DROP_FOREIGN_KEY,)
    CHANGE = tuple(kind for kind in StatementKind if kind not in _FOREIGN)
    ADD_FOREIGN_KEYS = (StatementKind.ADD_FOREIGN_KEY,)


class TableRun:
    """Runs the statements of one table, stage by stage."""

    def __init__(
        self, ddl: DeltaDDL, action: CreateTable | AlignTable, *, version: int | None, restores: bool = False
    ) -> None:
        self.action = action
        self.is_already_there = self.has_begun = False
        """Whether another apply has created the table; and whether a statement was given to the catalog."""
        self._converts = isinstance(action, AlignTable) and action.one(ConvertTable) is not None
        self._done = 0
        self._is_running = False
        self._failure = ""
        self._ddl = ddl
        self._todo = statements(action)
        self._version = version
        self._watch = _Watch(ddl, action.table, version) if restores and version is not None else None

    @property
    def is_new(self) -> bool:
        """Whether the table is created."""
        return not isinstance(self.action, AlignTable)

    @property
    def is_complete(self) -> bool:
        """Whether all statements ran, so other tables can reference the table."""
        return self._done == len(self._todo) and not self.is_already_there

    @property
    def has_created_schema(self) -> bool:
        """Whether the schema of a new table was created."""
        return any(statement.kind is StatementKind.CREATE_SCHEMA for statement in self._todo[: self._done])

    def needs(self, stage: Stage) -> bool:
        """Whether the next statement belongs to a stage."""
        return self._done < len(self._todo) and self._todo[self._done].kind in stage.value

    def advance(self, stage: Stage, stop: Event | None = None) -> None:
        """Run the statements of ``stage``, in order; those of the stages before it have run."""
        for statement in takewhile(lambda item: item.kind in stage.value, self._todo[self._done :]):
            if stop is not None and stop.is_set():
                break
            try:
                self._is_running = self.has_begun = True
                text = f"{statement.table}: {statement.kind.value}, statement {self._done + 1} of {len(self._todo)}"
                with nullcontext() if stop is not None else step(escaped(text)):
                    self._ddl.run(statement)
            except DeltaSchemaError as error:
                if stop is not None and stop.is_set():
                    break
                self._is_running = False
                if statement.kind is StatementKind.CREATE_TABLE and is_created_by_other(
                    error, self._ddl, statement.table
                ):
                    self.is_already_there, self._todo = True, self._todo[: self._done]
                    break
                if not self._done and isinstance(error, UnsafePlanError):
                    raise
                raise self.failed(str(error)) from error
            self._done += 1
            self._is_running = False
            if self._watch is not None:
                self._watch.note_commit()

    def progress(self) -> InterruptedTable:
        """Return how far the run has come when an apply is interrupted."""
        reached = self._done + self._is_running
        return InterruptedTable(
            table=self.action.table,
            done=self._todo[: self._done],
            running=self._todo[self._done] if self._is_running else None,
            left=self._todo[reached:],
            version=self._version,
            failure=self._failure,
            is_already_there=self.is_already_there,
        )

    def failed(self, cause: str) -> ApplyError:
        """Return the error of a run that fails at its next statement, after restoring the table if that is enabled."""
        self._failure = cause
        done, failed, left = self._todo[: self._done], self._todo[self._done], self._todo[self._done + 1 :]
        table = failed.table
        lines = [
            f"{escaped(table)}: statement {self._done + 1} of {len(self._todo)} failed: {escaped_lines(cause)}",
            *listing("done", done),
            *listing("failed", [failed]),
            *listing("not run", left),
            f"  to restore:  {self._restoring() if self.has_begun else 'nothing was changed'}",
            "  to continue: fix the cause and apply again; the next plan starts from what is done",
        ]
        return ApplyError(
            "\n".join(lines),
            table=str(table),
            done=[statement.sql for statement in done],
            failed=failed.sql,
            not_run=[statement.sql for statement in left],
            version=self._version,
        )

    def _restoring(self) -> str:
        # Files that are not converted yet are not a table.
        brought = any(statement.kind in _BRINGS_DELTA for statement in self._todo[: self._done])
        table = self.action.table
        seen = version_after_failure(self._ddl.version, table) if brought or not self._converts else ABSENT
        if not self._done and seen == (ABSENT if self._converts or self._version is None else self._version):
            return "nothing was changed"
        if not isinstance(seen, int):
            return self._restoring_without_version(seen)
        if not self._done:
            # If the connection was lost during a statement, it may have committed.
            who = "by this statement or by somebody else"
            return f"version {seen} was committed meanwhile, {who}; see DESCRIBE HISTORY {dotted(table)}"
        if self._version is None:
            return f"the table was new: {drop_table(table)}"
        return restore_table(table, self._version) if self._watch is None else self._watch.restore()

    def _restoring_without_version(self, seen: Absence | Diagnostic) -> str:
        is_new = self._version is None or self._converts
        if isinstance(seen, Diagnostic):
            then = "" if is_new else f"; then: {restore_table(self.action.table, self._version or 0)}"
            return f"unknown, because the table cannot be read now: {seen.message}; {seen.remedy}{then}"
        if is_new:
            return "the table does not exist, nothing is lost"
        return "the table does not exist any more, although none of these statements drops it; find out who dropped it"


class _Watch:
    """Watches the versions of a table, so it is restored only if nobody else has committed meanwhile."""

    def __init__(self, ddl: DeltaDDL, table: QualifiedName, version: int) -> None:
        self._ddl = ddl
        self._table = table
        self._version = version
        self._seen = version
        self._is_alone = True

    def note_commit(self) -> None:
        """Record that a statement has run: one commit."""
        self._is_alone = self._is_alone and version_after_failure(self._ddl.version, self._table) == self._seen + 1
        self._seen += 1

    def restore(self) -> str:
        """Restore the table, and return the result as text."""
        sql = restore_table(self._table, self._version)
        if not self._is_alone or version_after_failure(self._ddl.version, self._table) != self._seen:
            return f"not restored, because somebody else has committed since; look at their changes, and then: {sql}"
        try:
            self._ddl.run(restoring(self._table, self._version))
            reached = version_after_failure(self._ddl.version, self._table)
            if reached == self._seen + 1:
                return f"restored to version {self._version}: {sql}"
            if not isinstance(reached, int):
                return f"unknown, because it cannot be read whether this has restored the table: {sql}; see its history"
            # Somebody committed just before the restore; the version before it has their changes.
            self._ddl.run(restoring(self._table, reached - 1))
        except DeltaSchemaError as error:
            return f"{sql}, which failed: {first_line(error)}"
        return f"not restored, because somebody else committed at that moment; look at their changes, and then: {sql}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """How the apply of one table ended.

    Args:
        table: Its name in the catalog.
        action: What was planned; ``None`` if the table had no drift.
        statements: The statements that ran, in order.
        error: Why it failed; ``None`` if the table is aligned.
        is_complete: Whether all planned statements ran.
        is_already_there: Whether another apply has created the table, and runs the rest of the statements.
        unproven: What the statements have changed and the catalog does not show.
    """

    table: QualifiedName
    action: CreateTable | AlignTable | None = None
    statements: tuple[Statement, ...] = ()
    error: DeltaSchemaError | None = None
    is_complete: bool = False
    is_already_there: bool = False
    unproven: tuple[HiddenPart, ...] = ()


def statements_of(results: Iterable[TableResult]) -> tuple[Statement, ...]:
    """Return the statements that ran for several tables, in the order in which they ran one after the other."""
    statements = [statement for result in results for statement in result.statements]
    return tuple(statement for stage in Stage for statement in statements if statement.kind in stage.value)


def combined_error(results: Iterable[TableResult]) -> DeltaSchemaError | None:
    """Return the errors of several tables as one; ``None`` if no table failed."""
    errors = all_errors(results)
    return ApplyErrors(errors) if len(errors) > 1 else next(iter(errors), None)


def all_errors(results: Iterable[TableResult]) -> tuple[DeltaSchemaError, ...]:
    """Return the errors of several tables; those with diagnostics, and those with remaining changes, are joined."""
    errors = tuple(dict.fromkeys(result.error for result in results if result.error is not None))
    if len(errors) < 2:  # noqa: PLR2004 - nothing to join
        return errors
    left = [line for error in errors if isinstance(error, ConvergenceError) for line in error.lines]
    joined: dict[type[DiagnosticsError], list[Diagnostic]] = {}
    for error in errors:
        # What another apply creates was not waited for if a table of this one differs.
        if isinstance(error, DiagnosticsError) and not (left and isinstance(error, UnfinishedCreationError)):
            joined.setdefault(type(error), []).extend(error.diagnostics)
    violations = joined.pop(UnsafePlanError, [])
    return (
        *(error for error in errors if not isinstance(error, (ConvergenceError, DiagnosticsError))),
        *(kind(diagnostics) for kind, diagnostics in joined.items()),
        *([ConvergenceError(left)] if left else []),
        *([UnsafePlanError(violations)] if violations else []),
    )


def with_errors(
    results: Iterable[TableResult], errors: Mapping[QualifiedName, DeltaSchemaError]
) -> tuple[TableResult, ...]:
    """Return results with the errors of tables that had none before."""
    return tuple(
        replace(result, error=_error_of(result, errors[result.table]))
        if result.error is None and result.table in errors
        else result
        for result in results
    )


def _error_of(result: TableResult, error: DeltaSchemaError) -> DeltaSchemaError:
    """Return the error of a table that could not be proved aligned; it has the statements that ran."""
    if result.action is None or not result.is_complete or isinstance(error, ConvergenceError):
        return error
    return _unproved(result.action, error)


def _unproved(action: CreateTable | AlignTable, cause: DeltaSchemaError) -> ApplyError:
    """Return the error of a table whose statements have all run."""
    ran, progress = statements(action), progress_of(action, is_done=True)
    is_proved = isinstance(cause, MetadataSyncError)
    what = "its catalog entry could not be synchronised" if is_proved else "the table could not be read back"
    count = "its statement" if len(ran) == 1 else f"all {len(ran)} statements"
    lines = [
        f"{escaped(action.table)}: {count} ran, and then {what}: {escaped_lines(str(cause))}",
        *listing("done", ran),
        f"  to restore:  {progress.restoring()}",
        "  to continue: fix the cause and apply again; the next plan starts from what is done",
    ]
    error = UnprovedApplyError(
        "\n".join(lines),
        table=str(action.table),
        done=[statement.sql for statement in ran],
        failed="",
        not_run=(),
        version=progress.version,
    )
    error.__cause__ = cause
    return error
