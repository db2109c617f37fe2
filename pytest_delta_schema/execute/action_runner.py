"""Run a whole plan."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.diagnostics.errors import (
    ApplyError,
    ApplyErrors,
    DeltaSchemaError,
    StatementError,
    UnsafePlanError,
)
from pytest_delta_schema.execute.align_executor import AlignExecutor
from pytest_delta_schema.execute.concurrent_creation import run_in_order, schema_creators
from pytest_delta_schema.execute.create_executor import CreateExecutor
from pytest_delta_schema.execute.interruption import ApplyInterrupted, StillRunning, not_begun
from pytest_delta_schema.execute.statement_runner import Stage
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import ForeignKeyDrop
from pytest_delta_schema.rules.reported_rules import ParentNotApplied
from pytest_delta_schema.rules.rule import violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from threading import Event

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.execute.interruption import InterruptedTable
    from pytest_delta_schema.execute.lag import Lag
    from pytest_delta_schema.execute.preflight import Preflight
    from pytest_delta_schema.execute.protocols import DeltaDDL
    from pytest_delta_schema.execute.statement_runner import TableRun
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import ForeignKeyState


class ActionRunner:
    """Runs the actions of a plan; a table that fails does not stop the others.

    The data checks of all tables run first. Then foreign keys are dropped, tables are created and aligned, and finally
    foreign keys are added, so that tables may reference each other in circles.

    Args:
        create_executor: Starts creations.
        align_executor: Starts alignments.
    """

    def __init__(self, create_executor: CreateExecutor, align_executor: AlignExecutor) -> None:
        self._create_executor = create_executor
        self._align_executor = align_executor
        self._actions: tuple[CreateTable | AlignTable, ...] = ()
        self._runs: dict[QualifiedName, TableRun] = {}
        self._stopped = _Stopped()

    @classmethod
    def over(cls, ddl: DeltaDDL, how: Preflight | None = None, *, restores: bool = False) -> ActionRunner:
        """Build a runner with the usual executors over one catalog.

        Args:
            ddl: The catalog.
            how: How data checks run.
            restores: Whether a table whose alignment fails midway is restored, unless somebody else has
                committed since.
        """
        return cls(CreateExecutor(ddl), AlignExecutor(ddl, how, restores=restores))

    @property
    def lag(self) -> Lag:
        """How long reads of the catalog may miss what the statements have changed."""
        return self._create_executor.lag

    def apply(self, plan: TablePlan) -> tuple[Statement, ...]:
        """Run every action of ``plan`` and return the statements that ran.

        Raises:
            UnsafePlanError: If data checks fail; all violations at once. Those tables are unchanged, and so are tables
                whose foreign keys reference them.
            StatementError: If the rows of a table cannot be read for its data checks; nothing was changed.
            ApplyError: If statements of one table failed.
            ApplyErrors: If several tables failed, or one failed and the data checks of another; it is an exception
                group with one error for each, and one for all violations.
            ApplyInterrupted: If a ``KeyboardInterrupt`` ended it; nothing more is written then, and nothing restored.
        """
        self._actions, self._runs, self._stopped = plan.actions, {}, _Stopped()
        try:
            return self._apply()
        except KeyboardInterrupt as stop:
            still_running = isinstance(stop, StillRunning)
            raise ApplyInterrupted(self.progress(), self._stopped.errors, still_running=still_running) from None

    def progress(self) -> tuple[InterruptedTable, ...]:
        """Return how far the last apply has come with every table that has not failed; reads no catalog."""
        actions = [action for action in self._actions if action.table not in self._stopped.tables]
        runs = [(action, self._runs.get(action.table)) for action in actions]
        return tuple(not_begun(action) if run is None else run.progress() for action, run in runs)

    @property
    def already_there(self) -> frozenset[QualifiedName]:
        """The tables of the last apply that another apply has created; see :class:`TableRun`."""
        return frozenset(table for table, run in self._runs.items() if run.is_already_there)

    def _apply(self) -> tuple[Statement, ...]:
        stopped = self._stopped
        for action in self._actions:
            with stopped.by(action.table):
                self._runs[action.table] = self._start(action)
        if stopped.has_unread_rows:
            stopped.raise_errors()
        stopped.hold_back(run.action for run in self._runs.values())
        ran: list[Statement] = []
        for stage in Stage:
            runs = [run for run in self._runs.values() if run.action.table not in stopped.tables]
            ran += self._create([run for run in runs if isinstance(run.action, CreateTable)], stage)
            for run in (run for run in runs if isinstance(run.action, AlignTable)):
                with stopped.by(run.action.table):
                    ran.extend(_advance(run, stage, stopped.tables))
        stopped.raise_errors()
        return tuple(ran)

    def _create(self, runs: Sequence[TableRun], stage: Stage) -> list[Statement]:
        """Run a stage of new tables, several at once if the catalog can do that, and return the statements in order.

        What is reported does not depend on which table is ready first.
        """
        todo = {run.action.table: run for run in runs if run.needs(stage)}
        ran: dict[QualifiedName, tuple[Statement, ...]] = {}
        failures: dict[QualifiedName, DeltaSchemaError] = {}

        def work(table: QualifiedName, stop: Event | None) -> None:
            try:
                ran[table] = _advance(todo[table], stage, self._stopped.tables, stop)
            except DeltaSchemaError as error:
                failures[table] = error
                self._stopped.tables.add(table)

        after = _prerequisites([run.action for run in todo.values()], stage)
        title = "adding the foreign keys of" if stage is Stage.ADD_FOREIGN_KEYS else "creating"
        try:
            with self._create_executor.threads(title, len(todo), lambda: len(ran) + len(failures)) as threads:
                run_in_order(list(todo), after, work, threads)
        finally:
            for table in filter(failures.__contains__, todo):
                with self._stopped.by(table):
                    raise failures[table]
        return [statement for table in todo for statement in ran.get(table, ())]

    def _start(self, action: CreateTable | AlignTable) -> TableRun:
        if isinstance(action, CreateTable):
            return self._create_executor.start(action)
        return self._align_executor.start(action)


class _Stopped:
    """The tables at which an apply stopped, and why."""

    def __init__(self) -> None:
        self.tables: set[QualifiedName] = set()
        self._violations: list[Diagnostic] = []
        self._failures: list[ApplyError | StatementError] = []

    @property
    def has_unread_rows(self) -> bool:
        """Whether rows could not be read for data checks, so that no statement may run."""
        return any(isinstance(failure, StatementError) for failure in self._failures)

    @contextmanager
    def by(self, table: QualifiedName) -> Iterator[None]:
        """Record why a table fails inside of the block."""
        try:
            yield
        except UnsafePlanError as error:
            self._violations.extend(error.diagnostics)
        except (ApplyError, StatementError) as error:
            self._failures.append(error)
        else:
            return
        self.tables.add(table)

    def hold_back(self, actions: Iterable[CreateTable | AlignTable]) -> None:
        """Stop every table whose foreign keys reference a stopped table, before any of its statements has run."""
        rest = [action for action in actions if action.table not in self.tables]
        while waiting := {action.table: parent for action in rest if (parent := self._parent_of(action)) is not None}:
            for table, key in waiting.items():
                self._violations.append(_waits(table, key))
            self.tables.update(waiting)
            rest = [action for action in rest if action.table not in waiting]

    def _parent_of(self, action: CreateTable | AlignTable) -> ForeignKeyState | None:
        return next((change.key for change in action.foreign_keys if change.key.parent in self.tables), None)

    @property
    def errors(self) -> list[DeltaSchemaError]:
        """The recorded errors."""
        refusals = [UnsafePlanError(self._violations)] if self._violations else []
        return [*self._failures, *refusals]

    def raise_errors(self) -> None:
        """Raise the recorded errors; see :meth:`ActionRunner.apply`."""
        errors = self.errors
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ApplyErrors(errors)


def _waits(table: QualifiedName, key: ForeignKeyState) -> Diagnostic:
    message = f"is not changed, because its foreign key {key.name} references {key.parent}, which is not changed either"
    return violation(ParentNotApplied(), table, key.path, message, f"fix {key.parent} first")


def _prerequisites(
    actions: Sequence[CreateTable | AlignTable], stage: Stage
) -> dict[QualifiedName, set[QualifiedName]]:
    """Return for each new table the tables before it for which it has to wait in a stage.

    Foreign keys are added after those of the parents.
    """
    if stage is not Stage.ADD_FOREIGN_KEYS:
        return schema_creators(actions)
    needed: dict[QualifiedName, set[QualifiedName]] = {}
    for action in actions:
        needed[action.table] = {change.key.parent for change in action.foreign_keys} & needed.keys()
    return needed


def _advance(
    run: TableRun, stage: Stage, stopped: set[QualifiedName], stop: Event | None = None
) -> tuple[Statement, ...]:
    """Run one stage; a new foreign key needs its parent as planned, one that is dropped and added again does not."""
    if stage is Stage.ADD_FOREIGN_KEYS:
        dropped = run.action.all(ForeignKeyDrop) if isinstance(run.action, AlignTable) else ()
        before = NameSet(change.key.name for change in dropped)
        for change in run.action.foreign_keys:
            if change.key.parent in stopped and change.key.name not in before:
                cause = f"{change.key.parent}, which the foreign key references, was not aligned"
                raise run.failed(cause)
    return run.advance(stage, stop)
