"""Read the Delta logs that catalog entries name."""

from __future__ import annotations

import errno
import json
import os
import re
import time
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from pytest_delta_schema.backends.concurrency import read_until_settled
from pytest_delta_schema.backends.logs.checks import check_log, damage_of
from pytest_delta_schema.backends.logs.files import CheckedLog, Doubt, Edges, LocalLog, local_folder
from pytest_delta_schema.backends.logs.state import newest_version
from pytest_delta_schema.backends.problems import MALFORMED, WRITE_AGAIN
from pytest_delta_schema.backends.unity.client import ServerError
from pytest_delta_schema.backends.unity.storage import (
    NO_CREDENTIALS,
    access_remedy,
    deltalake_options,
    needs_credentials,
    vended,
)
from pytest_delta_schema.delta.log_files import LogListing, commit_name
from pytest_delta_schema.delta.protocol import clustering_in, commits_are_in_catalog, may_be_clustered
from pytest_delta_schema.delta.well_formed import TOO_DEEP, MalformedLog, fault_in_protocol
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError, first_line
from pytest_delta_schema.diagnostics.redaction import HiddenValues, redacted_uri
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.log_facts import LogFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.backends.unity.answers import DeltaTable
    from pytest_delta_schema.backends.unity.client import UnityClient
    from pytest_delta_schema.backends.unity.storage import Credentials, Storage
    from pytest_delta_schema.delta.protocol import Paths
    from pytest_delta_schema.state.entries import EntryState, LogState
    from pytest_delta_schema.state.types import ColumnState


DAMAGED_LOG, NO_LOG = "DAMAGED_LOG", "NO_LOG"
"""The conditions of errors for a log that is damaged or gone."""

T = TypeVar("T")

