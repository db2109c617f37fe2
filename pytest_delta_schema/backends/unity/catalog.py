"""The catalog of a Unity Catalog server, and what it refuses."""

from __future__ import annotations

import re
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.concurrency import map_concurrently
from pytest_delta_schema.backends.problems import MALFORMED, is_damaged, without_files
from pytest_delta_schema.backends.spark.catalog import SparkCatalog
from pytest_delta_schema.backends.spark.compat import active_spark, is_connect_session
from pytest_delta_schema.backends.spark.statements import on_delta
from pytest_delta_schema.backends.spark.versions import BY_COMMIT, BY_PROPERTY, refused_on_tables
from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
from pytest_delta_schema.backends.unity.entries import MetadataSyncing
from pytest_delta_schema.backends.unity.logs import ExternalLogs
from pytest_delta_schema.backends.unity.reading import TableReader, unreadable
from pytest_delta_schema.delta.properties import is_emulated
from pytest_delta_schema.delta.protocol import commits_are_in_catalog
from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    CatalogReadError,
    Diagnostic,
    MetadataSyncError,
    StatementError,
)
from pytest_delta_schema.diagnostics.faults import FailedMetadataSync
from pytest_delta_schema.diagnostics.redaction import Uri
from pytest_delta_schema.diagnostics.text import shortened
from pytest_delta_schema.execute.protocols import Capabilities, MetadataSync, Refusal
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.names import required_table_names
from pytest_delta_schema.models.sets import snapshot_names
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import CheckAdd, SetTableProperties
from pytest_delta_schema.plan.column_changes import ColumnAdd, ColumnRename
from pytest_delta_schema.plan.entry_comparison import is_stale
from pytest_delta_schema.progress import syncing_entries
from pytest_delta_schema.sql.renderers import check_properties
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.entries import NAME_LIMIT, PROPERTY_LIMIT, EntryState, long_properties, utf16_length
from pytest_delta_schema.state.states import CatalogState, CheckState
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.backends.storage import Storage
    from pytest_delta_schema.backends.unity.connection import UnityClient
    from pytest_delta_schema.backends.unity.reading import TableReading
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.execute.protocols import DataCheckRunner, Version
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.delta_log import LogFacts
    from pytest_delta_schema.state.states import IntroducedBy, TableState


_NAME = re.compile(r"[A-Za-z0-9_@-]{1,255}")
_PARTS = ("catalog", "schema", "table")
_SHOWN = 60
"""How many characters of a too long name messages show."""

_CREATES = {StatementKind.CREATE_SCHEMA: ("schema",), StatementKind.CREATE_TABLE: ("table",)}

BY_TRANSACTION = BY_COMMIT | {StatementKind.RENAME_COLUMN}
"""The connector refuses RENAME COLUMN and SET NOT NULL (Unity Catalog 0.6); transactions do both."""


def without_long_texts(statement: Statement, observed: TableState | None) -> Refusal | None:
    """Refuse properties and column names of managed tables that the server cannot store.

    Unity Catalog 0.6.0 answers such a commit with 500, and Delta's client repeats it for minutes. New tables are
    managed, because they are created without a location.
    """
    if observed is not None and not commits_are_in_catalog(observed.table_properties):
        return None
    long = long_properties(_properties(statement))
    if long:
        limit = f"the server stores keys and values of managed tables up to {PROPERTY_LIMIT} characters"
        return Refusal(f"{', '.join(long)}: {limit}", "shorten what is too long")
    names = [shortened(name, _SHOWN) for name in _column_names(statement) if utf16_length(name) > NAME_LIMIT]
    if names:
        limit = f"the server stores names of columns of managed tables up to {NAME_LIMIT} characters"
        return Refusal(f"{', '.join(names)}: {limit}", "shorten what is too long")
    return None


