"""The Unity Catalog backend."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.concurrency import map_concurrently
from pytest_delta_schema.backends.spark.compat.pyspark_compat import active_spark
from pytest_delta_schema.backends.unity.capabilities import CAPABILITIES
from pytest_delta_schema.backends.unity.entries.sync import MetadataSyncing
from pytest_delta_schema.backends.unity.logs.external_logs import ExternalLogs
from pytest_delta_schema.backends.unity.logs.table_logs import Log
from pytest_delta_schema.backends.unity.problems import unreadable
from pytest_delta_schema.backends.unity.reading import TableReader
from pytest_delta_schema.backends.unity.server_spark import SparkOfServer
from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    CatalogReadError,
    Diagnostic,
    MetadataSyncError,
    StatementError,
)
from pytest_delta_schema.diagnostics.faults import FailedMetadataSync
from pytest_delta_schema.execute.protocols.metadata_sync import MetadataSync
from pytest_delta_schema.execute.protocols.version import version_of
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.models.required_kinds import required_table_name, required_table_names, snapshot_names
from pytest_delta_schema.plan.entry_comparison import is_stale
from pytest_delta_schema.progress import syncing_entries
from pytest_delta_schema.state.catalog_entry import EntryState
from pytest_delta_schema.state.states import CatalogState
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.unity.http.client import UnityClient
    from pytest_delta_schema.backends.unity.logs.storage import Storage
    from pytest_delta_schema.backends.unity.reading import TableReading
    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.execute.protocols.catalog import DataCheckRunner
    from pytest_delta_schema.execute.protocols.version import Version
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.commits import Commit, IntroducedBy
    from pytest_delta_schema.state.log_facts import LogFacts
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


class UnityCatalog:
    """Delta tables of an open-source Unity Catalog server.

    Catalog entries are read by REST and Delta logs without a JVM; statements and data checks run in Spark.

    Args:
        client: The server.
        session: Returns a Spark session whose catalogs are those of the server; called when it is first needed.
        stores: The stores that hold files of tables.
        read_threads: How many tables are read at the same time, at least 1.
        sync_on_read: Whether the catalog entries of external tables are synchronised before they are read. None is
            deleted.
        sync_recreate: Whether :meth:`sync_entries` may delete an entry and create it again, on a server without a Delta
            API.

    Raises:
        DeclarationError: If ``client`` is something else.
    """

    name = "unity"
    capabilities = CAPABILITIES

    def __init__(  # noqa: PLR0913 - all but the first have good defaults
        self,
        client: UnityClient,
        *,
        session: Callable[[], SparkSession] | None = None,
        stores: Iterable[Storage] = (),
        read_threads: int = 8,
        sync_on_read: bool = False,
        sync_recreate: bool = False,
    ) -> None:
        if isinstance(client, type) or not hasattr(client, "has_delta_api"):
            refuse_kind("UnityCatalog", "a UnityClient", client, "give UnityClient(uri, token=token)")
        self.client = client
        self._spark = SparkOfServer(client, session)
        self._logs = ExternalLogs(client=client, stores=tuple(stores))
        self._reader = TableReader(client, self._logs, read_threads, self._read_by_spark)
        self._threads = read_threads
        self._on_read = sync_on_read
        self._recreate = sync_recreate
        self._lock = Lock()

    @property
    def spark(self) -> SparkSession:
        """The Spark session that runs statements.

        Raises:
            BackendUnavailableError: If there is none.
        """
        return self._spark.catalog().spark

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables of models and of their foreign keys, with their catalog entries."""
        return self._states(snapshot_names(models))

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Read only the named tables, with their catalog entries."""
        return self._states(required_table_names(names, "read_tables"))

    def _states(self, names: Sequence[QualifiedName]) -> CatalogState:
        readings = self._reader.read(names)
        if self._on_read:
            stale = [name for name, reading in readings.items() if _is_stale(reading)]
            synced = self._sync(stale, recreates=False)
            readings |= self._reader.read(stale)
            # An entry that cannot be synchronised is a problem of the entry only; the table was read.
            readings |= {
                name: readings[name]._replace(entry=problem)
                for name, problem in synced.items()
                if isinstance(problem, Diagnostic)
            }
        return CatalogState.of(
            {name: reading.table for name, reading in readings.items()},
            entries={name: reading.entry for name, reading in readings.items() if reading.entry is not None},
            logs={name: reading.log for name, reading in readings.items() if reading.log is not None},
        )

    def sync_entries(self, models: Iterable[Table], *, recreates: bool = True) -> tuple[MetadataSync, ...]:
        """Write the metadata of Delta logs to the catalog entries of existing tables; data files are never changed.

        Args:
            models: The tables.
            recreates: Whether an entry may be deleted and created again, if ``sync_recreate`` allows it and there is no
                other way.

        Returns:
            A result for each table whose entry was changed, or for which there is a note, such as a property that the
            server cannot store.

        Raises:
            MetadataSyncError: With a problem for each entry that could not be synchronised; the others are.
        """
        results = self._sync(sorted({model.name for model in models}), recreates=recreates).values()
        problems = [result for result in results if isinstance(result, Diagnostic)]
        done = tuple(result for result in results if isinstance(result, MetadataSync))
        if problems:
            raise MetadataSyncError(problems, done=done)
        return done

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:
        """Find the commits that added columns, if a Spark session is open already; a JVM is not started for it."""
        opened = self._spark.opened
        return () if opened is None else opened.introduced_by(table, paths)

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        """Find columns in older versions of a table: in its log without Spark, unless the catalog commits to it.

        Raises:
            DeltaSchemaError: If the log cannot be read.
        """
        _, entry, log = self._reader.read_again(table)
        if isinstance(entry, EntryState) and log is not None and not log.is_catalog_managed:
            schemas = self._logs.read(entry, Log.schemas)
            return frozenset(path for path in paths if any(find(columns, path) is not None for columns in schemas))
        return self._spark.catalog(table.written.catalog).past_columns(table, paths)

    def rows(self, table: QualifiedName, *, version: int | None = None) -> list[dict[str, Any]]:
        """Return all rows of a table through Spark, by one query.

        Raises:
            StatementError: If Spark cannot read them.
        """
        return self._spark.catalog(table.written.catalog).rows(table, version=version)

    def as_stored(self, table: TableState, rows: Any) -> list[dict[str, Any]]:
        """Return rows as the table would return them after an insert; nothing is written."""
        return self._spark.catalog().as_stored(table, rows)

    def commits(self, table: QualifiedName, *, first: int = 0) -> tuple[Commit, ...]:
        """Return the commits in the log of an external table, which Spark opens.

        Raises:
            CatalogReadError: If its newest commits are in the catalog, as those of a managed table are.
        """
        return self._spark.catalog(table.written.catalog).commits(table, first=first)

    def columns_before(self, table: QualifiedName, version: int) -> tuple[ColumnState, ...]:
        """Return the columns of an external table in one version under their names in the one before, from its log.

        Raises:
            CatalogReadError: If its newest commits are in the catalog, as those of a managed table are.
        """
        return self._spark.catalog(table.written.catalog).columns_before(table, version)

    def state_at(self, table: QualifiedName, version: int) -> TableState:
        """Return the state of an external table in one of its versions, from its log, which Spark opens.

        Raises:
            CatalogReadError: If its newest commits are in the catalog, as those of a managed table are.
        """
        return self._spark.catalog(table.written.catalog).state_at(table, version)

    def run(self, statement: Statement) -> None:
        """Run one statement through Spark, or emulate it.

        Raises:
            UnsafePlanError: If rows violate a NOT NULL column or a check that is added; nothing was changed.
            BackendUnavailableError: If no session is configured, or its catalog is not the server's.
            StatementError: If Spark, Delta or the server refuses it.
        """
        self._spark.catalog(statement.table.written.catalog).run(statement)

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema without its views, sorted; none if the schema does not exist."""
        return self._reader.names(catalog, schema)

    def view_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the views of all kinds in a schema, sorted; none if the schema does not exist.

        Args:
            catalog: The catalog of the schema.
            schema: Its name.
        """
        return self._reader.names(catalog, schema, views=True)

    def version(self, table: QualifiedName) -> Version:
        """Return the table's newest version, ``ABSENT`` if it does not exist, or why it cannot be read."""
        return version_of(CatalogState.of({table: self._reader.read_again(table).table}), table)

    def data_checks(self, table: QualifiedName) -> DataCheckRunner:
        """Return what counts and shows the rows of an existing table."""
        return self._spark.catalog(table.written.catalog).data_checks(table)

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows, each a mapping from column names to values; a missing column is filled by the table, or NULL."""
        required_table_name(table, "insert")
        self._spark.catalog(table.written.catalog).insert(table, rows)

    def append_rows(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows as they are; see :class:`AppendsRows`.

        Args:
            table: An existing table.
            rows: Values of the types of the columns, by their names; all rows have the same columns.
        """
        self._spark.catalog(table.written.catalog).append_rows(table, rows)

    def create_schema(self, catalog: str, schema: str) -> None:
        """Create a schema unless it exists."""
        self._spark.catalog(catalog).create_schema(catalog, schema)

    def drop_table(self, table: QualifiedName) -> None:
        """Drop a table if it exists."""
        self._spark.catalog(table.written.catalog).drop_table(table)

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it if it exists."""
        self._spark.catalog(catalog).drop_schema(catalog, schema)

    def _sync(
        self, names: Sequence[QualifiedName], *, recreates: bool
    ) -> dict[QualifiedName, MetadataSync | Diagnostic | None]:
        """Synchronise catalog entries, several at once, and return the result of each."""
        syncing = MetadataSyncing(
            client=self.client,
            open_log=self._reader.open_log,
        )

        stored_names = self._reader.find(names)

        def sync(name: QualifiedName) -> MetadataSync | Diagnostic | None:
            stored = stored_names[name]
            if isinstance(stored, StatementError):
                return unreadable(name, stored)
            try:
                return syncing.sync(stored, recreates=recreates and self._recreate)
            except CatalogReadError as error:
                return error.diagnostics[0]
            except (BackendUnavailableError, StatementError) as error:
                return unreadable(name, error, FailedMetadataSync)

        return map_concurrently(sync, names, self._threads, syncing_entries)

    def _read_by_spark(self, name: QualifiedName, *, has_to: bool) -> LogFacts | None:
        """Read the log of one table through Spark.

        If it does not have to, only a session that is open already is used.

        Raises:
            BackendUnavailableError: If a session is needed and none is configured, or its catalog is not the server's.
            CatalogReadError: If Spark cannot read it.
        """
        with self._lock:
            if not has_to and active_spark() is None:
                return None
            try:
                spark = self._spark.catalog(name.written.catalog)
            except BackendUnavailableError:
                if has_to:
                    raise
                return None
        return spark.log(name)


def _is_stale(reading: TableReading) -> bool:
    """Whether a catalog entry that may be written differs from the log."""
    log = reading.log
    return log is not None and not log.is_catalog_managed and is_stale(reading.entry, log)