_NOT_FOUND = 404
_NOT_CONFIGURED = "FAILED_PRECONDITION"
"""The server's code if it has no configuration for the bucket of a table (Unity Catalog 0.6.0)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalLogs:
    """Opens the logs of external tables of one server."""

    client: UnityClient
    stores: tuple[Storage, ...] = ()

    def open(self, entry: EntryState) -> Log:
        """Open the log of one table; see :meth:`read`."""
        return self.read(entry, lambda log: log)

    def read(self, entry: EntryState, read: Callable[[Log], T]) -> T:
        """Open the log of one table and read in it; after a failure, both are tried again."""
        if not entry.location:
            msg = "its catalog entry names no location; register it again with one"
            raise StatementError(msg, condition="NO_LOCATION")
        credentials = self._credentials(entry) if needs_credentials(entry.location) else NO_CREDENTIALS
        options = deltalake_options(entry.location, self.stores, credentials)
        location, hidden = entry.location, partial(_scrubbed, credentials, options)
        remedy = access_remedy(location, self.stores, credentials)
        return read_repeatedly(lambda: read(Log(location, options, hidden, remedy)))

    def _credentials(self, entry: EntryState) -> Credentials:
        try:
            credentials = vended(self.client.credentials(entry.table_id))
        except ServerError as error:
            if error.status == _NOT_FOUND or error.condition == _NOT_CONFIGURED:
                # The server vends no credentials, so those of the environment are used.
                return NO_CREDENTIALS
            raise
        if credentials.expires is not None and credentials.expires <= time.time() * 1000:
            msg = (
                "the credentials that the server gives for its files have expired; see the server's clock and its keys"
            )
            raise StatementError(msg, condition="EXPIRED")
        return credentials


def _scrubbed(credentials: Credentials, options: Mapping[str, str], text: str) -> str:
    """Redact vended credentials, and keys of the environment, in a text."""
    for secret in credentials.values.values():
        text = secret.scrub(text)
    for key, value in options.items():
        if key in ("aws_access_key_id", "aws_secret_access_key") and value:
            text = text.replace(value, "***")
    return text


class Unpublished(NamedTuple):
    """A table whose newest commits are in the catalog only."""

    table: DeltaTable


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedLogs:
    """Reads the logs of managed tables of one server.

    A managed table may have an ordinary log. If the catalog commits to it, its newest commits may be in the catalog
    only, until they are published as files of the log (source: Delta's protocol, "Catalog-managed Tables").

    ``by_spark`` reads the log of a table through Spark; it returns ``None`` if no session is open and none is needed.
    """

    client: UnityClient
    logs: ExternalLogs
    by_spark: Callable[..., LogFacts | None]

    def read(self, entry: EntryState, check: Callable[[Log], object]) -> Log | LogFacts | Unpublished:
        """Read the log of one table from its files if they are complete, else through an open Spark session.

        ``check`` reads in the log what is needed of it; if that fails, so does opening the log.
        """
        log = self._published(entry, check)
        if log is not None and not log.is_catalog_managed:
            return log
        facts = self.by_spark(entry.name, has_to=not self.client.has_delta_api(entry.name.written.catalog))
        if facts is not None:
            return facts
        table = self.client.delta_table(entry.name)
        return log if log is not None and _has_all(log, table) else Unpublished(table)

    def _published(self, entry: EntryState, check: Callable[[Log], object]) -> Log | None:
        """Open the files of a log; ``None`` if they cannot be read, and the catalog commits to it."""

        def checked(log: Log) -> Log:
            check(log)
            return log

        try:
            return self.logs.read(entry, checked)
        except StatementError:
            if commits_are_in_catalog(entry.properties):
                return None
            raise


def managed_version(table: DeltaTable) -> int | None:
    """Return the newest version of a table in the Delta API; ``None`` if the server does not show it."""
    return table.get("latest-table-version", table["metadata"].get("last-commit-version"))


def _has_all(log: Log, table: DeltaTable) -> bool:
    """Whether the files of a log reach to the newest version, so no commit is in the catalog only."""
    version = managed_version(table)
    return version is not None and log.version >= version


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """A failed read. Failures with the same message are equal."""

    message: str
    error: StatementError = field(compare=False)


def read_repeatedly(read: Callable[[], T]) -> T:
    """Return what is read; a failure counts if two tries in a row have it."""

    def tried() -> T | _Failure:
        try:
            return read()
        except StatementError as error:
            return _Failure(message=str(error), error=error)

    result = read_until_settled(tried, lambda outcome: isinstance(outcome, _Failure))[-1]
    if isinstance(result, _Failure):
        raise result.error
    return result


_LOG = "_delta_log"
_DOMAINS = "domainMetadata"
_METADATA = "metaData"
_PROTOCOL = "protocol"
_COMMIT = re.compile(r"[0-9]{20}\.json")

_STATED = frozenset({_METADATA, _PROTOCOL})


class Log:
    """The newest version of one log.

    Local files are read as the local backend reads them. Others, and logs that only their checkpoint explains, are
    opened with deltalake. It opens no table with a type or a feature that it does not know; the files of such a log are
    parsed here.
    """

    def __init__(
        self,
        location: str,
        options: Mapping[str, str],
        hidden: Any = str,
        remedy: str = "restore it, or the permission to read it",
    ) -> None:
        try:
            from deltalake import DeltaTable
            from deltalake.exceptions import DeltaError, TableNotFoundError
        except ImportError as error:
            msg = "the unity backend needs deltalake, which is not installed; pip install 'pytest-delta-schema[unity]'"
            raise BackendUnavailableError(msg) from error
        self._location = location
        self._options = HiddenValues(options)
        self._hidden = hidden
        self._remedy = remedy
        self._folder = LogFolder(location, self._options)
        self._local: LogFacts | None = None
        folder = local_folder(location)
        self._files: LogFiles = self._folder if folder is None else LocalLog(folder)
        if folder is not None and self._read_local(folder):
            return
        reason = ""
        try:
            table = DeltaTable(location, storage_options=self._options or None)
            self._metadata: Mapping[str, Any] = _metadata(table)
            self._protocol: Mapping[str, Any] = _protocol(table.protocol())
            self.version = table.version()
            reason = fault_in_protocol(self._protocol)
        except TableNotFoundError as error:
            folder_uri = redacted_uri(location)
            msg = f"there is no Delta log at {folder_uri}; restore the files, or drop the table from the catalog"
            raise StatementError(msg, condition=NO_LOG) from error
        except BaseException as error:
            if not isinstance(error, (DeltaError, OSError, *MALFORMED)) and not is_panic(error):
                raise
            reason = hidden(first_line(error))
        # Not chained: messages of deltalake may repeat the options.
        damage = damage_of(self._files)
        if damage is not None and (damage.is_seen or not reason):
            msg = f"{hidden(damage.message)}; {damage.remedy}"
            raise StatementError(msg, condition=DAMAGED_LOG)
        if reason and not self._read_files():
            self._refuse(reason, remedy)
        if self._folder.misnamed:
            self._refuse(*Doubt.of_name(self._folder.misnamed[0]))

    def _refuse(self, fact: str, remedy: str) -> NoReturn:
        msg = f"its Delta log at {redacted_uri(self._location)} cannot be read ({fact}); {remedy}"
        raise StatementError(msg, condition="UNREADABLE_LOG")

    def _read_local(self, folder: str) -> bool:
        """Read the newest version from the commits and the checksum in a local folder; return whether they suffice."""
        try:
            checked = check_log(LocalLog(folder))
            if isinstance(checked, Doubt):
                self._refuse(*checked)
            if not isinstance(checked, CheckedLog):
                return False
            facts = newest_version(checked)
            facts = None if facts is None else self._well_formed(facts, checked)
        except (OSError, *MALFORMED):
            return False
        if facts is None or facts.version is None:
            return False
        self._local, self._metadata, self._protocol = facts, facts.metadata, facts.protocol
        self.version = facts.version
        return True

    def _well_formed(self, facts: LogFacts, checked: CheckedLog) -> LogFacts | None:
        """Return well-formed facts; ``None`` if only a checksum is malformed, which is ignored."""
        try:
            return facts.well_formed()
        except MalformedLog as error:
            name = _stating(checked)
            if name is None:
                return None
            is_too_deep = str(error) == TOO_DEEP
            reason = "is more than this package reads" if is_too_deep else "Delta's protocol does not allow"
            self._refuse(f"{name} holds {error}, which {reason}", WRITE_AGAIN)

    def _read_files(self) -> bool:
        """Read the newest version from the files; return whether that is possible."""
        try:
            self.version, metadata, protocol = self._folder.newest()
            facts = LogFacts(metadata, protocol).well_formed()
        except FileNotFoundError as error:
            self._refuse(self._hidden(first_line(error)), "read it again when the jobs that change it have ended")
        except (OSError, *MALFORMED):
            return False
        self._metadata, self._protocol = facts.metadata, facts.protocol
        return True

    def facts(self) -> LogFacts:
        """Return the facts of the log."""
        return self._local or replace(self._unclustered, clustering=self._clustering)

    def shown(self) -> LogState:
        """Return the metadata that a catalog entry should have; it needs no clustering columns."""
        return self._unclustered.shown()

    @property
    def is_catalog_managed(self) -> bool:
        """Whether the catalog commits to the log, so its files may lack the newest commits."""
        return self._unclustered.is_catalog_managed

    @property
    def _unclustered(self) -> LogFacts:
        return self._local or LogFacts(self._metadata, self._protocol, version=self.version)

    def timestamp(self) -> int:
        """Return when the newest version was committed, in milliseconds since 1970; 0 if the log does not say so."""
        return read_repeatedly(self._timestamp)

    def _timestamp(self) -> int:
        try:
            return committed_at(self._files, self.version)
        except (OSError, *MALFORMED) as error:
            self._refuse(f"the time of version {self.version}: {type(error).__name__}", "restore it from a backup")

    def schemas(self) -> list[tuple[ColumnState, ...]]:
        """Return the columns of all versions that the commits and checkpoints of the log still hold."""
        try:
            return [columns_of_schema(json.loads(metadata["schemaString"])) for metadata in self._folder.metadata()]
        except (OSError, *MALFORMED) as error:
            folder_uri = redacted_uri(self._location)
            msg = f"older commits of its Delta log at {folder_uri} cannot be read ({type(error).__name__})"
            raise StatementError(msg, condition="UNREADABLE_LOG") from None

    @cached_property
    def _clustering(self) -> Paths:
        """Return the physical names of clustering columns from the log, because deltalake does not return domains."""
        if not may_be_clustered(self._protocol):
            return ()
        try:
            result = (self._folder.clustering(version) for version in range(self.version, -1, -1))
            clustering = next((paths for paths in result if paths is not None), ())
        except FileNotFoundError:
            fact = f"commits up to version {self.version} are gone since it was opened"
            self._refuse(fact, "read it again when the jobs that change it have ended")
        except (OSError, *MALFORMED) as error:
            fact = f"the clustering columns of version {self.version}: {type(error).__name__}"
            self._refuse(fact, self._remedy)
        # They are in other files than the metadata, which may be those of another table by now.
        again = Log(self._location, self._options, self._hidden)
        if again._metadata.get("id") != self._metadata.get("id"):
            self._refuse("the table was replaced while it was read", "read it again when that has ended")
        return clustering


def _stating(checked: CheckedLog) -> str | None:
    """Return the name of the newest commit that holds the metadata or the protocol; ``None`` if there is none."""
    commits = reversed(tuple(checked.commits.items()))
    return next((name for name, actions in commits if any(map(_STATED.intersection, actions))), None)


def _metadata(table: Any) -> dict[str, Any]:
    metadata = table.metadata()
    return {
        "id": str(metadata.id),
        "schemaString": table.schema().to_json(),
        "description": metadata.description or "",
        "configuration": dict(metadata.configuration),
        "partitionColumns": list(metadata.partition_columns),
    }


def _protocol(protocol: Any) -> dict[str, Any]:
    return {
        "minReaderVersion": protocol.min_reader_version,
        "minWriterVersion": protocol.min_writer_version,
        **({"readerFeatures": sorted(protocol.reader_features)} if protocol.reader_features is not None else {}),
        **({"writerFeatures": sorted(protocol.writer_features)} if protocol.writer_features is not None else {}),
    }


class NewestActions(NamedTuple):
    """The newest version of a log, as its files hold it."""

    version: int
    metadata: Mapping[str, Any]
    protocol: Mapping[str, Any]


class LogFolder:
    """Reads single files of a log through the same store as deltalake; see :class:`LogFiles`."""

    def __init__(self, location: str, options: Mapping[str, str]) -> None:
        self.path = f"{redacted_uri(location).rstrip('/')}/{_LOG}"
        self._location = location
        self._options = HiddenValues(options)
        self._listed: set[str] | None = None

    @property
    def misnamed(self) -> tuple[str, ...]:
        """The files whose number does not have 20 digits, which Spark may read as commits and deltalake ignores."""
        try:
            return LogListing.of(self._names).misnamed
        except OSError:  # it was dropped meanwhile; what was read before counts
            return ()

    def clustering(self, version: int) -> Paths | None:
        """Return the clustering columns in the files of one version; ``None`` if they do not hold any.

        A checksum and a checkpoint hold all domains, a commit those that it changes (source: Delta's protocol).
        """
        stem = f"{version:020d}"
        checkpoints = [name for name in self._names if name.startswith(f"{stem}.checkpoint")]
        if f"{stem}.json" in self._names or not checkpoints:
            # A listing may lack a commit that came while it was made.
            paths = clustering_in(self._in_lines(f"{stem}.json"))
            if paths is not None:
                return paths
            domains = self._in_checksum(f"{stem}.crc")
            if domains is not None:
                return clustering_in(domains) or ()
        if not checkpoints:
            return None
        return clustering_in(domain for name in checkpoints for domain in self._in_checkpoint(name)) or ()

    def metadata(self) -> list[Mapping[str, Any]]:
        """Return the ``metaData`` actions of all commits and checkpoints in the log."""
        commits = sorted(name for name in self._names if _COMMIT.fullmatch(name))
        checkpoints = sorted(name for name in self._names if ".checkpoint" in name)
        return [
            *(action for name in commits for action in self._in_lines(name, _METADATA)),
            *(action for name in checkpoints for action in self._in_checkpoint(name, _METADATA)),
        ]

    def newest(self) -> NewestActions:
        """Return the newest version, read as Delta's protocol says, whatever types and features it has."""
        listing = LogListing.of(self._names)
        if listing.newest < 0:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path)
        commits = (commit_name(version) for version in sorted(listing.commits) if version > listing.checkpoint)
        known: dict[str, Mapping[str, Any]] = {}
        for name in (*listing.checkpoints.get(listing.checkpoint, ()), *commits):
            read = self._in_checkpoint if ".checkpoint" in name else self._in_lines
            known.update({kind: action for kind in (_METADATA, _PROTOCOL) for action in read(name, kind)})
        metadata = known[_METADATA]
        # In parquet, properties are pairs.
        configuration = {
            key: value if isinstance(value, str) else json.dumps(value)
            for key, value in dict(metadata.get("configuration") or ()).items()
            if value is not None
        }
        form = metadata.get("format") or {}
        form = {**form, "options": dict(form.get("options") or ())}
        protocol = {key: value for key, value in known[_PROTOCOL].items() if value is not None}
        return NewestActions(listing.newest, {**metadata, "format": form, "configuration": configuration}, protocol)

    @property
    def _names(self) -> set[str]:
        """The names that were listed last."""
        return self.names() if self._listed is None else self._listed

    @cached_property
    def _store(self) -> Any:
        return file_system(self._location, self._options)

    def _in_checksum(self, name: str) -> list[Mapping[str, Any]] | None:
        """Return the domains in a checksum; ``None`` if there is no checksum, or it cannot be parsed."""
        try:
            checksum = json.loads(self.read(name)) if name in self._names else {}
            domains: list[Mapping[str, Any]] | None = checksum.get(_DOMAINS)
        except MALFORMED:
            return None
        return domains

    def names(self) -> set[str]:
        """Return the names of the files in the log."""
        from pyarrow.fs import FileSelector

        self._listed = {info.base_name for info in self._store.get_file_info(FileSelector(_LOG))}
        return self._listed

    def edges(self, name: str) -> Edges:
        """Return the first and last bytes of a file."""
        with self._store.open_input_file(f"{_LOG}/{name}") as file:
            size = file.size()
            head = file.read(4)
            file.seek(max(size - 8, 0))
            return Edges(size, head, file.read())

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with self._store.open_input_file(f"{_LOG}/{name}") as file:
            content: bytes = file.read()
        return content

    def _in_lines(self, name: str, kind: str = _DOMAINS) -> list[Mapping[str, Any]]:
        return _actions(self.read(name), kind)

    def _in_checkpoint(self, name: str, kind: str = _DOMAINS) -> list[Mapping[str, Any]]:
        if name.endswith(".json"):
            return self._in_lines(name, kind)
        from pyarrow.parquet import ParquetFile

        with self._store.open_input_file(f"{_LOG}/{name}") as file:
            parquet = ParquetFile(file)
            if kind not in parquet.schema_arrow.names:
                return []
            actions = parquet.read(columns=[kind]).column(0).to_pylist()
            return [action for action in actions if action is not None]


def committed_at(log: LogFiles, version: int) -> int:
    """Return when a version was committed, in milliseconds since 1970; 0 if the log does not say so."""
    name = commit_name(version)
    infos = _actions(log.read(name), "commitInfo") if name in log.names() else ()
    return max((int(info.get("timestamp", 0)) for info in infos), default=0)


def _actions(content: bytes, kind: str) -> list[Mapping[str, Any]]:
    actions = [json.loads(line) for line in content.splitlines() if line.strip()]
    return [action[kind] for action in actions if kind in action]


VERSIONS = {"deltalake": ">=1.6,<1.7"}
"""The versions with which these names were tested."""


def is_panic(error: BaseException) -> bool:
    """Whether an error is a panic of deltalake's Rust code: no ``Exception``, of a class that cannot be imported."""
    return type(error).__name__ == "PanicException"


def file_system(location: str, options: Mapping[str, str]) -> Any:
    """Return the pyarrow file system through which deltalake opens a table."""
    from deltalake.exceptions import TableNotFoundError
    from deltalake.fs import DeltaStorageHandler
    from pyarrow.fs import PyFileSystem

    try:
        return PyFileSystem(DeltaStorageHandler(location, dict(options) or None))
    except TableNotFoundError as error:
        raise FileNotFoundError(str(error)) from error
