"""Protocols of catalogs: what a backend has to offer, and what it may offer."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from pytest_delta_schema import sql
from pytest_delta_schema.delta.names import ENTRY_PATH, WHOLE_TABLE
from pytest_delta_schema.diagnostics.errors import (
    DeltaSchemaError,
    Diagnostic,
    UnsafePlanError,
    diagnostic_of,
    first_line,
    note,
)
from pytest_delta_schema.diagnostics.faults import ManagedEntry, UnknownVersion
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.progress import step
from pytest_delta_schema.rules.reported_rules import UnsupportedStatement
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.sql.statement import set_values, unset_keys
from pytest_delta_schema.state.states import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import CreateTable
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.plan.entry_comparison import EntryDifference
    from pytest_delta_schema.sql.statement import Statement, StatementKind
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.state.states import CatalogState, TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.write_check.verdict import Merge, WriteOptions, WriteVerdict


COUNT, LIMIT, OFF = "count", "limit", "off"


@dataclass(frozen=True, slots=True)
class Preflight:
    """How data checks run.

    Args:
        mode: ``count`` counts every failing row, ``limit`` stops at the first one, and ``off`` runs no data checks
            before the statements; a backend still runs those that it needs for its own safety.
        samples: How many failing rows of each data check are shown by their keys at most; ``0`` for none.
    """

    mode: str = COUNT
    _: KW_ONLY
    samples: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """How long reads of a catalog may miss what its statements have changed.

    Args:
        seconds: The time after which a difference is one; 0 if reads are never behind.
        clock: Returns a time in seconds.
        wait: Waits for a number of seconds.
    """

    seconds: float = 0.0
    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep


NO_LAG = Lag()
"""That of catalogs that show each change at once."""

_T = TypeVar("_T")
_LONGEST_PAUSE = 10.0


def when_shown(read: Callable[[], _T], is_shown: Callable[[_T], bool], lag: Lag) -> _T:
    """Return what a catalog shows, and read it again while it may be behind."""
    if not lag.seconds:
        return read()
    end, pause = lag.clock() + lag.seconds, 1.0
    with step("reading what was applied, which the catalog may show late"):
        while not is_shown(shown := read()) and (left := end - lag.clock()) > 0:
            lag.wait(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)
    return shown


class Refusal(NamedTuple):
    """Why a catalog can never run a statement.

    Args:
        reason: What the catalog lacks.
        remedy: What to do about it, in the imperative.
    """

    reason: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """Which statements a backend emulates or refuses; all others it runs unchanged.

    Args:
        emulates: Kinds that it lacks and does in another way, with the same result.
        emulates_property: Whether it stores a table property with some value under another key, because it does
            not know the key, or the value; with ``None``, whether it does so with any value.
        splits: Kinds that it runs as one statement, and one commit, for each column.
        refuses: Returns why it can neither run nor emulate a statement, or ``None``; at most it queries the catalog
            once for its version.
        refuses_for_table: The same for a statement on a table as it was read; the table is ``None`` if it is created.
        only_reads: Why it runs no statement at all. A gate compares its tables, and an apply is refused.
        refuses_clones: Why it can clone no table; see :func:`~pytest_delta_schema.execute.protocols.clone_refusal`.
        lag: How long reads may miss what statements have changed.
        checks_follow: Whether it takes the checks of a new table after its creation only.
    """

    emulates: frozenset[StatementKind] = frozenset()
    emulates_property: Callable[[str, str | None], bool] = lambda *_: False
    splits: frozenset[StatementKind] = frozenset()
    refuses: Callable[[Statement], Refusal | None] = lambda *_: None
    refuses_for_table: Callable[[Statement, TableState | None], Refusal | None] = lambda *_: None
    only_reads: Refusal | None = None
    refuses_clones: Refusal | None = None
    lag: Lag = NO_LAG
    checks_follow: bool = False

    def is_emulated(self, statement: Statement) -> bool:
        """Whether the backend runs other statements with the same result, for the statement or for a part of it."""
        properties = (*set_values(statement), *((key, None) for key in unset_keys(statement)))
        return statement.kind in self.emulates or any(starmap(self.emulates_property, properties))


def unsupported_statements(action: CreateTable | AlignTable, ddl: DeltaDDL) -> Iterator[Diagnostic]:
    """Yield a violation for every statement of ``action`` that a catalog cannot run, at all or on that table."""
    capabilities = ddl.capabilities
    observed = action.observed if isinstance(action, AlignTable) else None
    for statement in sql.statements(action):
        refusal = capabilities.refuses(statement) or capabilities.refuses_for_table(statement, observed)
        if refusal is not None:
            message = f"the {ddl.name} backend cannot {statement.kind.value}: {refusal.reason}"
            yield violation(UnsupportedStatement(), action.table, WHOLE_TABLE, message, refusal.remedy)


def require_able(action: CreateTable | AlignTable, ddl: DeltaDDL) -> None:
    """Make sure that a catalog can do all of ``action``."""
    refusal = ddl.capabilities.only_reads
    violations = tuple(unsupported_statements(action, ddl)) if refusal is None else (_no_change(action, ddl, refusal),)
    if violations:
        raise UnsafePlanError(violations)


def _no_change(action: CreateTable | AlignTable, ddl: DeltaDDL, refusal: Refusal) -> Diagnostic:
    message = f"the {ddl.name} backend cannot change a table: {refusal.reason}"
    return violation(UnsupportedStatement(), action.table, WHOLE_TABLE, message, refusal.remedy)


class Absence(Enum):
    """The version of a table that does not exist."""

    ABSENT = "absent"


ABSENT = Absence.ABSENT
"""There is certainly no such table."""

Version = int | Absence | Diagnostic
"""The newest Delta version of a table; :data:`ABSENT`; or why it cannot be read, which is never the same as absent."""


def version_of(state: CatalogState, table: QualifiedName) -> Version:
    """Return the version of a table in a catalog state.

    Args:
        state: What was read.
        table: A table that was asked for.
    """
    observed = state.tables.get(table)
    if observed is None:
        return state.problem(table)
    if not observed.exists:
        return ABSENT
    if observed.version is None:
        message = "its catalog does not show its version"
        return diagnostic_of(UnknownVersion, table, message, remedy="read its history with DESCRIBE HISTORY")
    return observed.version


def version_after_failure(read: Callable[[QualifiedName], Version], table: QualifiedName) -> Version:
    """Return the version of a table after a failure, when the catalog may be unavailable; raises no error."""
    try:
        return read(table)
    except DeltaSchemaError as error:
        remedy = f"when it can be, see DESCRIBE HISTORY {sql.dotted(table)}"
        return diagnostic_of(UnknownVersion, table, first_line(error), remedy=remedy)


Samples = tuple[tuple[tuple[str | None, ...], ...], ...]
"""For each data check a few rows that fail it, and of each row some columns as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """The numbers of rows that fail data checks.

    Args:
        rows: All rows of the table; ``None`` if they were not counted.
        broken: For each data check, in order, the number of rows that fail it; for a key those that repeat another row.
    """

    rows: int | None
    broken: tuple[int, ...] = ()


