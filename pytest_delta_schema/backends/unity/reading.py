"""Read tables of a Unity Catalog server: their catalog entries by REST, and then their Delta logs."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.backends.concurrency import map_concurrently
from pytest_delta_schema.backends.problems import MALFORMED, is_damaged, is_doubtful, problem
from pytest_delta_schema.backends.unity.connection import ServerError
from pytest_delta_schema.backends.unity.entries import (
    VIEWS,
    columns_of_entry,
    entry_of,
    no_catalog,
    other_object,
    schema_of,
    why_no_delta_table,
)
from pytest_delta_schema.backends.unity.logs import DAMAGED_LOG, NO_LOG, Unpublished, managed_version
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.delta.protocol import CLUSTERING_PROPERTY, commits_are_in_catalog, split_properties
from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    CatalogReadError,
    DeltaSchemaError,
    Diagnostic,
    StatementError,
)
from pytest_delta_schema.diagnostics.faults import DamagedTable, UnreachableCatalog, UnreadableTable, UnsupportedTable
from pytest_delta_schema.execute.protocols import version_of
from pytest_delta_schema.models.names import QualifiedName, StoredName
from pytest_delta_schema.plan.entry_comparison import is_stale
from pytest_delta_schema.state.delta_log import LogFacts
from pytest_delta_schema.state.states import CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.backends.unity.answers import DeltaTable, TableInfo
    from pytest_delta_schema.backends.unity.connection import UnityClient
    from pytest_delta_schema.backends.unity.logs import ExternalLogs
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.execute.protocols import Version
    from pytest_delta_schema.state.entries import EntryState


_FEW = 3
"""Up to this number of tables of a schema are requested one by one; for more of them the schema is listed."""

_READS = 3
"""How often a table is read whose entry changes meanwhile."""


class TableReading(NamedTuple):
    """The result of reading one table."""

    table: TableState | Diagnostic
    """Its state, or why it cannot be read."""
    entry: EntryState | Diagnostic | None = None
    """Its catalog entry, or why that cannot be understood; ``None`` if there is none."""
    log: LogFacts | None = None
    """Its log, to compare the entry with; ``None`` if the log can only be read through the catalog."""


class TableReader:
    """Reads tables of one server."""

    def __init__(
        self,
        client: UnityClient,
        logs: ExternalLogs,
        threads: int,
        by_spark: Callable[..., LogFacts | None],
    ) -> None:
        self._client = client
        self._logs = logs
        self._threads = threads
        self._by_spark = by_spark
        self._stored: dict[QualifiedName, QualifiedName] = {}

    def read(self, names: Sequence[QualifiedName]) -> dict[QualifiedName, TableReading]:
        """Read tables: a page of entries for a hundred tables of a schema, and a log for each table."""
        sizes = Counter(name[:2] for name in names)
        few = [name for name in names if sizes[name[:2]] <= _FEW]
        first = map_concurrently(lambda name: self._read_one(name, None), few, self._threads) if few else {}
        failed = {
            name: reading
            for name, reading in first.items()
            if reading is not None and isinstance(reading.table, Diagnostic)
        }
        listings = self._listings(name for name in names if name not in failed)

        def read_one(name: QualifiedName) -> TableReading | None:
            return failed.get(name) or self._read_listed(name, listings[name[:2]], first)

        readings = map_concurrently(read_one, names, self._threads)
        absent = dict.fromkeys(name[:2] for name, reading in readings.items() if reading is None)
        schemas = {schema: self._schema_exists(schema, listings[schema]) for schema in absent}
        return {
            name: reading or TableReading(absent_table(_named(name, listings[name[:2]]), schema=schemas[name[:2]]))
            for name, reading in readings.items()
        }

    def read_again(self, name: QualifiedName) -> TableReading:
        """Read one table, without a listing if its schema was listed before."""
        stored = self._stored.get(name)
        reading = None if stored is None else self._read_one(stored, None)
        return self.read([name])[name] if reading is None else reading

    def version(self, name: QualifiedName) -> Version:
        """Return the newest version of a table from its log alone; if that fails, the whole table is read."""
        stored = self._stored.get(name)
        with suppress(DeltaSchemaError, *MALFORMED):
            if stored is not None:
                head = entry_of(stored, {**self._client.table(stored), "columns": []})
                log = self.log(head) if why_no_delta_table(head) is None else None
                if log is not None and log.version >= 0:
                    return log.version
        return version_of(CatalogState.of({name: self.read_again(name).table}), name)

    def find(self, names: Sequence[QualifiedName]) -> dict[QualifiedName, QualifiedName | StatementError]:
        """Return the stored names of tables; a table that the server does not list keeps the given name."""
        unknown = [name for name in names if name not in self._stored]
        listings = self._listings(unknown)
        stored: dict[QualifiedName, QualifiedName | StatementError] = {
            name: self._stored.get(name, name) for name in names
        }
        ambiguous: dict[tuple[str, str], StatementError | None] = {}
        for name in unknown:
            listing = listings[name[:2]]
            try:
                if self._listed_entry(name, listing) is None and name[:2] not in ambiguous:
                    ambiguous[name[:2]] = self._ambiguity(name[:2])
            except StatementError as error:
                stored[name] = error
            else:
                found = self._stored.get(name)
                stored[name] = found or ambiguous.get(name[:2]) or _named(name, listing)
        return stored

    def _ambiguity(self, given: tuple[str, str]) -> StatementError | None:
        """Return why it is not known which schema a missing table is in; ``None`` if it is known."""
        try:
            stored_schema(self._client, *given)
        except ServerError:
            pass  # whatever is requested next has the reason
        except StatementError as error:
            return error
        return None

    def names(self, catalog: str, schema: str, *, views: bool = False) -> tuple[QualifiedName, ...]:
        """Return the names of the tables, or the views, in a schema, sorted; none if the schema does not exist."""
        try:
            listing = list_schema(self._client, catalog, schema)
        except ServerError as error:
            if error.is_not_found:
                return ()
            raise
        if listing.fault is not None:
            raise listing.fault
        kept = [
            name
            for name, infos in listing.tables.items()
            if any((info["table_type"] in VIEWS) is views for info in infos)
        ]
        return tuple(sorted(QualifiedName(catalog, schema, name) for name in kept))

    def log(self, entry: EntryState) -> LogFacts | None:
        """Read the log of a table; ``None`` if its newest commits are in the catalog only, and no session is open."""
        log = self._managed_log(entry) if entry.is_managed else self._logs.facts(entry)
        return None if isinstance(log, Unpublished) else log

    def _managed_log(self, entry: EntryState) -> LogFacts | Unpublished:
        """Read the log of a managed table from its files if they are complete, else through an open Spark session."""
        log: LogFacts | None = None
        try:
            log = self._logs.facts(entry)
        except StatementError:
            if not commits_are_in_catalog(entry.properties):
                raise
        if log is not None and not log.is_catalog_managed:
            return log
        facts = self._by_spark(entry.name, has_to=not self._client.has_delta_api(entry.name.written.catalog))
        if facts is not None:
            return facts
        table = self._client.delta_table(entry.name)
        version = managed_version(table)
        return log if log is not None and version is not None and log.version >= version else Unpublished(table)

    def _listings(self, names: Iterable[QualifiedName]) -> dict[tuple[str, str], SchemaListing | StatementError]:
        """List the schemas of tables; a table that is missing in a listing may still exist."""
        listings: dict[tuple[str, str], SchemaListing | StatementError] = {}
        for catalog, schema in dict.fromkeys(name[:2] for name in names):
            try:
                listings[catalog, schema] = list_schema(self._client, catalog, schema)
            except StatementError as error:
                listings[catalog, schema] = error
        return listings

    def _listed_entry(self, name: QualifiedName, listing: SchemaListing | StatementError) -> TableInfo | None:
        """Return the entry of a table from a listing, and remember its stored name; ``None`` if it is not listed."""
        if isinstance(listing, ServerError):
            # Each table is requested by itself then, and its answer has the reason.
            return None
        if isinstance(listing, StatementError):
            raise listing
        info = listing.find(name.table)
        if info is not None:
            self._stored[name] = listing.name(info["name"])
        return info

    def _read_listed(
        self,
        name: QualifiedName,
        listing: SchemaListing | StatementError,
        first: Mapping[QualifiedName, TableReading | None],
    ) -> TableReading | None:
        """Read one table; ``None`` if the server has none of that name."""
        try:
            info = self._listed_entry(name, listing)
        except StatementError as error:
            return TableReading(unreadable(name, error))
        if name in first and (info is None or first[name] is not None):
            return first[name]
        return self._read_one(_named(name, listing) if info is None else self._stored[name], info)

    def _read_one(self, name: QualifiedName, info: TableInfo | None) -> TableReading | None:
        """Read one table by its stored name; ``None`` if it does not exist, as no table with a dot in its name does."""
        return None if "." in name.table else self._read_settled(name, info)

    def _read_settled(self, name: QualifiedName, info: TableInfo | None) -> TableReading | None:
        """Read one table until its entry, or a fault, is the same after the log was read."""
        try:
            seen = info or self._client.table(name)
            for _ in range(_READS):
                reading = self._reading(name, seen)
                if not (is_doubtful(reading.table) or is_stale(reading.entry, reading.log)):
                    return reading
                before, seen = seen, self._client.table(name)
                if seen == before:
                    return reading
        except (BackendUnavailableError, StatementError) as error:
            if isinstance(error, ServerError) and error.is_not_found:
                return None
            return TableReading(unreadable(name, error))
        except MALFORMED as error:
            return TableReading(is_damaged(name, error))
        fact = f"its catalog entry was changed during each of {_READS} reads"
        changing = problem(UnreadableTable, name, fact, "read it again when the jobs that change it have ended")
        return reading if isinstance(reading.table, Diagnostic) else reading._replace(entry=changing)

    def _reading(self, name: QualifiedName, info: TableInfo) -> TableReading:
        """Read the table of an entry; raise a ``ServerError`` if the server does not know it any more."""
        try:
            return self._read_entry(name, info)
        except CatalogReadError as error:
            return TableReading(error.diagnostics[0])
        except (BackendUnavailableError, StatementError) as error:
            if isinstance(error, ServerError) and error.is_not_found:
                raise
            return TableReading(unreadable(name, error))
        except MALFORMED as error:
            return TableReading(is_damaged(name, error))

    def _read_entry(self, name: QualifiedName, info: TableInfo) -> TableReading:
        """Read an entry, and the log that it refers to."""
        entry: EntryState | Diagnostic
        head = entry_of(name, {**info, "columns": []})
        fault = why_no_delta_table(head)
        if fault is not None:
            return TableReading(other_object(head, info) or fault)
        try:
            entry = replace(head, columns=columns_of_entry(info))
        except ValueError as error:
            entry = problem(UnsupportedTable, name, str(error), "update this package, or the entry")
        if head.is_managed:
            return self._read_managed(head, entry)
        log = self._logs.facts(head)
        return TableReading(log.state(name), entry, log)

    def _read_managed(self, head: EntryState, entry: EntryState | Diagnostic) -> TableReading:
        """Read a managed table: its log, or the Delta API if the newest commits are in the catalog only."""
        log = self._managed_log(head)
        if isinstance(log, Unpublished):
            return TableReading(_by_delta_api(head, log.table), entry)
        return TableReading(log.state(head.name), entry, log)

    def _schema_exists(self, given: tuple[str, str], listing: SchemaListing | StatementError) -> bool | StatementError:
        """Return whether the schema of a missing table exists, or why that is not known."""
        ambiguity = self._ambiguity(given)
        if ambiguity is not None:
            return ambiguity
        catalog, schema = (listing.catalog, listing.schema) if isinstance(listing, SchemaListing) else given
        try:
            self._client.schema(catalog, schema)
        except ServerError as error:
            if not error.is_not_found:
                return error
        else:
            return True
        try:
            self._client.catalog(catalog)
        except ServerError as error:
            return error
        return False


def _named(name: QualifiedName, listing: SchemaListing | StatementError) -> QualifiedName:
    """Return the name of a table that is not listed, with the stored name of its schema."""
    return listing.name(name.table) if isinstance(listing, SchemaListing) else name


def _by_delta_api(entry: EntryState, table: DeltaTable) -> TableState:
    """Return the state of a table in the server's Delta API."""
    metadata = table["metadata"]
    configuration, protocol = split_properties(metadata["properties"])
    version = managed_version(table)
    facts = LogFacts(
        metadata={
            "description": entry.comment,
            "configuration": configuration,
            "partitionColumns": metadata.get("partition-columns") or (),
        },
        protocol=protocol,
        clustering=json.loads(metadata["properties"].get(CLUSTERING_PROPERTY) or "[]"),
        version=-1 if version is None else version,
        parsed=schema_of(metadata["columns"]),
    )
    return facts.state(entry.name)