def without_refused_names(statement: Statement) -> Refusal | None:
    """Refuse the creation of tables and schemas whose names the server does not accept (Unity Catalog 0.6.0)."""
    created = _CREATES.get(statement.kind, ())
    names = [name for part, name in zip(_PARTS, statement.table.written, strict=True) if part in created]
    odd = [name for name in names if _NAME.fullmatch(name) is None]
    if not odd:
        return None
    return Refusal(
        f"the server takes no name like {', '.join(odd)}: names have letters without accents, digits, `_`, `@` and `-`,"
        " and at most 255 characters",
        "declare it under another name",
    )


def _refuses(statement: Statement) -> Refusal | None:
    return without_files(statement) or without_refused_names(statement)


def _properties(statement: Statement) -> dict[str, str]:
    """Return the properties that a statement sets, with those of checks and of what is emulated."""
    properties: dict[str, str] = {}
    for change in (change for part in on_delta(statement, is_emulated) for change in part.changes):
        if isinstance(change, SetTableProperties):
            properties |= change.properties
        elif isinstance(change, CheckAdd):
            properties |= check_properties([CheckState(change.name, change.expression)])
        elif isinstance(change, CreateTable):
            properties |= {**change.table_properties, **check_properties(change.checks)}
    return properties


def _column_names(statement: Statement) -> Iterator[str]:
    """Yield the names that a statement gives to columns of the table, not to fields of structs."""
    for change in statement.changes:
        if isinstance(change, CreateTable):
            yield from (column.name for column in change.columns)
        elif isinstance(change, ColumnAdd) and not change.above:
            yield change.column.name
        elif isinstance(change, ColumnRename) and len(change.path) == 1:
            yield change.to


_on_other_clients = refused_on_tables(is_emulated)


CAPABILITIES = Capabilities(
    emulates=BY_TRANSACTION | BY_PROPERTY,
    emulates_property=is_emulated,
    refuses=_refuses,
    refuses_for_table=lambda statement, table: (
        without_long_texts(statement, table) or _on_other_clients(statement, table)
    ),
    refuses_clones=Refusal(
        "the server refuses SHALLOW CLONE into its catalogs (Unity Catalog 0.6.0)",
        "create the table with make_delta_table, and insert its rows",
    ),
)
"""The capabilities of a session with the connector of Unity Catalog."""