class DataCheckRunner(Protocol):
    """Runs data checks on the rows of one table."""

    def count_rows(
        self,
        data_checks: Sequence[DataCheck] = (),
        *,
        added: Sequence[ColumnState] = (),
        stop_early: bool = False,
        files: str | None = None,
    ) -> RowCounts:
        """Count the rows of the table that fail each data check, by one query for all of them.

        Args:
            data_checks: What the rows must satisfy.
            added: Columns that the plan adds, NULL in every row.
            stop_early: Whether to stop at the first row that fails a check.
            files: A folder of parquet files that will be converted; they are queried instead of the table.
        """
        ...

    def sample_rows(
        self,
        data_checks: Sequence[DataCheck],
        shown: Sequence[Sequence[str]],
        *,
        number: int,
        added: Sequence[ColumnState] = (),
        files: str | None = None,
    ) -> Samples:
        """Return a few rows that fail each data check, by one query for all of them.

        Args:
            data_checks: The failing data checks.
            shown: For each data check the columns to return, as text; without columns it gets no rows.
            number: How many rows at most for each.
            added: Columns that the plan adds, NULL in every row.
            files: A folder of parquet files that will be converted; they are queried instead of the table.
        """
        ...


@runtime_checkable
class AnalysesDefaults(DataCheckRunner, Protocol):
    """Data checks of a catalog that can tell whether its engine accepts a default, without a change of the table."""

    def analyse_default(self, column: ColumnState) -> None:
        """Let the engine analyse the default of a column.

        Raises:
            StatementError: If the engine refuses it.
        """
        ...


class DeltaDDL(Protocol):
    """Runs statements against one catalog, emulating those that it lacks."""

    @property
    def name(self) -> str:
        """The name of the backend, such as ``local``."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """Which statements this catalog emulates or refuses."""
        ...

    def run(self, statement: Statement) -> None:
        """Run one statement.

        Raises:
            DeltaSchemaError: If the catalog refuses it; the text is the catalog's, with the names that users know. The
                creation of a table that exists is refused with the condition ``TABLE_OR_VIEW_ALREADY_EXISTS``.
        """
        ...

    def version(self, table: QualifiedName) -> Version:
        """Return the table's newest Delta version, ``ABSENT`` if it does not exist, or why it cannot be read.

        A table that cannot be read is never ``ABSENT``, and no error is raised for it.
        """
        ...

    def data_checks(self, table: QualifiedName) -> DataCheckRunner:
        """Return what counts and shows the rows of an existing table."""
        ...


class Catalog(CatalogReader, DeltaDDL, Protocol):
    """A whole backend: reads tables and runs statements on them."""

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the sorted names of all tables in a schema, without views; none if there is no such schema.

        Args:
            catalog: The catalog of the schema.
            schema: Its name.
        """
        ...


