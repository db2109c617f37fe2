"""A scratch table with a stream that reads it: the table is changed, and the stream says what it makes of it."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.stream_probe.stream_runs import (
    RUNS_MEANWHILE,
    StreamRun,
    options_of,
    remedies_for,
)
from pytest_delta_schema.backends.local.warehouse.physical_names import table_folder
from pytest_delta_schema.execute.action_runner import ActionRunner
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.write_check.streams.verdict import NOTHING_HELPS, StreamVerdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from pytest_delta_schema.backends.local.session.catalog_session import CatalogSession
    from pytest_delta_schema.diagnostics.errors import StatementError
    from pytest_delta_schema.execute.protocols.catalog import ScratchCatalog
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.write_check.streams.verdict import Remedy, StreamKind


class StreamStage:
    """A context manager: a new table in a scratch schema, and a stream that has read its first row.

    The three rows are the one that the stream has read before the change, the one that a lagging stream has not, and
    the one that is written after the change. A stream that counts rows by a column has a state.
    """

    def __init__(  # noqa: PLR0913 - a table, and a stream that reads it
        self,
        session: CatalogSession,
        catalog: ScratchCatalog,
        old: TableState,
        kind: StreamKind,
        rows: Sequence[Mapping[str, Any]],
        *,
        count_by: str = "",
    ) -> None:
        self._session = session
        self._catalog = catalog
        self._old = old
        self._kind = kind
        self._count_by = count_by
        self._first, self._unread, self._last = rows
        self._home = QualifiedName("scratch", f"stream_{uuid.uuid4().hex[:8]}", old.name.table)
        self._folder = Path(tempfile.mkdtemp())
        self._query: Any = None

    def __enter__(self) -> Self:
        self._catalog.create_schema(self._home.catalog, self._home.schema)
        try:
            self._begin()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if self._query is not None:
            with self._session.translate_errors():
                self._query.stop()
        self._catalog.drop_schema(self._home.catalog, self._home.schema)
        shutil.rmtree(self._folder, ignore_errors=True)

    def change(self, new: TableState) -> None:
        """Align the table with a state.

        Raises:
            ApplyError: If Delta refuses a change.
            UnsafePlanError: If the rows of the table forbid it.
        """
        plan = TablePlanner().plan_states([self._placed(new)], self._catalog.read_tables([self._home]))
        ActionRunner.over(self._catalog).apply(plan)

    def run(self, sql: str) -> None:
        """Run a statement, in which ``{table}`` is the name of the table."""
        with self._session.using(self._home.catalog):
            self._session.sql(sql.format(table=dotted(self._home)))

    def verdict(self) -> StreamVerdict:
        """Append the last row, and let the stream read everything: start it again, and try what may let it continue."""
        self._insert(self._last)
        first = self._run.failure(self._query)
        error = self._run.until_it_goes_on(first)
        verdict = StreamVerdict(table=str(self._old.name), kind=self._kind, answer="continues")
        if first is None:
            return verdict
        if error is None:
            return replace(verdict, answer="restarts", condition=first.condition)
        return replace(verdict, answer="blocked", condition=error.condition, remedy=self._remedy(error))

    def _begin(self) -> None:
        creation = TablePlanner().creation(self._placed(self._old), creates_schema=False)
        for statement in statements(creation):
            self._catalog.run(statement)
        version = self._catalog.version(self._home)
        self._insert(self._first)
        folder = table_folder(self._session.warehouse, self._home)
        started_with = version + 1 if isinstance(version, int) else 0
        checkpoint = self._folder / "checkpoint"
        checkpoint.mkdir()
        self._run = StreamRun(
            session=self._session,
            table=folder,
            checkpoint=checkpoint,
            options=options_of(self._kind, checkpoint, started_with),
            count_by=self._count_by,
        )
        with self._session.translate_errors():
            if self._kind in RUNS_MEANWHILE:
                self._query = self._run.start(ends=False)
                self._query.processAllAvailable()
                return
            if self._kind == "lagging":
                self._run.start().awaitTermination()
        self._insert(self._unread)

    def _insert(self, row: Mapping[str, Any]) -> None:
        self._catalog.insert(self._home, [row])

    def _placed(self, state: TableState) -> TableState:
        """Return a state under the name of the scratch table, without foreign keys to other tables."""
        keys = (key._replace(parent=self._home) for key in state.foreign_keys if key.parent == state.name)
        return replace(state, name=self._home, logical_name=self._home, foreign_keys=tuple(keys))

    def _remedy(self, error: StatementError) -> Remedy:
        """Return the first remedy that lets the stream continue."""
        kept = shutil.copytree(self._run.checkpoint, self._folder / "kept")
        remedies = (self._run.goes_on_with(remedy, kept) for remedy in remedies_for(error))
        return next(filter(None, remedies), NOTHING_HELPS)