class SchemaListing(NamedTuple):
    """The tables of a schema."""

    catalog: str
    schema: str
    tables: Mapping[str, list[TableInfo]]
    """Its tables by their lower-case names; several only if names differ by case only."""
    fault: ServerError | None = None
    """Why tables may be missing, which have to be requested one by one."""

    def name(self, table: str) -> QualifiedName:
        """Return the qualified name of a table with its stored name."""
        return StoredName.of(QualifiedName(self.catalog, self.schema, table))

    def find(self, table: str) -> TableInfo | None:
        """Return the catalog entry of a table, found without regard to case; ``None`` if it is not listed."""
        entries = self.tables.get(table, [])
        only_one("tables", (str(self.name(info["name"]).written) for info in entries))
        return entries[0] if entries else None


def list_schema(client: UnityClient, catalog: str, schema: str) -> SchemaListing:
    """List the tables of a schema, which is found without regard to case."""
    try:
        return _listed(client, catalog, schema)
    except ServerError as error:
        if not error.is_not_found:
            raise
        stored = stored_schema(client, catalog, schema)
        if stored == (catalog, schema):
            raise
    try:
        return _listed(client, *stored)
    except ServerError as error:
        if not error.is_not_found:
            raise
        return SchemaListing(*stored, {})  # the catalog has another case, and no such schema