class ScratchCatalog(Catalog, Protocol):
    """A catalog in which tests may create and drop what they need."""

    def create_schema(self, catalog: str, schema: str) -> None:
        """Create a schema unless it exists.

        Args:
            catalog: Its catalog.
            schema: Its name.
        """
        ...

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it, partly created tables included, if it exists.

        Args:
            catalog: Its catalog.
            schema: Its name.
        """
        ...

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows; columns that a row omits are NULL.

        Args:
            table: The table.
            rows: Values by column name.

        Raises:
            StatementError: If the table refuses the rows, or would return other values; nothing is written then.
        """
        ...


@runtime_checkable
class ListsViews(Protocol):
    """A catalog that can hold views; ``--delta-import`` declares them as ``read_only``."""

    def view_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the sorted names of the views of all kinds in a schema; none if there is no such schema.

        Args:
            catalog: The catalog of the schema.
            schema: Its name.
        """
        ...


@runtime_checkable
class ListsParquet(Protocol):
    """A catalog whose schemas are folders, which may hold parquet files without a Delta log."""

    def parquet_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the sorted names of the folders in a schema that hold parquet files and are not Delta tables.

        Args:
            catalog: The catalog of the schema.
            schema: Its name.
        """
        ...


@runtime_checkable
class ExplainsEmptySchemas(Protocol):
    """A catalog that can tell why a schema holds no table; ``--delta-import`` shows the reason."""

    def why_empty(self, catalog: str, schema: str) -> str:
        """Return why the schema, in which no table was found, is empty, and what to do; ``""`` if that is not known.

        Args:
            catalog: The catalog of the schema.
            schema: Its name.
        """
        ...


@runtime_checkable
class StartsLazily(Protocol):
    """A catalog that starts a session when it is first needed, which takes seconds and may fail."""

    @property
    def is_started(self) -> bool:
        """Whether the session was started."""
        ...

    def start(self) -> None:
        """Start the session, unless it was started; raise a ``BackendUnavailableError`` if it does not start."""
        ...


@runtime_checkable
class ReadsRows(CatalogReader, Protocol):
    """A catalog that returns the rows of tables; :func:`~pytest_delta_schema.assert_table_equals` uses it."""

    def rows(self, table: QualifiedName, *, version: int | None = None) -> Sequence[dict[str, Any]]:
        """Return all rows of an existing table, in any order.

        Args:
            table: The table.
            version: An older version of it; by default the newest.

        Returns:
            Values by the names of columns; timestamps have a time zone.

        Raises:
            DeltaSchemaError: If they cannot be read.
        """
        ...

    def as_stored(self, table: TableState, rows: Any) -> Sequence[dict[str, Any]]:
        """Return rows as the table would return them after an insert; nothing is written.

        Args:
            table: The table.
            rows: Dictionaries by column name, ``Row`` objects, tuples in the order of the columns, or a frame.

        Returns:
            Values by the names of columns in lower case; columns that a row leaves out are left out.

        Raises:
            StatementError: If a value does not fit the type of its column, or a NOT NULL column has none.
        """
        ...


