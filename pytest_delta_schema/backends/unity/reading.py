"""Read tables of a Unity Catalog server: their records by REST, and the logs that these lead to."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.backends.pool import at_once
from pytest_delta_schema.backends.problems import is_a_view, is_damaged, is_not_delta, problem
from pytest_delta_schema.backends.unity.client import ServerError
from pytest_delta_schema.backends.unity.logs import Log
from pytest_delta_schema.backends.unity.spelling import Listing, list_schema
from pytest_delta_schema.backends.unity.storage import NO_CREDENTIALS, deltalake_options, is_remote, vended
from pytest_delta_schema.backends.unity.wire_format import columns_of, record_of, schema_of
from pytest_delta_schema.errors import BackendUnavailableError, CatalogReadError, ReadProblem, StatementError
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.state.delta_log import CLUSTERING_PROPERTY, parted, state_from_metadata
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.backends.unity.answers import TableInfo
    from pytest_delta_schema.backends.unity.client import UnityClient
    from pytest_delta_schema.backends.unity.storage import Credentials, Storage
    from pytest_delta_schema.errors import DeltaSchemaError
    from pytest_delta_schema.state.catalog_entry import EntryState, LogState
    from pytest_delta_schema.state.log_facts import LogFacts

_FEW = 3
"""Up to so many tables of a schema are asked for one by one; for more of them the listing's records are taken."""

_NOT_FOUND = 404
_DELTA = "DELTA"
_VIEWS = ("VIEW", "MATERIALIZED_VIEW")


class Seen(NamedTuple):
    """What was seen of one table.

    Args:
        found: Its state, or why there is none.
        record: What the catalog says of it, or why that makes no sense; ``None`` if it says nothing.
        log: What its record should show; ``None`` where the log cannot be read apart from the catalog.
    """

    found: TableState | ReadProblem
    record: EntryState | ReadProblem | None = None
    log: LogState | None = None