def only_one(kind: str, candidates: Iterable[str]) -> str | None:
    """Return the only one of several names that differ by case only; ``None`` if there is none."""
    names = sorted(candidates)
    if len(names) > 1:
        msg = (
            f"the server has {len(names)} {kind} whose names differ by case only, {' and '.join(names)}, and models"
            " ignore the case of names; rename or drop all but one"
        )
        raise StatementError(msg, condition="AMBIGUOUS_NAME")
    return names[0] if names else None


def _listed(client: UnityClient, catalog: str, schema: str) -> SchemaListing:
    tables: dict[str, list[TableInfo]] = {}
    fault: ServerError | None = None
    try:
        for info in client.tables(catalog, schema):
            tables.setdefault(folded(info["name"]), []).append(info)
    except ServerError as error:
        fault = error
    if fault is not None and not tables:
        raise fault
    return SchemaListing(catalog, schema, tables, fault)


def stored_schema(client: UnityClient, catalog: str, schema: str) -> tuple[str, str]:
    """Return the stored names of a catalog and a schema; names that the server does not list are returned unchanged."""
    stored = only_one("catalogs", (name for name in client.catalogs() if folded(name) == catalog))
    if stored is None:
        return catalog, schema
    inside = (name for name in client.schemas(stored) if folded(name) == schema)
    return stored, only_one("schemas", inside) or schema


