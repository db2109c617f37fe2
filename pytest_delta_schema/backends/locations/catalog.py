"""The catalog of folders: which folder holds a table, what its log says, and why it cannot be read."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, NoReturn
from urllib.parse import unquote

from pytest_delta_schema.backends.concurrency import map_concurrently, read_all_until_settled
from pytest_delta_schema.backends.locations.folders import Folder, UnreadFolder
from pytest_delta_schema.backends.logs.files import LOG, LogFault, LostLog, UnreadLog, cause_of
from pytest_delta_schema.backends.logs.log import DeltaLog, reading_log
from pytest_delta_schema.backends.logs.stored import Store
from pytest_delta_schema.backends.problems import MALFORMED, has_lost_its_log, is_damaged, is_not_delta, problem
from pytest_delta_schema.backends.storage import (
    access_remedy,
    deltalake_options,
    missing_credentials,
    needs_credentials,
    store_of,
    without_keys,
)
from pytest_delta_schema.configuration.locations import parse_locations
from pytest_delta_schema.configuration.section import SettingError
from pytest_delta_schema.delta.names import folded, path_text
from pytest_delta_schema.diagnostics.errors import CatalogReadError, DeclarationError, StatementError
from pytest_delta_schema.diagnostics.faults import NotDeltaTable
from pytest_delta_schema.diagnostics.text import counted
from pytest_delta_schema.execute.protocols import Capabilities, Refusal, version_of
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.names import QualifiedName, required_table_names
from pytest_delta_schema.models.sets import snapshot_names
from pytest_delta_schema.progress import step
from pytest_delta_schema.settings.table import SECTION
from pytest_delta_schema.state.states import CatalogState, TableState
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.backends.logs.stored import Entries
    from pytest_delta_schema.backends.storage import Storage
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.execute.protocols import DataCheckRunner, Version
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import IntroducedBy


_ONLY_READS = Refusal(
    "it only reads the folders of tables",
    "run the statements in a session that knows these folders by these names, such as that of the session backend",
)

CAPABILITIES = Capabilities(
    only_reads=_ONLY_READS,
    refuses_clones=_ONLY_READS._replace(remedy="create the table with make_delta_table, and insert its rows"),
)


_FORBIDDEN = "403 Forbidden"
"""What a store answers to a principal that may list other folders only."""


class _Listing(NamedTuple):
    """The folder of a schema, and those in it by the names of tables that they can have."""

    folder: Folder
    names: Mapping[str, tuple[str, ...]]


_Schema = tuple[str, str]


class LocationsCatalog:
    """Delta tables in folders of stores and of this machine, without a catalog; they are only read.

    Nothing is read until tables are asked for. The folder of a schema is listed once for all of its tables.

    Args:
        locations: Folders by names in any case: of a schema, ``{"dev.silver": "s3://lake/silver"}``, which holds one
            folder a table; or of one table, ``{"dev.silver.orders": "/mnt/orders"}``. The longest name is used.
            Relative paths begin in the current folder.
        stores: The S3-compatible stores that hold some of the folders.
        storage_options: The options ``timeout``, ``connect_timeout``, ``max_retries`` and ``retry_timeout`` of
            deltalake's stores; times have a unit, as in ``30s``.
        read_threads: How many tables are read at the same time, at least 1.

    Raises:
        DeclarationError: With what is wrong with each location.
    """

    name = "locations"
    capabilities = CAPABILITIES

    def __init__(
        self,
        locations: Mapping[str, str],
        *,
        stores: Iterable[Storage] = (),
        storage_options: Mapping[str, str] = MappingProxyType({}),
        read_threads: int = 16,
    ) -> None:
        if not hasattr(locations, "items"):
            refuse_kind("LocationsCatalog", "a mapping", locations, 'write {"dev.silver": "s3://bucket/folder"}')
        try:
            parsed = parse_locations(locations.items(), Path.cwd())
        except SettingError as error:
            raise DeclarationError(str(error)) from None
        self._locations: dict[Sequence[str], str] = dict(parsed)
        self._stores = tuple(stores)
        self._limits = dict(storage_options)
        self._threads = read_threads
        self._opened: dict[tuple[str, Storage | None], Store] = {}
        self._lock = Lock()

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables of models and of their foreign keys."""
        return self._states(snapshot_names(models))

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Read only the named tables."""
        return self._states(required_table_names(names, "read_tables"))

    def version(self, table: QualifiedName) -> Version:
        """Return the newest version of a table, ``ABSENT`` if it does not exist, or why it cannot be read."""
        return version_of(self.read_tables([table]), table)

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:
        """Find the commits that added columns, on this machine; in a store it would take a request for each commit."""
        from pytest_delta_schema.backends.logs.history import history_of, introductions

        folder = self._existing(table)
        try:
            history = history_of(folder.log()) if folder.store is None else None
        except (OSError, *MALFORMED):
            return ()
        return () if history is None else tuple(introductions(history, paths))

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        """Find columns in the older versions of a table that its log still holds."""
        with reading_log(table, self._existing(table).log()) as log:
            schemas = log.schemas()
        return frozenset(path for path in paths if any(find(columns, path) is not None for columns in schemas))

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the folders of a schema that have a Delta log, and of its tables with a location.

        Raises:
            StatementError: If its folder, or one in it, cannot be listed.
        """
        return self._names((catalog, schema), Folder.is_table)

    def parquet_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the folders of a schema that hold parquet files, and are not Delta tables."""
        return self._names((catalog, schema), Folder.holds_parquet)

    def why_empty(self, catalog: str, schema: str) -> str:
        """Return why a schema, in which no table was found, is empty."""
        listing = self._listing((catalog, schema))
        if isinstance(listing, UnreadFolder):
            return str(listing)
        number = counted(len(listing.names), "folder")
        remedy = f"give the folder whose folders are tables in [{SECTION}.locations]"
        return f"{listing.folder.shown} has {number}, and none has a Delta log; {remedy}"

    def run(self, statement: Statement) -> NoReturn:  # noqa: ARG002 - the protocol's signature
        """Refuse a statement: the folders are only read."""
        self._refuse("cannot change a table")

    def data_checks(self, table: QualifiedName) -> DataCheckRunner:  # noqa: ARG002 - as above
        """Refuse to query rows: only logs are read."""
        self._refuse("cannot query rows")

    def _refuse(self, fact: str) -> NoReturn:
        msg = f"the {self.name} backend {fact}: {_ONLY_READS.reason}; {_ONLY_READS.remedy}"
        raise StatementError(msg)

    # From names to folders.

    def _folder(self, location: str) -> Folder:
        """Return the folder of a location; those of one bucket share a connection."""
        if not needs_credentials(location):
            return Folder(location)
        scheme, _, rest = location.partition("://")
        bucket, _, path = rest.partition("/")
        root = f"{scheme}://{bucket}"
        try:
            options = deltalake_options(location, self._stores, limits=self._limits)
        except StatementError as error:
            fact, _, remedy = str(error).rpartition("; ")
            raise UnreadFolder(fact, remedy) from None
        with self._lock:
            store = self._opened.setdefault((root, store_of(location, self._stores)), Store(root, options))
        return Folder(path, store)

    def _entries(self, folder: Folder) -> Entries:
        try:
            return folder.entries()
        except FileNotFoundError:
            fact = f"its location {folder.shown} does not exist"
            raise UnreadFolder(fact, f"create it, mount it, or correct it in [{SECTION}.locations]") from None
        except OSError as error:
            raise self._unlisted(folder, error) from None

    def _unlisted(self, folder: Folder, error: OSError) -> UnreadFolder:
        """Return why a folder cannot be listed; no other one can if all are in its bucket, unless it is forbidden."""
        cause, others = cause_of(error), {*self._locations.values()} - {folder.uri}
        bucket = "" if folder.store is None else f"{folder.store.location}/"
        is_all = all(bucket and f"{other}/".startswith(bucket) and _FORBIDDEN not in cause for other in others)
        return self._unread(folder, f"its location {folder.shown} cannot be listed ({cause})", concerns_run=is_all)

    def _unread(self, folder: Folder, fact: str, *, concerns_run: bool = False) -> UnreadFolder:
        """Return why a folder cannot be read, without keys, and what to do: set the keys that are missing, or check."""
        remedy = missing_credentials(folder.uri, self._stores) or access_remedy(folder.uri, self._stores)
        return UnreadFolder(without_keys(fact, self._stores), remedy, concerns_run=concerns_run)

    def _listing(self, schema: _Schema) -> _Listing | UnreadFolder:
        """Return the folders of a schema, or why they cannot be listed."""
        if schema not in self._locations:
            fact = f"the schema {path_text(schema)} has no location"
            return UnreadFolder(fact, f"set {_setting(schema, 's3://bucket/folder')}")
        try:
            folder = self._folder(self._locations[schema])
            with step(f"listing {folder.shown}"):
                entries = self._entries(folder)
        except UnreadFolder as unread:
            return unread
        if LOG in entries.folders:
            fact = f"the location of its schema, {folder.shown}, is the folder of one table"
            remedy = f"give the folder above it, or name the table: {_setting((*schema, 'NAME'), folder.shown)}"
            return UnreadFolder(fact, remedy)
        names: dict[str, tuple[str, ...]] = {}
        for name in sorted(entries.folders):
            if not name.startswith(("_", ".")):
                table = folded(unquote(name))
                names[table] = (*names.get(table, ()), name)
        return _Listing(folder, names)

    def _find(self, name: QualifiedName, listing: _Listing | UnreadFolder | None) -> Folder | None:
        """Return the folder of a table: that of its location, or that of its name in the folder of its schema."""
        if listing is None:
            return self._folder(self._locations[name])
        if isinstance(listing, UnreadFolder):
            raise listing
        folder, found = listing.folder, listing.names.get(name.table, ())
        if len(found) > 1:
            found = tuple(one for one in found if self._holds(Folder.is_table, folder.child(one))) or found[:1]
        if len(found) > 1:
            fact = f"it could be in {' or '.join(found)} of {folder.shown}, whose names match"
            raise UnreadFolder(fact, f"say in which: {_setting(name, folder.child(found[0]).shown)}")
        return folder.child(found[0]) if found else None

    def _existing(self, name: QualifiedName) -> Folder:
        """Return the folder of a table that exists."""
        try:
            folder = self._find(name, None if name in self._locations else self._listing(name[:2]))
        except UnreadFolder as unread:
            raise CatalogReadError([unread.of(name)]) from None
        if folder is None:
            raise CatalogReadError([UnreadFolder("it does not exist", "create it").of(name)])
        return folder

    # From folders to states.

    def _states(self, names: Sequence[QualifiedName]) -> CatalogState:
        results: dict[QualifiedName, TableState | Diagnostic] = {}

        def read(wanted: Sequence[QualifiedName]) -> None:
            schemas = dict.fromkeys(name[:2] for name in wanted if name not in self._locations)
            listings = {schema: self._listing(schema) for schema in schemas}
            results.update(map_concurrently(partial(self._state, listings), wanted, self._threads))

        read_all_until_settled(names, read, results)
        # A listing is not of one moment: what it has not shown is looked for once more.
        absent = [name for name, state in results.items() if isinstance(state, TableState) and not state.exists]
        if absent:
            read(absent)
        return CatalogState.of(results)

    def _state(
        self, listings: Mapping[_Schema, _Listing | UnreadFolder], name: QualifiedName
    ) -> TableState | Diagnostic:
        listing = None if name in self._locations else listings[name[:2]]
        try:
            folder = self._find(name, listing)
            if folder is None:
                has_folders = isinstance(listing, _Listing) and bool(listing.names)
                return TableState(name=name, exists=False, schema_exists=has_folders)
            return self._state_in(folder, name)
        except UnreadFolder as unread:
            return unread.of(name)

    def _state_in(self, folder: Folder, name: QualifiedName) -> TableState | Diagnostic:
        try:
            return DeltaLog(folder.log()).facts().state(name)
        except LostLog:
            return self._without_log(folder, name)
        except UnreadLog as fault:
            raise self._unread(folder, fault.message) from None
        except LogFault as fault:
            return fault.of(name)
        except MALFORMED as error:
            return is_damaged(name, error)

    def _without_log(self, folder: Folder, name: QualifiedName) -> TableState | Diagnostic:
        """Return what a folder without a log is: no table, if nothing is in it."""
        entries = self._entries(folder)
        if LOG in entries.folders:
            return has_lost_its_log(name, folder.shown, LOG)
        if not entries.folders and not entries.files:
            return TableState(name=name, exists=False, schema_exists=True)
        if self._holds(Folder.holds_parquet, folder):
            return is_not_delta(name, "parquet")
        fact = f"its folder {folder.shown} holds files but no Delta log"
        return problem(
            NotDeltaTable, name, fact, f"set the folder of the table: {_setting(name, 's3://bucket/folder')}"
        )

    def _names(self, schema: _Schema, kind: Callable[[Folder], bool]) -> tuple[QualifiedName, ...]:
        """Return the names of a schema's folders of one kind, without those that have a name by their own location."""
        own = [name for name in self._locations if name[:2] == schema != name]
        try:
            folders = {QualifiedName(*name): [self._folder(self._locations[name])] for name in own}
            for table, found in self._listed(schema).items():
                children = [folder for folder in found if not self._is_named(folder, schema)]
                if children:
                    folders.setdefault(QualifiedName(*schema, table), children)
            are_of_kind = map_concurrently(
                lambda name: any(map(partial(self._holds, kind), folders[name])), sorted(folders), self._threads
            )
        except UnreadFolder as unread:
            raise StatementError(str(unread)) from None
        return tuple(name for name, is_one in are_of_kind.items() if is_one)

    def _listed(self, schema: _Schema) -> dict[str, list[Folder]]:
        """Return the folders in that of a schema, by the names of tables; none if it has no location."""
        if schema not in self._locations:
            return {}
        listing = self._listing(schema)
        if isinstance(listing, UnreadFolder):
            raise listing
        return {table: [*map(listing.folder.child, names)] for table, names in listing.names.items()}

    def _holds(self, kind: Callable[[Folder], bool], folder: Folder) -> bool:
        """Whether a folder is of a kind; one that is gone meanwhile is of none."""
        try:
            return kind(folder)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._unlisted(folder, error) from None

    def _is_named(self, folder: Folder, schema: _Schema) -> bool:
        """Whether a folder of a schema is, or holds, the location of a different schema or table."""
        return any(
            f"{location}/".startswith(f"{folder.uri}/")
            for name, location in self._locations.items()
            if name[:2] == schema or len(name) == len(schema)
        )


def _setting(name: Sequence[str], folder: str) -> str:
    """Return the line of the settings that gives a name its folder."""
    return f'"{path_text(name)}" = "{folder}" in [{SECTION}.locations]'