class Reading:
    """Reads tables.

    Args:
        client: The server.
        stores: What is known of the places where files lie.
        threads: How many tables are read at once.
        by_spark: Reads the log of a table through Spark; ``None`` if no session is at hand and none has to be made.
    """

    def __init__(
        self,
        client: UnityClient,
        stores: Iterable[Storage],
        threads: int,
        by_spark: Callable[..., LogFacts | None],
    ) -> None:
        self._client = client
        self._stores = tuple(stores)
        self._threads = threads
        self._by_spark = by_spark
        self._stored: dict[QualifiedName, QualifiedName] = {}

    def read(self, names: Sequence[QualifiedName]) -> dict[QualifiedName, Seen]:
        """Read tables: a page of records for a hundred tables of a schema, and a log for each.

        A few tables of a schema are asked for by themselves; the listing is then for names in another case alone.
        """
        sizes = Counter(name[:2] for name in names)
        few = [name for name in names if sizes[name[:2]] <= _FEW]
        first = at_once(lambda name: self._look(name, None), few, self._threads) if few else {}
        seen = {name: each for name, each in first.items() if each is not None and isinstance(each.found, ReadProblem)}
        listings = self._listings(name for name in names if name not in seen)

        def see(name: QualifiedName) -> Seen | None:
            return seen.get(name) or self._see(name, listings[name[:2]], first)

        every = at_once(see, names, self._threads)
        absent = [name for name, each in every.items() if each is None]
        schemas = {place: self._absence(place, listings[place]) for place in dict.fromkeys(name[:2] for name in absent)}
        return {
            name: each or Seen(_absent(_named(name, listings[name[:2]]), schemas[name[:2]]))
            for name, each in every.items()
        }

    def read_again(self, name: QualifiedName) -> Seen:
        """Read one table, without a listing if its schema was listed before."""
        stored = self._stored.get(name)
        seen = None if stored is None else self._look(stored, None)
        return self.read([name])[name] if seen is None else seen

    def find(self, names: Sequence[QualifiedName]) -> dict[QualifiedName, QualifiedName | StatementError]:
        """Return the names of tables as they are stored, or as they were given where the server shows none."""
        unknown = [name for name in names if name not in self._stored]
        listings = self._listings(unknown)
        found: dict[QualifiedName, QualifiedName | StatementError] = {
            name: self._stored.get(name, name) for name in names
        }
        for name in unknown:
            try:
                self._found(name, listings[name[:2]])
            except StatementError as error:
                found[name] = error
            else:
                found[name] = self._stored.get(name, name)
        return found

    def names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema, views aside, sorted; none if there is no such schema."""
        try:
            listing = list_schema(self._client, catalog, schema)
        except ServerError as error:
            if error.is_not_found:
                return ()
            raise
        if listing.fault is not None:
            raise listing.fault
        kept = [
            name for name, infos in listing.tables.items() if any(info["table_type"] not in _VIEWS for info in infos)
        ]
        return tuple(sorted(QualifiedName(catalog, schema, name) for name in kept))

    def open_log(self, record: EntryState) -> Log:
        """Open the log of an external table, with the credentials that the server vends for it.

        Raises:
            StatementError: If it cannot be read.
        """
        if not record.location:
            msg = "its record names no location; register it again with one"
            raise StatementError(msg, condition="NO_LOCATION")
        credentials = self._credentials(record) if is_remote(record.location) else NO_CREDENTIALS
        options = deltalake_options(record.location, self._stores, credentials)
        return Log(record.location, options, partial(_scrubbed, credentials, options))

    def managed_log(self, record: EntryState) -> LogState | None:
        """Return what the record of a managed table should show, as Spark reads its log; ``None`` without a session.

        Raises:
            BackendUnavailableError: If only a session could tell, and none is configured, or its
                catalog is not the server's.
            CatalogReadError: If Spark cannot read it.
        """
        log = self._spark_log(record)
        return None if log is None else log.shown()

    def _spark_log(self, record: EntryState) -> LogFacts | None:
        return self._by_spark(record.name, has_to=not self._client.has_delta_api(record.name.written.catalog))

    def _listings(self, names: Iterable[QualifiedName]) -> dict[tuple[str, str], Listing | StatementError]:
        """List the schemas of tables; what is missing in a list may be hidden all the same."""
        listings: dict[tuple[str, str], Listing | StatementError] = {}
        for catalog, schema in dict.fromkeys(name[:2] for name in names):
            try:
                listings[catalog, schema] = list_schema(self._client, catalog, schema)
            except StatementError as error:
                listings[catalog, schema] = error
        return listings

    def _found(self, name: QualifiedName, listing: Listing | StatementError) -> TableInfo | None:
        """Return the record of a table in a listing, and keep how its name is stored; ``None`` if it is not in it.

        Raises:
            StatementError: If several tables, or schemas, have that name without case.
        """
        if isinstance(listing, ServerError):
            # Each table is asked for by itself then, and says itself what is wrong.
            return None
        if isinstance(listing, StatementError):
            raise listing
        info = listing.find(name.table)
        if info is not None:
            self._stored[name] = listing.name(info["name"])
        return info

    def _see(
        self, name: QualifiedName, listing: Listing | StatementError, first: Mapping[QualifiedName, Seen | None]
    ) -> Seen | None:
        """Look at one table; ``None`` if the server knows none of that name.

        Args:
            name: The table.
            listing: What its schema shows.
            first: What came of tables that were asked for by their names as models have them.
        """
        try:
            info = self._found(name, listing)
        except StatementError as error:
            return Seen(unreadable(name, error))
        if name in first and (info is None or first[name] is not None):
            return first[name]
        return self._look(_named(name, listing) if info is None else self._stored[name], info)

    def _look(self, name: QualifiedName, info: TableInfo | None) -> Seen | None:
        """Look at one table under its stored name; ``None`` if there is none."""
        try:
            return self._behind(name, info or self._client.table(name))
        except CatalogReadError as error:
            return Seen(error.problems[0])
        except (BackendUnavailableError, StatementError) as error:
            if isinstance(error, ServerError) and error.is_not_found:
                return None
            return Seen(unreadable(name, error))
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            return Seen(is_damaged(name, error))

    def _behind(self, name: QualifiedName, info: TableInfo) -> Seen:
        """Look behind a record, at what it leads to."""
        record: EntryState | ReadProblem
        head = record_of(name, {**info, "columns": []})
        if head.table_type in _VIEWS:
            return Seen(is_a_view(name))
        if not head.data_format:
            fact = "the server says neither that it is a Delta table nor that it is none: its record has no format"
            return Seen(problem(name, fact, "register it again with one"))
        if head.data_format != _DELTA:
            return Seen(is_not_delta(name, head.data_format))
        try:
            record = replace(head, columns=columns_of(info))
        except ValueError as error:
            record = problem(name, str(error), "update this package, or the record")
        if head.is_managed:
            return self._managed(head, record)
        return _level(name, record, self.open_log(head).facts())

    def _managed(self, head: EntryState, record: EntryState | ReadProblem) -> Seen:
        """Look at a table to which the catalog commits: through Spark, where a session is at hand, or the Delta API.

        The API shows the record once more, so that there is no log to hold against it then.
        """
        log = self._spark_log(head)
        return Seen(self._told(head), record) if log is None else _level(head.name, record, log)

    def _told(self, record: EntryState) -> TableState:
        """Describe a table as the server's Delta API does."""
        told = self._client.delta_table(record.name)
        metadata = told["metadata"]
        configuration, protocol = parted(metadata["properties"])
        return state_from_metadata(
            record.name,
            metadata={
                "schemaString": json.dumps(schema_of(metadata["columns"])),
                "description": record.comment,
                "configuration": configuration,
                "partitionColumns": metadata.get("partition-columns") or (),
            },
            protocol=protocol,
            clustering=json.loads(metadata["properties"].get(CLUSTERING_PROPERTY) or "[]"),
            version=told.get("latest-table-version", metadata.get("last-commit-version")),
        )

    def _absence(self, place: tuple[str, str], listing: Listing | StatementError) -> bool | ServerError:
        """Say whether a schema is there, in which a table is not found, or why nobody can know."""
        catalog, schema = (listing.catalog, listing.schema) if isinstance(listing, Listing) else place
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

    def _credentials(self, record: EntryState) -> Credentials:
        try:
            credentials = vended(self._client.credentials(record.table_id))
        except ServerError as error:
            if error.status == _NOT_FOUND:
                # A server that vends nothing leaves it to what the environment has.
                return NO_CREDENTIALS
            raise
        if credentials.expires is not None and credentials.expires <= time.time() * 1000:
            msg = (
                "the credentials that the server gives for its files have expired; see the server's clock and its keys"
            )
            raise StatementError(msg, condition="EXPIRED")
        return credentials


