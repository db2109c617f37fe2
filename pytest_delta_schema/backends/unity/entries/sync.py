"""Write the metadata of a Delta log to the catalog entry of its table, by one atomic update."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.backends.unity.entries.recreation import recreate_entry
from pytest_delta_schema.backends.unity.entries.wire_format import columns_for, entry_of, table_info
from pytest_delta_schema.backends.unity.http.client import ServerError
from pytest_delta_schema.backends.unity.logs.table_logs import Log
from pytest_delta_schema.backends.unity.problems import no_catalog, why_no_delta_table
from pytest_delta_schema.diagnostics.errors import CatalogReadError, StatementError
from pytest_delta_schema.execute.protocols.metadata_sync import MetadataSync, managed_note
from pytest_delta_schema.plan.entry_comparison import entry_differences, unstorable_notes
from pytest_delta_schema.sql.schemas_and_restores import drop_table, register_table
from pytest_delta_schema.state.catalog_entry import is_written_by_server
from pytest_delta_schema.state.storable_entry import storable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_delta_schema.backends.unity.http.answer_types import DeltaMetadata
    from pytest_delta_schema.backends.unity.http.client import UnityClient
    from pytest_delta_schema.backends.unity.http.deadline import Deadline
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.entry_comparison import EntryDifference
    from pytest_delta_schema.state.catalog_entry import EntryState, LogState
    from pytest_delta_schema.state.log_facts import LogFacts

_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
"""Seconds before the second try, doubled for each further one up to a maximum, less a random part."""

_INTERNAL = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataSyncing:
    """Synchronises catalog entries of one server; an entry that equals its log is not written, and files never are.

    ``open_log`` opens the log of a table, newest version; it returns ``None`` if its newest commits are in the catalog
    only, and no Spark session is open.
    """

    client: UnityClient
    open_log: Callable[[EntryState], Log | LogFacts | None]

    def sync(self, name: QualifiedName, *, recreates: bool) -> MetadataSync | None:
        """Synchronise the catalog entry of one table.

        An update that loses a race is repeated until the time of one call is over; each update asserts the id and the
        tag that it is based on. After each update the entry is read back.

        ``recreates`` permits that the entry is deleted and created again on a server that cannot update it. It returns
        the changes and notes, or ``None`` if there are neither.

        Raises:
            CatalogReadError: If it is not a Delta table.
            StatementError: If the table does not exist, the catalog commits to the log and the entry differs, the entry
                has a newer version than the log, each try loses a race, or the server refuses.
        """
        can_update = self._can_update(name.written.catalog)
        for number in _tries(self.client.deadline()):
            outcome = self._try(name, can_update=can_update, recreates=recreates)
            if not isinstance(outcome, ServerError):
                return outcome
            tries, failure = number, outcome
        if not failure.is_lost_race:
            raise failure
        msg = f"somebody else has changed its catalog entry during each of {tries} tries; try again later"
        raise StatementError(msg, condition="CONFLICT") from failure

    def _can_update(self, catalog: str) -> bool:
        try:
            return self.client.has_delta_api(catalog)
        except ServerError as error:
            if error.is_not_found:
                raise no_catalog(catalog) from error
            raise

    def _try(self, name: QualifiedName, *, can_update: bool, recreates: bool) -> MetadataSync | ServerError | None:
        """Return the result of one try, or a failure after which another try makes sense."""
        seen = self._look(name, can_update=can_update)
        if seen.log is None:
            return MetadataSync(
                table=str(name), differences=(), version=seen.entry.version or 0, notes=(managed_note(name),)
            )
        differences, notes = entry_differences(seen.entry, seen.log), unstorable_notes(name, seen.log)
        done = MetadataSync(
            table=str(name), differences=differences, version=seen.log.version, is_new=not can_update, notes=notes
        )
        if not differences:
            return done if notes else None
        _require_writable(seen, seen.log, differences)
        _require_newer(seen.entry, seen.log)
        failure = None
        if seen.tag is not None:
            failure = self._update(seen, seen.tag, storable(seen.log).log, differences)
            if failure is not None and failure.is_lost_race:
                return failure
        else:
            info = table_info(seen.entry, storable(seen.log).log, seen.timestamp())
            recreate_entry(self.client, seen.entry, info, recreates=recreates)
        left = entry_differences(self._entry(name), seen.log)
        if not left:
            return done
        if failure is not None:
            return failure
        # Another process may have synchronised a newer version meanwhile.
        again = self._look(name, can_update=can_update)
        is_done = again.log is not None and not entry_differences(again.entry, again.log)
        if again.log == seen.log and not is_done:
            msg = f"the server reported success, and its catalog entry still differs ({left[0]})"
            text = f"{msg}; check whether {self.client.uri} is the server itself, and try again"
            raise StatementError(text, condition="NOT_DONE")
        return done if is_done else self._try(name, can_update=can_update, recreates=recreates)

    def _look(self, name: QualifiedName, *, can_update: bool) -> _Seen:
        """Return an entry with its tag, and its log."""
        try:
            # The tag comes before everything that is decided by it.
            tag = self._tag(name) if can_update else None
            entry = self._entry(name)
        except ServerError as error:
            if error.is_not_found:
                msg = "it does not exist on the server, so it has no entry; create it with pytest --delta-apply"
                raise StatementError(msg, condition="NO_ENTRY") from error
            raise
        log = self.open_log(entry)
        if isinstance(log, Log):
            return _Seen(tag, entry, log.shown(), log.timestamp)
        return _Seen(tag, entry, None if log is None else log.shown())

    def _tag(self, name: QualifiedName) -> DeltaMetadata:
        try:
            return self.client.delta_table(name)["metadata"]
        except ServerError as error:
            if not error.is_not_found:
                self._entry(name)  # which tells a view and tables of other formats
            raise

    def _entry(self, name: QualifiedName) -> EntryState:
        try:
            info = self.client.table(name)
            fault = why_no_delta_table(entry_of(name, {**info, "columns": []}))
            if fault is not None:
                raise CatalogReadError([fault])
            return entry_of(name, info)
        except ValueError as error:
            msg = f"{error}; update this package, or the entry"
            raise StatementError(msg, condition="UNKNOWN_ENTRY") from error

    def _update(
        self, seen: _Seen, tag: DeltaMetadata, log: LogState, differences: tuple[EntryDifference, ...]
    ) -> ServerError | None:
        """Send one update; return a failure after which another try makes sense.

        Raises:
            ServerError: If no other try makes sense.
        """
        try:
            self.client.update_table(seen.entry.name, _body(seen, tag, log, differences))
        except ServerError as error:
            # Other answers with status 500 are about the request, which would be the same again.
            if error.is_lost_race or (error.may_pass and error.status != _INTERNAL):
                return error
            raise
        return None


class _Seen(NamedTuple):
    """An entry and its log."""

    tag: DeltaMetadata | None
    """What an update asserts; ``None`` if the server has no updates."""
    entry: EntryState
    log: LogState | None
    """The metadata of the log; ``None`` if the log cannot be read here."""
    timestamp: Callable[[], int] = lambda: 0
    """Returns when the newest version was committed, in milliseconds since 1970."""


def _tries(deadline: Deadline) -> Iterator[int]:
    """Yield the numbers of tries, with a pause before each but the first, until the time is over."""
    yield 1
    number, pause = 1, _PAUSE
    while deadline.pause(random.uniform(pause / 2, pause)):  # noqa: S311 - jitter is not a secret
        number, pause = number + 1, min(2 * pause, _LONGEST_PAUSE)
        yield number


def _body(seen: _Seen, tag: DeltaMetadata, log: LogState, differences: tuple[EntryDifference, ...]) -> dict[str, Any]:
    differing = {difference.path for difference in differences}
    paths = {path.split(".", 1)[0] for path in differing}
    updates: list[dict[str, Any]] = []
    if "columns" in paths and log.columns:
        # Columns alone would keep the old list of partition columns, and fail where one of those is gone.
        updates.append({"action": "set-columns", "columns": columns_for(json.loads(log.schema))})
        updates.append({"action": "set-partition-columns", "partition-columns": list(log.partitioning)})
    if "comment" in paths:
        updates.append({"action": "set-table-comment", "comment": log.comment})
    own = {key: value for key, value in log.configuration.items() if not is_written_by_server(key)}
    changed = {key: value for key, value in own.items() if seen.entry.properties.get(key) != value}
    known = seen.entry.properties
    stale = [key for key in known if key not in log.configuration and f"properties.{key}" in differing]
    if changed:
        updates.append({"action": "set-properties", "updates": changed})
    if stale:
        updates.append({"action": "remove-properties", "removals": stale})
    version = {"last-commit-version": log.version, "last-commit-timestamp-ms": seen.timestamp()}
    updates.append({"action": "update-metadata-snapshot-version", **version})
    requirements = [
        {"type": "assert-table-uuid", "uuid": tag["table-uuid"]},
        {"type": "assert-etag", "etag": tag["etag"]},
    ]
    return {"requirements": requirements, "updates": updates}


def _require_writable(seen: _Seen, log: LogState, differences: tuple[EntryDifference, ...]) -> None:
    listed = "; ".join(map(str, differences))
    if log.is_catalog_managed:
        msg = (
            f"its catalog entry differs from its log ({listed}), and the catalog commits to that log, so only the"
            " catalog may write the entry; a RESTORE through Spark writes both"
        )
        raise StatementError(msg, condition="MANAGED")
    if seen.entry.is_managed and seen.tag is None:
        msg = (
            f"its catalog entry differs from its log ({listed}), the server has no Delta API, and the entry of a"
            " managed table is never deleted, because its files would be deleted with it; upgrade the server"
        )
        raise StatementError(msg, condition="MANAGED")


def _require_newer(entry: EntryState, log: LogState) -> None:
    if entry.version is not None and entry.version > log.version:
        msg = (
            f"its catalog entry shows version {entry.version}, and the newest version of its log is {log.version}, so"
            " the entry is not changed; check whether the log was restored or copied from elsewhere"
        )
        if not entry.is_managed:  # whose files would be dropped, too
            again = f"{drop_table(entry.name)}; {register_table(entry.name, entry.location)}"
            msg += (
                f", or, if the table was created again at {entry.location}, register it again through Spark, which"
                f" changes no file: {again}"
            )
        raise StatementError(msg, condition="OLDER_LOG")
