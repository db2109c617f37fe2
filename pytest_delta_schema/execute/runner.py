"""Run the actions of a plan, and report how that ended; a table that fails does not stop the others."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import NameSet
from pytest_delta_schema.diagnostics.errors import (
    ApplyError,
    ApplyErrors,
    ConvergenceError,
    DeltaSchemaError,
    Diagnostic,
    DiagnosticsError,
    MetadataSyncError,
    StatementError,
    UnfinishedCreationError,
    UnprovedApplyError,
    UnsafePlanError,
    first_line,
)
from pytest_delta_schema.diagnostics.text import escaped, escaped_lines
from pytest_delta_schema.execute.concurrency import is_created_by_other, run_in_order, schema_creators
from pytest_delta_schema.execute.interruption import (
    ApplyInterrupted,
    InterruptedTable,
    StillRunning,
    listing,
    progress_of,
)
from pytest_delta_schema.execute.preflight import preflight
from pytest_delta_schema.execute.protocols import (
    ABSENT,
    Absence,
    CreatesConcurrently,
    Preflight,
    require_able,
    version_after_failure,
)
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import ConvertTable, ForeignKeyDrop
from pytest_delta_schema.progress import step
from pytest_delta_schema.rules.reported_rules import ParentNotApplied
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.renderers import drop_table, restore_table, restoring
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.states import DELTA

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from threading import Event

    from pytest_delta_schema.execute.protocols import DeltaDDL, Lag
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import TablePlan
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import ForeignKeyState, HiddenPart


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


class ActionRunner:
    """Runs the actions of a plan; a table that fails does not stop the others.

    The data checks of all tables run first. Then foreign keys are dropped, tables are created and aligned, and finally
    foreign keys are added, so tables may reference each other in circles.

    Args:
        create_executor: Starts creations.
        align_executor: Starts alignments.
    """

    def __init__(self, create_executor: CreateExecutor, align_executor: AlignExecutor) -> None:
        self._create_executor = create_executor
        self._align_executor = align_executor
        self._actions: tuple[CreateTable | AlignTable, ...] = ()
        self._is_independent = False
        self._runs: dict[QualifiedName, TableRun] = {}
        self._errors: dict[QualifiedName, DeltaSchemaError] = {}

    @classmethod
    def over(cls, ddl: DeltaDDL, *, preflight: Preflight | None = None, restores: bool = False) -> ActionRunner:
        """Build a runner with the usual executors over one catalog.

        Args:
            ddl: The catalog.
            preflight: How data checks run.
            restores: Whether a table whose alignment fails midway is restored, unless somebody else has
                committed since.
        """
        return cls(CreateExecutor(ddl), AlignExecutor(ddl, preflight=preflight, restores=restores))

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
        results = self.run(plan)
        error = combined_error(results)
        if error is not None:
            raise error
        return statements_of(results)

    def run(
        self,
        plan: TablePlan,
        *,
        refused: Mapping[QualifiedName, DeltaSchemaError] = MappingProxyType({}),
        independently: bool = False,
    ) -> tuple[TableResult, ...]:
        """Run every action of ``plan``, and return how that ended for each table; those that failed come last.

        Args:
            plan: The plan. If ``independently``, it has new tables only, parents before those that reference them.
            refused: Why tables of the plan may not be changed.
            independently: Whether each table is created with its foreign keys when its parents are complete. A table
                whose parent or schema was not created here is not begun then, and has no result.

        Raises:
            ApplyInterrupted: If a ``KeyboardInterrupt`` ended it; nothing more is written then, and nothing restored.
        """
        self._actions, self._is_independent, self._runs, self._errors = plan.actions, independently, {}, dict(refused)
        try:
            for action in plan.actions:
                if action.table not in refused:
                    with self._failing(action.table):
                        self._runs[action.table] = self._start(action)
            if not any(isinstance(error, StatementError) for error in self._errors.values()):
                self._block_dependents()
                for stages in [tuple(Stage)] if independently else [(stage,) for stage in Stage]:
                    self._advance_all(stages)
        except KeyboardInterrupt as stop:
            raise self.interrupted(still_running=isinstance(stop, StillRunning)) from None
        return self._results()

    def progress(self) -> tuple[InterruptedTable, ...]:
        """Return how far the last run has come with every table that has not failed; reads no catalog."""
        actions = [action for action in self._actions if action.table not in self._errors]
        runs = [(action, self._runs.get(action.table)) for action in actions]
        if self._is_independent:
            return tuple(run.progress() for _, run in runs if run is not None and run.has_begun)
        return tuple(progress_of(action, is_done=False) if run is None else run.progress() for action, run in runs)

    def interrupted(self, *, still_running: bool = False) -> ApplyInterrupted:
        """Return the interruption of the last run, with the errors of tables that had failed before.

        Args:
            still_running: Whether a statement could not be stopped.
        """
        errors = all_errors(self._results())
        return ApplyInterrupted(self.progress(), errors=errors, still_running=still_running)

    def _start(self, action: CreateTable | AlignTable) -> TableRun:
        if isinstance(action, CreateTable):
            return self._create_executor.start(action)
        return self._align_executor.start(action)

    @contextmanager
    def _failing(self, table: QualifiedName) -> Iterator[None]:
        """Record why a table fails inside of the block."""
        try:
            yield
        except (UnsafePlanError, ApplyError, StatementError) as error:
            self._errors[table] = error

    def _block_dependents(self) -> None:
        """Stop every table whose foreign keys reference a stopped table, before any of its statements has run."""
        stopped = set(self._errors)
        rest = [run.action for run in self._runs.values()]
        while waiting := {action.table: key for action in rest if (key := _key_to(action, stopped)) is not None}:
            for table, key in waiting.items():
                if self._is_independent:
                    del self._runs[table]
                else:
                    self._errors[table] = UnsafePlanError([_waits(table, key)])
            stopped.update(waiting)
            rest = [action for action in rest if action.table not in stopped]

    def _advance_all(self, stages: Sequence[Stage]) -> None:
        """Run some stages of all tables that have not failed."""
        runs = [run for table, run in self._runs.items() if table not in self._errors]
        self._create({run.action.table: run for run in runs if any(map(run.needs, stages)) and run.is_new}, stages)
        for run in runs:
            if not run.is_new:
                with self._failing(run.action.table):
                    self._advance(run, stages)

    def _create(self, runs: Mapping[QualifiedName, TableRun], stages: Sequence[Stage]) -> None:
        """Run some stages of new tables, several at once if the catalog can do that."""
        after = _prerequisites([run.action for run in runs.values()], stages)
        ended: list[QualifiedName] = []

        def work(table: QualifiedName, stop: Event | None) -> None:
            if not self._is_independent or _can_begin(runs[table].action, [runs[other] for other in after[table]]):
                with self._failing(table):
                    self._advance(runs[table], stages, stop)
            ended.append(table)

        title = "adding the foreign keys of" if stages == (Stage.ADD_FOREIGN_KEYS,) else "creating"
        try:
            with self._create_executor.threads(title, len(runs), lambda: len(ended)) as threads:
                run_in_order(list(runs), after, work, threads)
        finally:
            for table in filter(self._errors.__contains__, runs):
                self._errors[table] = self._errors.pop(table)

    def _advance(self, run: TableRun, stages: Iterable[Stage], stop: Event | None = None) -> None:
        """Run some stages of a table."""
        for stage in stages:
            if stage is Stage.ADD_FOREIGN_KEYS:
                dropped = run.action.all(ForeignKeyDrop) if isinstance(run.action, AlignTable) else ()
                before = NameSet(change.key.name for change in dropped)
                for change in run.action.foreign_keys:
                    if change.key.parent in self._errors and change.key.name not in before:
                        cause = f"{change.key.parent}, which the foreign key references, was not aligned"
                        raise run.failed(cause)
            run.advance(stage, stop)

    def _results(self) -> tuple[TableResult, ...]:
        runs = [run for table, run in self._runs.items() if table not in self._errors]
        actions = {action.table: action for action in self._actions}
        failed = [actions[table] for table in self._errors]
        return (
            *(self._result(run.action) for run in runs if run.has_begun or not self._is_independent),
            *map(self._result, failed),
        )

    def _result(self, action: CreateTable | AlignTable) -> TableResult:
        run = self._runs.get(action.table)
        return TableResult(
            table=action.table,
            action=action,
            statements=() if run is None else run.progress().done,
            error=self._errors.get(action.table),
            is_complete=run is not None and run.is_complete,
            is_already_there=run is not None and run.is_already_there,
        )


class CreateExecutor:
    """Starts creations: one statement creates the whole table, then its keys are added.

    Args:
        ddl: Where statements are run.
    """

    def __init__(self, ddl: DeltaDDL) -> None:
        self._ddl = ddl

    @property
    def lag(self) -> Lag:
        """How long reads of the catalog may miss what the statements have changed."""
        return self._ddl.capabilities.lag

    def start(self, action: CreateTable) -> TableRun:
        """Return the run of ``action``, of which nothing has run yet.

        Raises:
            UnsafePlanError: If the catalog cannot run all statements.
        """
        require_able(action, self._ddl)
        return TableRun(self._ddl, action, version=None)

    @contextmanager
    def threads(self, title: str, tables: int, done: Callable[[], int]) -> Iterator[int]:
        """Allow to create several tables at once inside of the block, if the catalog can do that.

        Args:
            title: What is done with them, such as ``creating``, for the log.
            tables: How many tables are created.
            done: Returns how many have been created; it is called in another thread.

        Returns:
            The number of threads; 1 if the tables have to be created one by one, in the calling thread.

        Raises:
            StillRunning: Instead of a ``KeyboardInterrupt``, if a statement could not be stopped.
        """
        if tables > 1 and isinstance(self._ddl, CreatesConcurrently):
            with (
                step(f"{title} {tables:,} tables", lambda: f"{done():,} of {tables:,}"),
                self._ddl.creating_concurrently() as threads,
            ):
                yield min(threads, tables)
        else:
            yield 1


class AlignExecutor:
    """Starts alignments: the data checks run first, then one statement for each kind of change.

    Args:
        ddl: Where statements are run.
        preflight: How data checks run.
        restores: Whether a table whose alignment fails midway is restored, unless somebody else has committed since.
    """

    def __init__(self, ddl: DeltaDDL, *, preflight: Preflight | None = None, restores: bool = False) -> None:
        self._ddl = ddl
        self._restores = restores
        self._preflight = preflight or Preflight()

    def start(self, action: AlignTable) -> TableRun:
        """Return the run of ``action``, of which nothing has run yet.

        Raises:
            UnsafePlanError: If the catalog cannot run all statements, or data checks fail; nothing was changed.
            ApplyError: If the table has become absent or unreadable since the plan was made; nothing was changed.
        """
        require_able(action, self._ddl)
        violations = preflight(action, self._ddl, self._preflight)
        if violations:
            raise UnsafePlanError(violations)
        conversion = action.one(ConvertTable)
        if conversion is not None:
            is_delta = conversion.source.provider == DELTA
            return TableRun(self._ddl, action, version=action.observed.version if is_delta else CONVERTED)
        version = self._ddl.version(action.table)
        if not isinstance(version, int):
            raise TableRun(self._ddl, action, version=None).failed(_changed_since(version))
        return TableRun(self._ddl, action, version=version, restores=self._restores)


def _changed_since(version: Absence | Diagnostic) -> str:
    """Explain why a table that could be read when the plan was made cannot be changed now."""
    if isinstance(version, Diagnostic):
        return f"{version.message}; {version.remedy}"
    return "the table does not exist any more; find out who dropped it since the plan was made"


def _key_to(action: CreateTable | AlignTable, tables: Collection[QualifiedName]) -> ForeignKeyState | None:
    """Return a foreign key that an action adds and that references one of some tables, if there is one."""
    return next((change.key for change in action.foreign_keys if change.key.parent in tables), None)


def _can_begin(action: CreateTable | AlignTable, before: Iterable[TableRun]) -> bool:
    """Whether the tables that had to be created before a new one have given it its parents and its schema."""
    parents = {change.key.parent for change in action.foreign_keys}
    return all(run.is_complete or (run.has_created_schema and run.action.table not in parents) for run in before)


def _waits(table: QualifiedName, key: ForeignKeyState) -> Diagnostic:
    message = f"is not changed, because its foreign key {key.name} references {key.parent}, which is not changed either"
    return violation(ParentNotApplied(), table, key.path, message, f"fix {key.parent} first")


def _prerequisites(
    actions: Sequence[CreateTable | AlignTable], stages: Sequence[Stage]
) -> dict[QualifiedName, set[QualifiedName]]:
    """Return for each new table the tables before it for which it has to wait in some stages."""
    creators = schema_creators(actions) if Stage.CHANGE in stages else {}
    needed: dict[QualifiedName, set[QualifiedName]] = {}
    for action in actions:
        keys = action.foreign_keys if Stage.ADD_FOREIGN_KEYS in stages else ()
        needed[action.table] = {change.key.parent for change in keys} & needed.keys() | creators.get(
            action.table, set()
        )
    return needed
