"""Observe what a block of code does to a table."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.diagnostics.diagnostic_builders import diagnostic_of
from pytest_delta_schema.diagnostics.errors import CatalogReadError, DeclarationError, DeltaSchemaError, Diagnostic
from pytest_delta_schema.diagnostics.faults import UnreadableTable
from pytest_delta_schema.execute.protocols.table_history import IdentifiesTables
from pytest_delta_schema.execute.protocols.version import ABSENT
from pytest_delta_schema.test_kit.comparison.row_matching import unmatched_rows
from pytest_delta_schema.test_kit.effects.effect import Effect
from pytest_delta_schema.test_kit.effects.row_counts import ChangedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from pytest_delta_schema.execute.protocols.table_history import KeepsVersions
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.test_kit.effects.effect import TableFate


class Observation:
    """Reads a table when a block begins and when it ends; after that it has the attributes of an :class:`Effect`.

    The effect is also known after a block that raised an error, which shows what a failed job has left.

    ``drift`` returns how the table, which need not exist, differs from a model; ``""`` if it does not.
    """

    def __init__(self, catalog: KeepsVersions, table: QualifiedName, drift: Callable[[Table], str]) -> None:
        self._catalog = catalog
        self._table = table
        self._drift = drift
        self._before: TableState | None = None
        self._start: Commit | None = None
        self._table_id = ""
        self._effect: Effect | None = None

    @hides_traceback
    def __enter__(self) -> Self:
        self._start = self._effect = None
        self._before = self._state()
        version = self._catalog.version(self._table)
        if isinstance(version, Diagnostic):
            raise CatalogReadError([version])
        if version is not ABSENT:
            self._start = next(iter(self._catalog.commits(self._table, first=version)), None)
            self._table_id = self._id(self._before, version)
        return self

    @hides_traceback
    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None and not isinstance(error, Exception):
            return
        try:
            self._effect = self._observed(self._before or self._state())
        except DeltaSchemaError:
            # The error of the block is more important.
            if error is None:
                raise

    @hides_traceback
    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._effect is None:
            msg = f"{self._table}: {name} of an effect is known when the block ends; read it after the block"
            raise DeclarationError(msg)
        return getattr(self._effect, name)

    def __repr__(self) -> str:
        return f"effect on {self._table}: {'not known before the block ends' if self._effect is None else self._effect}"

    def _state(self) -> TableState:
        """Return the state of the table, which may not exist."""
        state = self._catalog.read_tables([self._table])
        state.require([self._table])
        return state.tables[self._table]

    def _observed(self, before: TableState) -> Effect:
        after = self._state()
        table_was, commits = self._commits(before, after)
        return Effect(
            table=self._table,
            before=before,
            after=after,
            table_was=table_was,
            commits=commits,
            source=CatalogSource(self._catalog, self._table, self._start if table_was == "kept" else None, self._drift),
        )

    def _commits(self, before: TableState, after: TableState) -> tuple[TableFate, tuple[Commit, ...]]:
        """Return what happened to the table as a whole, and the commits since then."""
        if not after.exists:
            return ("dropped" if before.exists else "absent"), ()
        if not before.exists or self._start is None:
            return "created", self._catalog.commits(self._table)
        commits = self._catalog.commits(self._table, first=self._start.version)
        if commits and commits[0].version == self._start.version:
            is_same = commits[0] == self._start
        else:
            # Delta's log cleanup removes the commit of the start, too, and keeps the id of the table.
            is_same = bool(commits) and self._table_id == self._id(after, commits[-1].version) != ""
        if not is_same:
            return "recreated", self._catalog.commits(self._table)
        return "kept", self._since(self._start.version, after.version, commits)

    def _id(self, state: TableState, version: int) -> str:
        """Return the id of the table, from the log if the catalog does not tell it; ``""`` if the log has lost it."""
        if state.table_id:
            return state.table_id
        if isinstance(self._catalog, IdentifiesTables):
            return self._catalog.table_id(self._table)
        try:
            return self._catalog.state_at(self._table, version).table_id
        except CatalogReadError:
            return ""

    def _since(self, start: int, newest: int | None, commits: Sequence[Commit]) -> tuple[Commit, ...]:
        """Return the commits after one version, of which Delta's log cleanup must not have removed any."""
        later = tuple(commit for commit in commits if commit.version > start)
        first = later[0].version if later else (start if newest is None else newest) + 1
        if first > start + 1:
            fact = f"its log does not hold the commits {start + 1} to {first - 1} any more"
            remedy = "set delta.logRetentionDuration to a time that is longer than the job takes"
            raise CatalogReadError([diagnostic_of(UnreadableTable, self._table, fact, remedy=remedy)])
        return later


class CatalogSource:
    """Reads from a catalog what the commits of an effect do not have.

    It starts at the newest commit before the job; ``None`` if the table is a new one.
    """

    def __init__(
        self, catalog: KeepsVersions, table: QualifiedName, start: Commit | None, drift: Callable[[Table], str]
    ) -> None:
        self._catalog = catalog
        self._table = table
        self._start = start
        self._drift = drift
        self._compared: dict[int, ChangedRows] = {}

    def compared(self, version: int) -> ChangedRows:
        """Return the rows that differ between a version and the one before it; compared once."""
        if version not in self._compared:
            columns = self._catalog.state_at(self._table, version).columns
            before = self._catalog.columns_before(self._table, version) if version else columns
            older = self._catalog.rows(self._table, version=version - 1) if version else ()
            newer = self._catalog.rows(self._table, version=version)
            difference = unmatched_rows(columns, older, newer, names_of_expected=before)
            self._compared[version] = ChangedRows(added=len(difference.unexpected), removed=len(difference.missing))
        return self._compared[version]

    def commits_before(self) -> tuple[Commit, ...]:
        """Return the commits of the table from before the job; read once."""
        return self._earlier

    def drift(self, model: Table) -> str:
        """Return how the table differs from a model; ``""`` if it does not."""
        return self._drift(model)

    @cached_property
    def _earlier(self) -> tuple[Commit, ...]:
        start = self._start
        commits = () if start is None else self._catalog.commits(self._table)
        return tuple(commit for commit in commits if start is not None and commit.version <= start.version)