@runtime_checkable
class AppendsRows(DeltaDDL, Protocol):
    """A catalog that appends rows as they are; ``--delta-enforce`` uses it."""

    def append_rows(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows that nothing checks before the table does; the table fills columns that they leave out."""
        ...


@runtime_checkable
class KeepsVersions(ReadsRows, Protocol):
    """A catalog that reads the commits and older versions of tables, as :func:`state_text` needs them."""

    def version(self, table: QualifiedName) -> Version:
        """Return the newest version of a table, as :meth:`DeltaDDL.version` does.

        Args:
            table: The table.
        """
        ...

    def commits(self, table: QualifiedName, *, first: int = 0) -> tuple[Commit, ...]:
        """Return the commits of an existing table, the oldest first; those that its log has lost are left out.

        Args:
            table: The table.
            first: The first version.

        Raises:
            CatalogReadError: If its log cannot be read.
        """
        ...

    def columns_before(self, table: QualifiedName, version: int) -> tuple[ColumnState, ...]:
        """Return the columns of an existing table in one version, under the names that they had in the version before.

        Args:
            table: The table.
            version: The version, at least 1.

        Raises:
            CatalogReadError: If one of the two does not exist, or cannot be read any more.
        """
        ...

    def state_at(self, table: QualifiedName, version: int) -> TableState:
        """Return the state of an existing table in one of its versions.

        Args:
            table: The table.
            version: The version.

        Raises:
            CatalogReadError: If the version does not exist, or cannot be read any more.
        """
        ...


@runtime_checkable
class IdentifiesTables(Protocol):
    """A catalog whose states do not show the ids of tables, and that can ask for one."""

    def table_id(self, table: QualifiedName) -> str:
        """Return the id of an existing table, which a new table of its name does not have.

        Args:
            table: The table.

        Raises:
            StatementError: If it cannot be read.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataSync:
    """The result of a metadata sync of one table.

    Args:
        table: Dotted name of the table.
        differences: How the catalog entry differed from the log; empty if it was equal and was not changed.
        version: The version of the log that the entry has now.
        is_new: Whether the entry was deleted and created again, so the table has another id.
        notes: Remarks, such as properties that the catalog cannot store.
    """

    table: str
    differences: tuple[EntryDifference, ...]
    version: int
    is_new: bool = False
    notes: tuple[Diagnostic, ...] = ()


@runtime_checkable
class SyncsEntries(Protocol):
    """A catalog whose entries can become stale."""

    def sync_entries(self, models: Iterable[Table], *, recreates: bool = True) -> tuple[MetadataSync, ...]:
        """Write table metadata from the logs of existing tables to those catalog entries that differ.

        Args:
            models: The tables.
            recreates: Whether an entry may be deleted and created again where there is no other way, as the catalog's
                settings say. An apply or a read never does that.

        Returns:
            What was changed, with notes.

        Raises:
            MetadataSyncError: With all entries that cannot be read or synchronised, after the others were synchronised.
        """
        ...


def managed_note(table: object) -> Diagnostic:
    """Return the note of a table whose entry is not compared, because its newest commits are in the catalog only."""
    fact = "its newest commits are in the catalog only, so its catalog entry and its log are not compared"
    return note(ManagedEntry, table, ENTRY_PATH, fact)


@runtime_checkable
class CreatesConcurrently(Protocol):
    """A catalog that can create several tables at the same time."""

    def creating_concurrently(self) -> AbstractContextManager[int]:
        """Allow creations in several threads inside of the block, whose value is the number of threads, at least 1.

        A ``KeyboardInterrupt`` leaves the block when no thread runs a statement any more.

        Raises:
            StillRunning: Instead of the interruption, if a statement could not be stopped, so it may still commit.
        """
        ...


@runtime_checkable
class ReusesCreations(Protocol):
    """A catalog that can create a table by copying what an equal creation has written."""

    def reuse_creations(self) -> AbstractContextManager[None]:
        """Copy the new tables of the block from those of earlier blocks, where one was created by the same statements.

        A copy is a separate table, and has the state that the statements would have given it.
        """
        ...


@runtime_checkable
class ClonesTables(Protocol):
    """A catalog that can clone tables; the fixture ``delta_clone`` uses it."""

    def clone_table(self, source: QualifiedName, target: QualifiedName) -> None:
        """Clone a table with its rows; no change of the clone reaches the table.

        Args:
            source: An existing table.
            target: The clone, in an existing schema that has no table of this name.

        Raises:
            StatementError: If the table cannot be cloned.
        """
        ...


def clone_refusal(catalog: DeltaDDL) -> Refusal | None:
    """Return why a catalog can clone no table, ``None`` if it can clone tables."""
    refusal = catalog.capabilities.refuses_clones
    if refusal is None and not isinstance(catalog, ClonesTables):
        return Refusal("it has no method clone_table", "use make_delta_table, or the local backend")
    return refusal


@runtime_checkable
class ProbesWrites(Protocol):
    """A catalog that can try a write; the fixture ``delta_probe`` uses it."""

    def probe_write(
        self,
        table: Table | str,
        frame: DataFrame | StructType | None,
        options: WriteOptions | Merge = ...,
    ) -> WriteVerdict:
        """Run a write with an empty frame of the same schema and an empty clone of the table.

        The table itself is only read.

        Args:
            table: A model, as if its table had just been created; or the name of a table in this catalog.
            frame: A DataFrame, which is not computed, or its schema; ``None`` for a DELETE.
            options: How the frame is written, or a MERGE; by default it is appended with ``df.write.save(path)``.

        Returns:
            What happened: whether the write was accepted, why not, and the schema of the table after it.

        Raises:
            DeclarationError: If an argument has no possible meaning.
            CatalogReadError: If the table cannot be read, or does not exist.
            StatementError: If the clone cannot be created.
        """
        ...


@runtime_checkable
class DropsTables(Protocol):
    """A catalog that drops single tables."""

    def drop_table(self, table: QualifiedName) -> None:
        """Drop a table if it exists."""
        ...


@runtime_checkable
class OnServer(Protocol):
    """A catalog of a server."""

    def server_text(self, catalog: str) -> str:
        """Return what the server shows of itself."""
        ...