class UnityCatalog(SparkCatalog):
    """Delta tables of an open-source Unity Catalog server.

    Catalog entries are read by REST and Delta logs without a JVM; statements and data checks run in Spark.

    Args:
        client: The server.
        session: Returns a Spark session whose catalogs are those of the server; called when it is first needed.
        stores: The stores that hold files of tables.
        storage_options: The options ``timeout``, ``connect_timeout``, ``max_retries`` and ``retry_timeout`` of
            deltalake's stores; times have a unit, as in ``30s``.
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
        storage_options: Mapping[str, str] = MappingProxyType({}),
        read_threads: int = 8,
        sync_on_read: bool = False,
        sync_recreate: bool = False,
    ) -> None:
        if isinstance(client, type) or not hasattr(client, "has_delta_api"):
            refuse_kind("UnityCatalog", "a UnityClient", client, "give UnityClient(uri, token=token)")
        self.client = client
        self._session = session
        self._opened: SessionCatalog | None = None
        self._logs = ExternalLogs(client=client, stores=tuple(stores), limits=storage_options)
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
        return self._session_catalog().spark

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

    def server_text(self, catalog: str) -> str:
        """Return what the server shows of itself, which is not its release."""
        api = self.client.delta_api(catalog)
        if api is None:
            return "no Delta API"
        return f"Delta API {api.get('protocol-version', '')} with {len(api['endpoints'])} endpoints"

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:
        """Find the commits that added columns, if a Spark session is open already; a JVM is not started for it."""
        return () if self._opened is None else self._opened.introduced_by(table, paths)

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        """Find columns in older versions of a table: in its log without Spark, unless the catalog commits to it.

        Raises:
            DeltaSchemaError: If the log cannot be read.
        """
        _, entry, log = self._reader.read_again(table)
        if isinstance(entry, EntryState) and log is not None and not log.is_catalog_managed:
            schemas = self._logs.schemas(entry)
            return frozenset(path for path in paths if any(find(columns, path) is not None for columns in schemas))
        return self._session_catalog(table.written.catalog).past_columns(table, paths)

    def run(self, statement: Statement) -> None:
        """Run one statement through Spark, or emulate it.

        Raises:
            UnsafePlanError: If rows violate a NOT NULL column or a check that is added; nothing was changed.
            BackendUnavailableError: If no session is configured, or its catalog is not the server's.
            StatementError: If Spark, Delta or the server refuses it.
        """
        self._session_catalog(statement.table.written.catalog).run(statement)

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema without its views, sorted; none if the schema does not exist."""
        return self._reader.names(catalog, schema)

    def view_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the views of all kinds in a schema, sorted; none if the schema does not exist."""
        return self._reader.names(catalog, schema, views=True)

    def version(self, table: QualifiedName) -> Version:
        """Return the table's newest version, ``ABSENT`` if it does not exist, or why it cannot be read."""
        return self._reader.version(table)

    def data_checks(self, table: QualifiedName) -> DataCheckRunner:
        """Return what counts and shows the rows of an existing table."""
        return self._session_catalog(table.written.catalog).data_checks(table)

    def _in_spark(self, catalog: str) -> AbstractContextManager[SessionCatalog]:
        return self._session_catalog(catalog)._in_spark(catalog)

    def _log_files(self, table: QualifiedName) -> LogFiles:
        return self._session_catalog(table.written.catalog)._log_files(table)

    def _session_catalog(self, name: str | None = None) -> SessionCatalog:
        """Return the catalog of the session, which must have the catalog of the server of that name, too."""
        if self._opened is None:
            self._opened = self._open()
        if name is not None:
            self._require_same_server(self._opened.spark, name)
        return self._opened

    def _open(self) -> SessionCatalog:
        if self._session is None:
            msg = (
                f"Spark runs the statements for the catalogs at {self.client.uri}, and no session is configured;"
                " override the fixture delta_spark, or give UnityCatalog a session"
            )
            raise BackendUnavailableError(msg)
        spark = self._session()
        if is_connect_session(spark):
            msg = (
                "the unity backend changes tables by transactions, which Spark Connect cannot reach; give it a"
                " classic session"
            )
            raise BackendUnavailableError(msg)
        return SessionCatalog(spark, _by_commit=BY_TRANSACTION, _redacted=self.client.scrub)

    def _require_same_server(self, spark: SparkSession, name: str) -> None:
        key = f"spark.sql.catalog.{name}.uri"
        uri = Uri(str(spark.conf.get(key, "") or ""))
        if uri.reveal().rstrip("/") != self.client.uri:
            configured = f"is {uri}" if uri else "is not set"
            msg = (
                f"the Spark session's catalog {name} is not the one at {self.client.uri} ({key} {configured});"
                f" configure spark.sql.catalog.{name} and its uri and token in the fixture delta_spark"
            )
            raise BackendUnavailableError(msg)

    def _sync(
        self, names: Sequence[QualifiedName], *, recreates: bool
    ) -> dict[QualifiedName, MetadataSync | Diagnostic | None]:
        """Synchronise catalog entries, several at once, and return the result of each."""
        syncing = MetadataSyncing(client=self.client, log=self._reader.log, timestamp=self._logs.timestamp)
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
            except MALFORMED as error:
                return is_damaged(name, error)

        return map_concurrently(sync, names, self._threads, syncing_entries)

    def _read_by_spark(self, name: QualifiedName, *, has_to: bool) -> LogFacts | None:
        """Read the log of one table through Spark.

        If it does not have to, only a session that is open already is used.
        """
        with self._lock:
            if not has_to and active_spark() is None:
                return None
            try:
                spark = self._session_catalog(name.written.catalog)
            except BackendUnavailableError:
                if has_to:
                    raise
                return None
        return spark.log(name)


def _is_stale(reading: TableReading) -> bool:
    """Whether a catalog entry that may be written differs from the log."""
    log = reading.log
    return log is not None and not log.is_catalog_managed and is_stale(reading.entry, log)