def unreadable(name: QualifiedName, error: DeltaSchemaError, fault: type[HasCode] = UnreadableTable) -> Diagnostic:
    """Return the problem of a table from the error of a server or a log, whose text ends with the remedy."""
    server_fault = error.server_fault if isinstance(error, ServerError) else ""
    text = server_fault or str(error)
    fact, _, remedy = text.rpartition("; ")
    concerns_run = bool(server_fault) or isinstance(error, BackendUnavailableError)
    remedy = remedy if fact else "look into the server's log"
    if concerns_run:
        fault = UnreachableCatalog
    elif isinstance(error, StatementError) and error.condition in {DAMAGED_LOG, NO_LOG}:
        fault = DamagedTable
    return problem(fault, name, fact or text, remedy, concerns_run=concerns_run)


def absent_table(name: QualifiedName, *, schema: bool | StatementError) -> TableState | Diagnostic:
    """Return the state of a table that the server does not have, or the problem if that is not certain."""
    if isinstance(schema, bool):
        return TableState(name=name, exists=False, schema_exists=schema)
    if not isinstance(schema, ServerError):
        return unreadable(name, schema)
    if schema.is_not_found:
        return unreadable(name, no_catalog(name.catalog))
    reason = unreadable(name, schema)
    if reason.concerns_run:
        return reason
    fact = f"is not found, and it is not known whether it exists: {reason.message}"
    return problem(UnreadableTable, name, fact, reason.remedy)
