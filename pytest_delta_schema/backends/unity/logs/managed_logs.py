"""Read the logs of managed tables, to some of which the catalog commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pytest_delta_schema.delta.protocol import commits_are_in_catalog
from pytest_delta_schema.diagnostics.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.backends.unity.http.answer_types import DeltaTable
    from pytest_delta_schema.backends.unity.http.client import UnityClient
    from pytest_delta_schema.backends.unity.logs.external_logs import ExternalLogs
    from pytest_delta_schema.backends.unity.logs.table_logs import Log
    from pytest_delta_schema.state.catalog_entry import EntryState
    from pytest_delta_schema.state.log_facts import LogFacts

T = TypeVar("T")


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

        Raises:
            BackendUnavailableError: If a session is needed and none is configured, or its catalog is not the server's.
            CatalogReadError: If Spark cannot read the log.
            StatementError: If the log is not one to which the catalog commits, and cannot be read.
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
