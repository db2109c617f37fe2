"""Open the Delta logs of external tables, with the credentials that the server vends for their files."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.backends.unity.http.client import ServerError
from pytest_delta_schema.backends.unity.logs.repeated_reads import read_repeatedly
from pytest_delta_schema.backends.unity.logs.storage import NO_CREDENTIALS, deltalake_options, needs_credentials, vended
from pytest_delta_schema.backends.unity.logs.table_logs import Log
from pytest_delta_schema.diagnostics.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.backends.unity.http.client import UnityClient
    from pytest_delta_schema.backends.unity.logs.storage import Credentials, Storage
    from pytest_delta_schema.state.catalog_entry import EntryState

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
        """Open the log of one table and read in it; after a failure, both are tried again.

        Raises:
            StatementError: If its entry names no location, its credentials have expired, or the log cannot be read.
        """
        if not entry.location:
            msg = "its catalog entry names no location; register it again with one"
            raise StatementError(msg, condition="NO_LOCATION")
        credentials = self._credentials(entry) if needs_credentials(entry.location) else NO_CREDENTIALS
        options = deltalake_options(entry.location, self.stores, credentials)
        location, hidden = entry.location, partial(_scrubbed, credentials, options)
        return read_repeatedly(lambda: read(Log(location, options, hidden)))

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
