"""Read the Delta logs that catalog entries name."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cached_property, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

from pytest_delta_schema.backends.logs.files import (
    DamagedLog,
    LocalFiles,
    LogFault,
    LostLog,
    Stamp,
    UnreadLog,
    local_folder,
)
from pytest_delta_schema.backends.logs.log import DeltaLog
from pytest_delta_schema.backends.unity.connection import ServerError
from pytest_delta_schema.backends.unity.storage import (
    NO_CREDENTIALS,
    access_remedy,
    deltalake_options,
    needs_credentials,
    vended,
)
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError
from pytest_delta_schema.diagnostics.redaction import HiddenValues, redacted_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.backends.unity.answers import DeltaTable
    from pytest_delta_schema.backends.unity.connection import UnityClient
    from pytest_delta_schema.backends.unity.storage import Credentials, Storage
    from pytest_delta_schema.state.delta_log import LogFacts
    from pytest_delta_schema.state.entries import EntryState
    from pytest_delta_schema.state.types import ColumnState


DAMAGED_LOG, NO_LOG = "DAMAGED_LOG", "NO_LOG"
"""The conditions of errors for a log that is damaged or gone."""

_T = TypeVar("_T")

_NOT_FOUND = 404
_NOT_CONFIGURED = "FAILED_PRECONDITION"
"""The server's code if it has no configuration for the bucket of a table (Unity Catalog 0.6.0)."""

_EPOCH, _MILLISECOND = datetime(1970, 1, 1, tzinfo=timezone.utc), timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalLogs:
    """Reads the logs of the tables of one server."""

    client: UnityClient
    stores: tuple[Storage, ...] = ()

    def facts(self, entry: EntryState) -> LogFacts:
        """Return the newest version of the log of one table."""
        return self._read(entry, DeltaLog.facts)

    def schemas(self, entry: EntryState) -> list[tuple[ColumnState, ...]]:
        """Return the columns of all versions that the log of one table still holds."""
        return self._read(entry, DeltaLog.schemas)

    def timestamp(self, entry: EntryState, version: int) -> int:
        """Return when a version was committed, in milliseconds since 1970; 0 if the log does not say so."""
        commits = self._read(entry, lambda log: log.commits(version))
        return max(((commit.timestamp - _EPOCH) // _MILLISECOND for commit in commits[:1]), default=0)

    def _read(self, entry: EntryState, read: Callable[[DeltaLog], _T]) -> _T:
        if not entry.location:
            msg = "its catalog entry names no location; register it again with one"
            raise StatementError(msg, condition="NO_LOCATION")
        credentials = self._credentials(entry) if needs_credentials(entry.location) else NO_CREDENTIALS
        options = deltalake_options(entry.location, self.stores, credentials)
        remedy = access_remedy(entry.location, self.stores, credentials)
        return read_log(entry.location, read, options, hidden=partial(_scrubbed, credentials, options), remedy=remedy)

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


def read_log(
    location: str,
    read: Callable[[DeltaLog], _T],
    options: Mapping[str, str],
    *,
    hidden: Callable[[str], str] = str,
    remedy: str = "restore it, or the permission to read it",
) -> _T:
    """Read in the log at a location; ``hidden`` redacts a text, and ``remedy`` is for files that cannot be read."""
    if find_spec("deltalake") is None:
        msg = "the unity backend needs deltalake, which is not installed; pip install 'pytest-delta-schema[unity]'"
        raise BackendUnavailableError(msg)
    folder = local_folder(location)
    try:
        return read(DeltaLog(StoredFiles(location, options) if folder is None else LocalFiles(folder)))
    except LostLog:
        msg = (
            f"there is no Delta log at {redacted_uri(location)}; restore the files, or drop the table from the catalog"
        )
        raise StatementError(msg, condition=NO_LOG) from None
    except DamagedLog as fault:
        msg = f"{hidden(fault.message)}; {fault.remedy}"
        raise StatementError(msg, condition=DAMAGED_LOG) from None
    except LogFault as fault:
        reason, remedy = hidden(fault.fact), remedy if isinstance(fault, UnreadLog) else fault.remedy
    msg = f"its Delta log at {redacted_uri(location)} cannot be read ({reason}); {remedy}"
    raise StatementError(msg, condition="UNREADABLE_LOG")


_LOG = "_delta_log"


class StoredFiles:
    """The files of a log in a store, as deltalake reaches them; see :class:`LogFiles`."""

    def __init__(self, location: str, options: Mapping[str, str]) -> None:
        self.path = f"{redacted_uri(location).rstrip('/')}/{_LOG}"
        self._location = location
        self._options = HiddenValues(options)

    @cached_property
    def _store(self) -> Any:
        return file_system(self._location, self._options)

    def names(self) -> set[str]:
        """Return the names of the files in the folder."""
        from pyarrow.fs import FileSelector

        return {info.base_name for info in self._store.get_file_info(FileSelector(_LOG))}

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        file: BinaryIO = self._store.open_input_file(f"{_LOG}/{name}")
        return file

    def stamp(self, name: str) -> Stamp:
        """Return the stamp of a file, which differs if the file is replaced."""
        status = self._store.get_file_info(f"{_LOG}/{name}")
        return Stamp(status.mtime_ns, status.size)


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