def _named(name: QualifiedName, listing: Listing | StatementError) -> QualifiedName:
    """Return the name of a table that a listing does not show, in the schema as it is stored."""
    return listing.name(name.table) if isinstance(listing, Listing) else name


def _level(name: QualifiedName, record: EntryState | ReadProblem, log: LogFacts) -> Seen:
    state = log.state(name)
    return Seen(state, record, log.shown(state.columns))


def no_catalog(name: str) -> StatementError:
    """The server shows no catalog of a name, which says nothing of tables in it."""
    msg = f"the server shows no catalog {name}; make the catalog, which no apply does, or give the principal permission"
    return StatementError(f"{msg} to use it", condition="NO_CATALOG")


def unreadable(name: QualifiedName, error: DeltaSchemaError) -> ReadProblem:
    """Say of one table what a server or a log has answered; such errors end with what to do."""
    fact, _, remedy = str(error).rpartition("; ")
    return problem(name, fact or str(error), remedy if fact else "look into the server's log")


def _absent(name: QualifiedName, schema: bool | ServerError) -> TableState | ReadProblem:  # noqa: FBT001 - an answer
    if not isinstance(schema, ServerError):
        return TableState(name=name, exists=False, schema_exists=schema)
    if schema.is_not_found:
        return unreadable(name, no_catalog(name.catalog))
    found = unreadable(name, schema)
    fact = f"is not found, and nobody can tell whether it is there: {found.message}"
    return problem(name, fact, found.remedy)


def _scrubbed(credentials: Credentials, options: Mapping[str, str], text: str) -> str:
    """Take out of a text what was vended, and keys that come from the environment."""
    for secret in credentials.values.values():
        text = secret.scrub(text)
    for key, value in options.items():
        if key in ("aws_access_key_id", "aws_secret_access_key") and value:
            text = text.replace(value, "***")
    return text
