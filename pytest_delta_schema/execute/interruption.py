"""Report how far an apply had come when Ctrl-C or a signal ended it."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema import sql
from pytest_delta_schema.diagnostics.errors import first_line
from pytest_delta_schema.diagnostics.text import escaped, printed_sql
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.sql.statement import StatementKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable, TablePlan
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import CatalogState


_T = TypeVar("_T")

READING = 1.0
"""Seconds within which a catalog is read again after an interruption."""

STILL_RUNNING = "it had not when the table was read again, but it could not be stopped either; check again"
_BRINGS_TABLE = (StatementKind.CREATE_TABLE, StatementKind.CONVERT_TABLE, StatementKind.REGISTER_TABLE)

_LEFT_BEHIND = {
    StatementKind.CONVERT_TABLE: "nothing: the parquet files are as they were, and there is no Delta log next to them",
    StatementKind.REWRITE_LAYOUT: "perhaps data files that belong to no version; VACUUM removes them",
}
"""What an interrupted statement may leave behind if it does not commit."""


class StillRunning(KeyboardInterrupt):
    """An interruption whose statement could not be stopped, so it may still commit."""


class ApplyInterrupted(KeyboardInterrupt):
    """An apply was interrupted; the text says how far every table had come, how to restore it and how to continue.

    It is a ``KeyboardInterrupt``, so ``except Exception`` does not catch it.

    Args:
        tables: All tables of the plan that had not failed before.
        errors: The errors of tables that had failed before.
        still_running: Whether the running statement could not be stopped.
    """

    def __init__(
        self,
        tables: Iterable[InterruptedTable],
        *,
        errors: Iterable[DeltaSchemaError] = (),
        still_running: bool = False,
    ) -> None:
        self.tables = tuple(tables)
        self.errors = tuple(errors)
        self.still_running = still_running
        super().__init__("\n\n".join(map(str, (*self.errors, *self.tables))))


class RunningOutcome(Enum):
    """The outcome of the statement that an interruption stopped."""

    COMMITTED = "committed"
    PARTLY = "partly committed"
    NOT_COMMITTED = "not committed"
    UNKNOWN = "perhaps committed"


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptedTable:
    """The progress of one table when an apply was interrupted; its text says how to restore and how to continue.

    Args:
        table: Its name.
        done: Statements that ran.
        running: The statement that was running, if any.
        left: Statements that were not reached.
        version: The table's Delta version before the first statement; ``None`` if it was new.
        outcome: What became of the running statement.
        reason: Why that is not known.
        reached: The table's version after the interruption, as it was read again; ``None`` if it was not, or if the
            table does not exist.
        failure: Why the first of ``left`` had failed already, when its error was made or the table restored.
        is_already_there: Whether another apply has created the table.
    """

    table: QualifiedName
    done: tuple[Statement, ...]
    running: Statement | None
    left: tuple[Statement, ...]
    version: int | None
    outcome: RunningOutcome = RunningOutcome.UNKNOWN
    reason: str = "the table was not read again"
    reached: int | None = None
    failure: str = ""
    is_already_there: bool = False

    @property
    def is_begun(self) -> bool:
        """Whether anything was run, so the table may have changed."""
        return bool(self.done) or self.running is not None

    def __str__(self) -> str:
        lines = [f"{escaped(self.table)}: {self._headline()}", *listing("done", self.done)]
        if self.running is not None:
            at_version = "" if self.reached is None else f" (the table is at version {self.reached})"
            why = f" ({self.reason})" if self.outcome is RunningOutcome.UNKNOWN else at_version
            lines += listing(f"running, {self.outcome.value}{why}", [self.running])
        lines += listing("not run", self.left)
        left_behind = "" if self.running is None else _LEFT_BEHIND.get(self.running.kind, "")
        if left_behind and self.outcome is RunningOutcome.NOT_COMMITTED:
            lines.append(f"  left behind: {left_behind}")
        then = "; the next plan starts from what is done" if self.is_begun else ""
        lines += [f"  to restore:  {self.restoring()}", f"  to continue: apply again{then}"]
        return "\n".join(lines)

    def _headline(self) -> str:
        done, all_of_them = len(self.done), len(self.done) + len(self.left) + (self.running is not None)
        if self.failure:
            return f"interrupted after statement {done + 1} of {all_of_them} had failed: {self.failure}"
        if self.is_already_there:
            return "interrupted before the table, which another apply created meanwhile, was read back"
        if self.running is not None:
            return f"interrupted in statement {done + 1} of {all_of_them}"
        if not self.left:
            return f"interrupted after all {all_of_them} statements, before the table was read back"
        return f"interrupted {f'after statement {done}' if done else 'before statement 1'} of {all_of_them}"

    def restoring(self) -> str:
        """Return how to restore the table."""
        from pytest_delta_schema.sql.renderers import drop_table, restore_table

        if self.is_already_there:
            return "nothing of it was changed; it is the table of the other apply"
        ran = self.done if self.running is None or self.outcome is RunningOutcome.NOT_COMMITTED else self._begun()
        if not ran:
            return "nothing was changed"
        brings_table = any(statement.kind in _BRINGS_TABLE for statement in (*self._begun(), *self.left))
        if brings_table and not any(statement.kind in _BRINGS_TABLE for statement in ran):
            return "the table does not exist, nothing is lost"
        if self.version is None:
            text = f"the table was new: {drop_table(self.table)}"
        else:
            text = restore_table(self.table, self.version)
        return text if self.done or self.outcome is not RunningOutcome.UNKNOWN else f"if it has committed, {text}"

    def _begun(self) -> tuple[Statement, ...]:
        return self.done if self.running is None else (*self.done, self.running)


def listing(title: str, shown: Sequence[Statement]) -> list[str]:
    """Return statements as lines under a title."""
    if not shown:
        return [f"  {title}: nothing"]
    lines = [f"  {title}:"]
    for statement in shown:
        sql, note = printed_sql(statement.sql)
        lines += [f"    -- {note}"] if note else []
        lines += [f"    {line}" for line in f"{sql};".split("\n")]
    return lines


def progress_of(action: CreateTable | AlignTable, *, is_done: bool) -> InterruptedTable:
    """Return the progress of a table whose statements have all run, or of which nothing has run."""
    all_of_them = sql.statements(action)
    done, left = (all_of_them, ()) if is_done else ((), all_of_them)
    version = None if isinstance(action, CreateTable) else action.observed.version
    return InterruptedTable(table=action.table, done=done, running=None, left=left, version=version)


def with_running_outcome(
    stop: ApplyInterrupted, read_and_plan: Callable[[], tuple[CatalogState, TablePlan]]
) -> ApplyInterrupted:
    """Find out whether the statement that was running has committed: a new plan no longer contains it then."""
    if not any(table.running for table in stop.tables):
        return stop
    try:
        state, plan = in_time(read_and_plan, READING)
    except TimeoutError:
        return _unknown(stop, f"the table could not be read again within {READING} s")
    except Exception as error:  # noqa: BLE001 - any error is reported as the reason
        return _unknown(stop, f"the table could not be read again: {first_line(error)}")
    needed = [statement for action in plan.actions for statement in sql.statements(action)]
    still_running = stop.still_running
    tables = [
        _judged(table, _outcome(table.running, needed), state, still_running=still_running) if table.running else table
        for table in stop.tables
    ]
    return ApplyInterrupted(tables, errors=stop.errors, still_running=still_running)


def in_time(call: Callable[[], _T], seconds: float) -> _T:
    """Return what ``call`` returns, or stop waiting for it."""
    result: Future[_T] = Future()

    def run() -> None:
        try:
            result.set_result(call())
        except Exception as error:  # noqa: BLE001 - raised below, in the calling thread
            result.set_exception(error)

    thread = threading.Thread(target=run, name="pytest-delta-schema-look", daemon=True)
    thread.start()
    thread.join(seconds)
    if not result.done():
        raise TimeoutError
    return result.result()


def _unknown(stop: ApplyInterrupted, reason: str) -> ApplyInterrupted:
    tables = [replace(table, reason=reason) for table in stop.tables]
    return ApplyInterrupted(tables, errors=stop.errors, still_running=stop.still_running)


def _outcome(running: Statement, needed: Sequence[Statement]) -> RunningOutcome:
    """Return the outcome of a statement from what a new plan still needs; some backends run it as several commits."""
    if any(statement.sql == running.sql for statement in needed):
        return RunningOutcome.NOT_COMMITTED
    changes = [change for statement in needed if statement.table == running.table for change in statement.changes]
    left = [change for change in running.changes if change in changes]
    if not left:
        return RunningOutcome.COMMITTED
    return RunningOutcome.NOT_COMMITTED if len(left) == len(running.changes) else RunningOutcome.PARTLY


def _judged(
    table: InterruptedTable, outcome: RunningOutcome, state: CatalogState, *, still_running: bool
) -> InterruptedTable:
    seen = state.tables.get(table.table)
    if seen is None:
        return replace(table, reason=f"the table could not be read again: {state.problem(table.table)}")
    if still_running and outcome is not RunningOutcome.COMMITTED:
        return replace(table, reason=STILL_RUNNING)
    return replace(table, outcome=outcome, reason="", reached=seen.version)
