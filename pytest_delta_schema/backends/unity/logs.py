"""Read the Delta logs that catalog entries name."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from pytest_delta_schema.backends.concurrency import read_until_settled
from pytest_delta_schema.backends.logs.checks import check_log
from pytest_delta_schema.backends.logs.files import CheckedLog, Damage, Doubt, Edges, LocalLog, local_folder
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
from pytest_delta_schema.delta.protocol import clustering_in, may_be_clustered
from pytest_delta_schema.delta.well_formed import TOO_DEEP, MalformedLog
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError, first_line
from pytest_delta_schema.diagnostics.redaction import HiddenValues, redacted_uri
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.log_facts import LogFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.backends.logs.files import LocalFiles
    from pytest_delta_schema.backends.unity.answers import DeltaTable
    from pytest_delta_schema.backends.unity.client import UnityClient
    from pytest_delta_schema.backends.unity.storage import Credentials, Storage
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


def managed_version(table: DeltaTable) -> int | None:
    """Return the newest version of a table in the Delta API; ``None`` if the server does not show it."""
    return table.get("latest-table-version", table["metadata"].get("last-commit-version"))


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
_DOMAINS, _METADATA, _PROTOCOL = "domainMetadata", "metaData", "protocol"
_COMMIT = re.compile(r"[0-9]{20}\.json")


class Log:
    """The newest version of one log, from its commits and checksum, or from its checkpoint."""

    def __init__(
        self,
        location: str,
        options: Mapping[str, str],
        hidden: Callable[[str], str] = str,
        remedy: str = "restore it, or the permission to read it",
    ) -> None:
        if find_spec("deltalake") is None:
            msg = "the unity backend needs deltalake, which is not installed; pip install 'pytest-delta-schema[unity]'"
            raise BackendUnavailableError(msg)
        self._location = location
        self._hidden = hidden
        self._remedy = remedy
        self._folder = LogFolder(location, options)
        folder = local_folder(location)
        self._files: LocalFiles = self._folder if folder is None else LocalLog(folder)
        self._facts = self._read()
        self.version = self._facts.version or 0

    def _refuse(self, fact: str, remedy: str) -> NoReturn:
        msg = f"its Delta log at {redacted_uri(self._location)} cannot be read ({fact}); {remedy}"
        raise StatementError(msg, condition="UNREADABLE_LOG")

    def _read(self) -> LogFacts:
        try:
            checked = check_log(self._files)
        except FileNotFoundError as error:
            raise self._no_log() from error
        except (OSError, *MALFORMED) as error:
            self._refuse(self._hidden(first_line(error)), self._remedy)
        if isinstance(checked, Damage):
            if not checked.is_seen:
                self._refuse(self._hidden(checked.fact), self._remedy)
            msg = f"{self._hidden(checked.message)}; {checked.remedy}"
            raise StatementError(msg, condition=DAMAGED_LOG)
        if isinstance(checked, Doubt):
            self._refuse(*checked)
        if checked is not None and checked.listing.newest < 0:
            raise self._no_log()
        return (None if checked is None else self._from_commits(checked)) or self._from_checkpoint()

    def _no_log(self) -> StatementError:
        msg = f"there is no Delta log at {redacted_uri(self._location)}; restore the files, or drop the table from the"
        return StatementError(f"{msg} catalog", condition=NO_LOG)

    def _from_commits(self, checked: CheckedLog) -> LogFacts | None:
        """Return the newest version; ``None`` if commits do not tell, or its checksum is malformed."""
        try:
            facts = newest_version(checked)
            return None if facts is None else facts.well_formed()
        except MalformedLog as error:
            name = _stating(checked)
            if name is None:
                return None
            is_too_deep = str(error) == TOO_DEEP
            reason = "is more than this package reads" if is_too_deep else "Delta's protocol does not allow"
            self._refuse(f"{name} holds {error}, which {reason}", WRITE_AGAIN)
        except MALFORMED:
            return None

    def _from_checkpoint(self) -> LogFacts:
        try:
            return self._folder.newest().well_formed()
        except FileNotFoundError as error:
            self._refuse(self._hidden(first_line(error)), "read it again when the jobs that change it have ended")
        except (OSError, *MALFORMED) as error:
            self._refuse(self._hidden(first_line(error)), self._remedy)

    def facts(self) -> LogFacts:
        """Return the facts of the log."""
        return self._facts

    def shown(self) -> LogState:
        """Return the metadata that a catalog entry should have."""
        return self._facts.shown()

    @property
    def is_catalog_managed(self) -> bool:
        """Whether the catalog commits to the log, so its files may lack the newest commits."""
        return self._facts.is_catalog_managed

    def timestamp(self) -> int:
        """Return when the newest version was committed, in milliseconds since 1970; 0 if the log does not say so."""
        return read_repeatedly(self._timestamp)

    def _timestamp(self) -> int:
        name = commit_name(self.version)
        try:
            infos = _actions(self._files.read(name), "commitInfo") if name in self._files.names() else ()
            return max((int(info.get("timestamp", 0)) for info in infos), default=0)
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


def _stating(checked: CheckedLog) -> str | None:
    """Return the name of the newest commit that holds the metadata or the protocol; ``None`` if there is none."""
    commits = reversed(tuple(checked.commits.items()))
    return next((name for name, actions in commits if any(map({_METADATA, _PROTOCOL}.intersection, actions))), None)


class LogFolder:
    """Reads single files of a log through the same store as deltalake; see :class:`LogFiles`."""

    def __init__(self, location: str, options: Mapping[str, str]) -> None:
        self.path = f"{redacted_uri(location).rstrip('/')}/{_LOG}"
        self._location = location
        self._options = HiddenValues(options)
        self._listed: set[str] | None = None

    def metadata(self) -> list[Mapping[str, Any]]:
        """Return the ``metaData`` actions of all commits and checkpoints in the log."""
        commits = sorted(name for name in self._names if _COMMIT.fullmatch(name))
        checkpoints = sorted(name for name in self._names if ".checkpoint" in name)
        return [
            *(action for name in commits for action in self._in_lines(name, _METADATA)),
            *(action for name in checkpoints for action in self._in_checkpoint(name, _METADATA)),
        ]

    def newest(self) -> LogFacts:
        """Return the newest version, read as Delta's protocol says, whatever types and features it has."""
        listing = LogListing.of(self._names)
        commits = (commit_name(version) for version in sorted(listing.commits) if version > listing.checkpoint)
        known: dict[str, list[Mapping[str, Any]]] = {_METADATA: [], _PROTOCOL: [], _DOMAINS: []}
        for name in (*listing.checkpoints.get(listing.checkpoint, ()), *commits):
            read = self._in_checkpoint if ".checkpoint" in name else self._in_lines
            for kind in known:
                known[kind] += read(name, kind)
        metadata = known[_METADATA][-1]
        # In parquet, properties are pairs.
        configuration = {
            key: value if isinstance(value, str) else json.dumps(value)
            for key, value in dict(metadata.get("configuration") or ()).items()
            if value is not None
        }
        form = metadata.get("format") or {}
        form = {**form, "options": dict(form.get("options") or ())}
        protocol = {key: value for key, value in known[_PROTOCOL][-1].items() if value is not None}
        clustering = clustering_in(known[_DOMAINS]) if may_be_clustered(protocol) else None
        metadata = {**metadata, "format": form, "configuration": configuration}
        return LogFacts(metadata, protocol, clustering or (), listing.newest)

    @property
    def _names(self) -> set[str]:
        """The names that were listed last."""
        return self.names() if self._listed is None else self._listed

    @cached_property
    def _store(self) -> Any:
        return file_system(self._location, self._options)

    def names(self) -> set[str]:
        """Return the names of the files in the log."""
        from pyarrow.fs import FileSelector

        self._listed = {info.base_name for info in self._store.get_file_info(FileSelector(_LOG))}
        return self._listed

    def identity(self, name: str) -> object:
        """Return a value that differs if a file is replaced."""
        status = self._store.get_file_info(f"{_LOG}/{name}")
        return status.mtime_ns, status.size

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

    def _in_lines(self, name: str, kind: str) -> list[Mapping[str, Any]]:
        return _actions(self.read(name), kind)

    def _in_checkpoint(self, name: str, kind: str) -> list[Mapping[str, Any]]:
        if name.endswith(".json"):
            return self._in_lines(name, kind)
        from pyarrow.parquet import ParquetFile

        with self._store.open_input_file(f"{_LOG}/{name}") as file:
            parquet = ParquetFile(file)
            if kind not in parquet.schema_arrow.names:
                return []
            actions = parquet.read(columns=[kind]).column(0).to_pylist()
            return [action for action in actions if action is not None]


def _actions(content: bytes, kind: str) -> list[Mapping[str, Any]]:
    actions = [json.loads(line) for line in content.splitlines() if line.strip()]
    return [action[kind] for action in actions if kind in action]


VERSIONS = {"deltalake": ">=1.6,<1.7"}
"""The versions with which these names were tested."""


def file_system(location: str, options: Mapping[str, str]) -> Any:
    """Return the pyarrow file system through which deltalake opens a table."""
    from deltalake.exceptions import TableNotFoundError
    from deltalake.fs import DeltaStorageHandler
    from pyarrow.fs import PyFileSystem

    try:
        return PyFileSystem(DeltaStorageHandler(location, dict(options) or None))
    except TableNotFoundError as error:
        raise FileNotFoundError(str(error)) from error
