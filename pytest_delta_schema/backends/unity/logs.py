"""Read the Delta logs that catalog entries name."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pytest_delta_schema.backends.logs.files import (
    DamagedLog,
    LocalFiles,
    LogFault,
    LostLog,
    UnreadLog,
    local_folder,
)
from pytest_delta_schema.backends.logs.log import DeltaLog
from pytest_delta_schema.backends.logs.stored import StoredFiles, missing_deltalake
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.storage import (
    NO_CREDENTIALS,
    Credentials,
    access_remedy,
    deltalake_options,
    needs_credentials,
    store_of,
)
from pytest_delta_schema.backends.unity.connection import ServerError
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError
from pytest_delta_schema.diagnostics.redaction import redacted_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_delta_schema.backends.storage import Storage
    from pytest_delta_schema.backends.unity.answers import DeltaTable, VendedCredentials
    from pytest_delta_schema.backends.unity.connection import UnityClient
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
    limits: Mapping[str, str] = field(default_factory=dict)

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
        options = deltalake_options(entry.location, self.stores, credentials, self.limits)
        remedy = _remedy(entry.location, self.stores, credentials)
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


_VENDED = {
    ("aws_temp_credentials", "access_key_id"): "aws_access_key_id",
    ("aws_temp_credentials", "secret_access_key"): "aws_secret_access_key",
    ("aws_temp_credentials", "session_token"): "aws_session_token",
    ("azure_user_delegation_sas", "sas_token"): "azure_storage_sas_token",
    ("gcp_oauth_token", "oauth_token"): "google_application_token",
}
"""The parts of a server's answer, and the options of deltalake for them."""


def vended(answer: VendedCredentials) -> Credentials:
    """Return the credentials of a server's answer; they are empty for local files."""
    parts: Mapping[str, Any] = answer
    values = {option: Secret((parts.get(part) or {}).get(key) or "") for (part, key), option in _VENDED.items()}
    expires = answer.get("expiration_time") or None
    return Credentials(values={option: secret for option, secret in values.items() if secret}, expires=expires)


def _remedy(location: str, stores: Iterable[Storage], credentials: Credentials) -> str:
    """Return what to do if the files at a location cannot be read."""
    if needs_credentials(location) and store_of(location, stores) is None and not credentials.values:
        return (
            "the server vends no credentials for it and no entry of storage has a prefix of it, so add one with its"
            " keys, or configure its bucket on the server"
        )
    return access_remedy(
        location, stores, "the credentials that the server vends" if credentials.values else "its keys"
    )


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
    missing = missing_deltalake("unity")
    if missing:
        raise BackendUnavailableError(missing)
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
