"""Catalog entries: what they are of, their wire format, and their synchronisation with Delta logs."""

from __future__ import annotations

import json
import logging
import random
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.backends.problems import is_a_view, is_not_delta, problem
from pytest_delta_schema.backends.unity.connection import ServerError
from pytest_delta_schema.delta.names import NameMap
from pytest_delta_schema.diagnostics.errors import CatalogReadError, StatementError, first_line
from pytest_delta_schema.diagnostics.faults import FailedMetadataSync, UnreadableTable
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.execute.protocols import MetadataSync, managed_note
from pytest_delta_schema.plan.entry_comparison import entry_differences, unstorable_notes
from pytest_delta_schema.progress import LOGGER
from pytest_delta_schema.settings.table import toml_setting
from pytest_delta_schema.sql.renderers import drop_table, register_table
from pytest_delta_schema.state.entries import (
    EntryColumn,
    EntryState,
    decimal_parts,
    is_written_by_server,
    storable,
    type_name,
    type_text,
)
from pytest_delta_schema.state.states import TableState
from pytest_delta_schema.state.types import ColumnState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_delta_schema.backends.unity.addresses import Deadline
    from pytest_delta_schema.backends.unity.answers import ColumnInfo, DeltaTag, TableInfo
    from pytest_delta_schema.backends.unity.connection import UnityClient
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.entry_comparison import EntryDifference
    from pytest_delta_schema.state.delta_log import LogFacts
    from pytest_delta_schema.state.types import DataTypeState


VIEWS = ("VIEW", "MATERIALIZED_VIEW", "METRIC_VIEW")
"""The kinds of entries that are not tables."""

_DELTA = "DELTA"


def no_catalog(name: str) -> StatementError:
    """Return the error for a catalog that the server does not list; its tables may exist."""
    msg = f"the server shows no catalog {name}; create it, which no apply does, or give the principal permission"
    return StatementError(f"{msg} to use it", condition="NO_CATALOG")


def why_no_delta_table(entry: EntryState) -> Diagnostic | None:
    """Return why an entry is not that of a Delta table; ``None`` if it is."""
    if entry.table_type in VIEWS:
        return is_a_view(entry.name)
    if not entry.data_format:
        fact = "it may not be a Delta table, because its catalog entry has no format"
        return problem(UnreadableTable, entry.name, fact, "register it again with one")
    return None if entry.data_format == _DELTA else is_not_delta(entry.name, entry.data_format)


def other_kind(entry: EntryState) -> str:
    """Return what an entry is that is not of a Delta table; ``""`` if that is not known."""
    if entry.table_type in VIEWS:
        return entry.table_type.lower().replace("_", " ")
    return f"{entry.data_format.lower()} table" if entry.data_format else ""


LAST_VERSION, LAST_TIMESTAMP = "delta.lastUpdateVersion", "delta.lastCommitTimestamp"
"""The properties with the version of the log that an entry was written from, and its time."""

_KEBAB = {
    "elementType": "element-type",
    "containsNull": "contains-null",
    "keyType": "key-type",
    "valueType": "value-type",
    "valueContainsNull": "value-contains-null",
}
_CAMEL = {kebab: camel for camel, kebab in _KEBAB.items()}


def entry_of(name: QualifiedName, info: TableInfo) -> EntryState:
    """Read a catalog entry from an answer of the classic API."""
    properties = info.get("properties") or {}
    version = properties.get(LAST_VERSION, "")
    return EntryState(
        name=name,
        table_id=info.get("table_id") or "",
        table_type=info["table_type"],
        data_format=info.get("data_source_format") or "",
        location=info.get("storage_location") or "",
        owner=info.get("owner") or "",
        columns=columns_of_entry(info),
        comment=info.get("comment") or "",
        properties=MappingProxyType(properties),
        version=int(version) if version.isdecimal() else None,
    )


def columns_of_entry(info: TableInfo) -> tuple[EntryColumn, ...]:
    """Read the columns of an entry, in the order of their positions."""
    columns = sorted(info.get("columns") or (), key=lambda column: column.get("position") or 0)
    if not columns:
        return ()
    from pytest_delta_schema.backends.unity.decoding import entry_type

    return tuple([_column(column, entry_type) for column in columns])


def schema_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Convert columns of the Delta API to the schema of a Delta log."""
    return _renamed(columns, _CAMEL)  # type: ignore[no-any-return]


def table_info(entry: EntryState, log: LogFacts, timestamp: int) -> dict[str, Any]:
    """Return a whole catalog entry for the classic API: the metadata of the log, at the location of the old entry."""
    catalog, schema, table = entry.name.written
    partition_indexes = NameMap((name, index) for index, name in enumerate(log.partitioning))
    fields = log.schema["fields"]
    info: dict[str, Any] = {
        "name": table,
        "catalog_name": catalog,
        "schema_name": schema,
        "table_type": entry.table_type,
        "data_source_format": entry.data_format,
        "storage_location": entry.location,
        "comment": log.comment,
        "properties": {**log.configuration, LAST_VERSION: str(log.version), LAST_TIMESTAMP: str(timestamp)},
        "columns": [
            _info(field, column.data_type, position, partition_indexes.get(column.name))
            for position, (field, column) in enumerate(zip(fields, log.columns, strict=True))
        ],
    }
    return {**info, **({"owner": entry.owner} if entry.owner else {})}


def _info(
    field: Mapping[str, Any], data_type: DataTypeState, position: int, partition_index: int | None
) -> dict[str, Any]:
    precision, scale = decimal_parts(data_type)
    return {
        "name": field["name"],
        "type_text": type_text(data_type),
        "type_json": json.dumps(_whole(field)),
        "type_name": type_name(data_type),
        "type_precision": precision,
        "type_scale": scale,
        "position": position,
        "nullable": field["nullable"],
        "comment": (field.get("metadata") or {}).get("comment", ""),
        "partition_index": partition_index,
    }


def _column(info: ColumnInfo, entry_type: Callable[[str], tuple[DataTypeState | None, str]]) -> EntryColumn:
    type_json = info.get("type_json")
    try:
        data_type, json_comment = entry_type(type_json) if type_json else (None, "")
        return EntryColumn(
            name=info["name"],
            text=info.get("type_text") or "",
            data_type=data_type,
            type_name=info.get("type_name") or "",
            precision=info.get("type_precision"),
            scale=info.get("type_scale"),
            is_nullable=info.get("nullable") is not False,
            comment=info.get("comment") or "",
            partition_index=info.get("partition_index"),
            json_comment=json_comment,
        )
    except (TypeError, ValueError) as error:
        shown = first_line(ValueError(type_json))
        msg = f"its catalog entry has a column {info['name']} of an unknown type ({shown})"
        raise ValueError(msg) from error


def _whole(field: Mapping[str, Any]) -> dict[str, Any]:
    """Return a field with metadata, which some clients leave out and servers require."""
    return {**field, "metadata": field.get("metadata") or {}}


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Rename the keys of a type; what fields hold next to their types is passed on as it is."""
    if not isinstance(value, dict):
        return value
    return {
        names.get(key, key): [{**_whole(field), "type": _renamed(field["type"], names)} for field in part]
        if key == "fields"
        else _renamed(part, names)
        for key, part in value.items()
    }


def other_object(head: EntryState, info: TableInfo) -> TableState | None:
    """Return the state of an entry that is not of a Delta table; ``None`` if its kind or its columns are not known."""
    kind = other_kind(head)
    try:
        columns = columns_of_entry(info)
    except ValueError:
        return None
    known = [
        ColumnState(column.name, column.data_type, column.is_nullable, column.comment)
        for column in columns
        if column.data_type is not None
    ]
    if not kind or not known or len(known) != len(columns):
        return None
    return TableState(name=head.name, columns=tuple(known), table_comment=head.comment, kind=kind)


_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
"""Seconds before the second try, doubled for each further one up to a maximum, less a random part."""

_BAD_REQUEST, _INTERNAL = 400, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataSyncing:
    """Synchronises catalog entries of one server; an entry that equals its log is not written, and files never are.

    ``log`` reads the log of a table, newest version; it returns ``None`` if its newest commits are in the catalog only,
    and no Spark session is open. ``timestamp`` returns when a version was committed, in milliseconds since 1970.
    """

    client: UnityClient
    log: Callable[[EntryState], LogFacts | None]
    timestamp: Callable[[EntryState, int], int]

    def sync(self, name: QualifiedName, *, recreates: bool) -> MetadataSync | None:
        """Synchronise the catalog entry of one table; return its changes and notes, or ``None`` if there are none."""
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
            info = table_info(seen.entry, storable(seen.log).log, self.timestamp(seen.entry, seen.log.version))
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
        return _Seen(tag, entry, self.log(entry))

    def _tag(self, name: QualifiedName) -> DeltaTag:
        try:
            return self.client.delta_tag(name)
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
        self, seen: _Seen, tag: DeltaTag, log: LogFacts, differences: tuple[EntryDifference, ...]
    ) -> ServerError | None:
        """Send one update; return a failure after which another try makes sense."""
        updates = _updates(seen, log, differences)
        if not seen.entry.is_managed:  # whose version only a commit through the server changes (Unity Catalog 0.6.0)
            updates["update-metadata-snapshot-version"] = {
                "last-commit-version": log.version,
                "last-commit-timestamp-ms": self.timestamp(seen.entry, log.version),
            }
        try:
            self._send(seen, tag, updates)
        except ServerError as error:
            # Other answers with status 500 are about the request, which would be the same again.
            if error.is_lost_race or (error.may_pass and error.status != _INTERNAL):
                return error
            if error.status != _BAD_REQUEST or "set-columns" not in updates:
                raise
            self._send(seen, tag, {key: updates[key] for key in updates if key in _WITHOUT_COLUMNS}, cause=error)
            raise _refused_columns(seen.entry, error) from error
        return None

    def _send(
        self,
        seen: _Seen,
        tag: DeltaTag,
        updates: Mapping[str, Mapping[str, Any]],
        cause: ServerError | None = None,
    ) -> None:
        """Send updates, if there are any; raise the cause of a second try instead of another refusal."""
        requirements = [
            {"type": "assert-table-uuid", "uuid": tag["table-uuid"]},
            {"type": "assert-etag", "etag": tag["etag"]},
        ]
        actions = [{"action": action, **values} for action, values in updates.items()]
        try:
            if actions:
                self.client.update_table(seen.entry.name, {"requirements": requirements, "updates": actions})
        except ServerError as error:
            raise cause or error from None


class _Seen(NamedTuple):
    """An entry and its log."""

    tag: DeltaTag | None
    """What an update asserts; ``None`` if the server has no updates."""
    entry: EntryState
    log: LogFacts | None
    """The newest version of the log; ``None`` if the log cannot be read here."""


def _tries(deadline: Deadline) -> Iterator[int]:
    """Yield the numbers of tries, with a pause before each but the first, until the time is over."""
    yield 1
    number, pause = 1, _PAUSE
    while deadline.pause(random.uniform(pause / 2, pause)):  # noqa: S311 - jitter is not a secret
        number, pause = number + 1, min(2 * pause, _LONGEST_PAUSE)
        yield number


_WITHOUT_COLUMNS = frozenset({"set-table-comment", "set-properties", "remove-properties"})
"""The actions that do not depend on the columns; the version says that all of an entry is that of the log."""


def _updates(seen: _Seen, log: LogFacts, differences: tuple[EntryDifference, ...]) -> dict[str, Mapping[str, Any]]:
    """Return the actions that write what differs, each with its values."""
    differing = {difference.path for difference in differences}
    paths = {path.split(".", 1)[0] for path in differing}
    updates: dict[str, Mapping[str, Any]] = {}
    if "columns" in paths and log.columns:
        # Columns alone would keep the old list of partition columns, and fail where one of those is gone.
        updates["set-columns"] = {"columns": _renamed(log.schema, _KEBAB)}
        updates["set-partition-columns"] = {"partition-columns": list(log.partitioning)}
    if "comment" in paths:
        updates["set-table-comment"] = {"comment": log.comment}
    own = {key: value for key, value in log.configuration.items() if not is_written_by_server(key)}
    known = seen.entry.properties
    changed = {key: value for key, value in own.items() if known.get(key) != value}
    stale = [key for key in known if key not in log.configuration and f"properties.{key}" in differing]
    if changed:
        updates["set-properties"] = {"updates": changed}
    if stale:
        updates["remove-properties"] = {"removals": stale}
    return updates


def _refused_columns(entry: EntryState, error: ServerError) -> CatalogReadError:
    """Return the error for columns that a server refuses: newer ones do not take each drop and rename at once."""
    reason = str(error).rpartition("; ")[0]
    fact = f"the server refuses the columns of its log, and its catalog entry keeps the old ones ({reason})"
    remedy = "have it corrected by whoever runs the server"
    if not entry.is_managed:  # whose files would be dropped, too
        remedy = f"register it again through Spark, which changes no file: {_registered_again(entry)}"
    return CatalogReadError([problem(FailedMetadataSync, entry.name, fact, remedy)])


def _registered_again(entry: EntryState) -> str:
    return f"{drop_table(entry.name)}; {register_table(entry.name, entry.location)}"


def _require_writable(seen: _Seen, log: LogFacts, differences: tuple[EntryDifference, ...]) -> None:
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


def _require_newer(entry: EntryState, log: LogFacts) -> None:
    if entry.version is not None and entry.version > log.version:
        fact = (
            f"its catalog entry shows version {entry.version}, and the newest version of its log is {log.version}, so"
            " the entry is not changed"
        )
        remedy = "check whether the log was restored or copied from elsewhere"
        if not entry.is_managed:  # whose files would be dropped, too
            remedy += (
                f", or, if the table was created again at {entry.location}, register it again through Spark, which"
                f" changes no file: {_registered_again(entry)}"
            )
        raise CatalogReadError([problem(FailedMetadataSync, entry.name, fact, remedy)])


_LOG = logging.getLogger(LOGGER)

_CREATIONS = 4
_TAKEN = "TABLE_ALREADY_EXISTS"


def recreate_entry(client: UnityClient, entry: EntryState, info: dict[str, Any], *, recreates: bool) -> None:
    """Delete a catalog entry and create it again with another id; files are not changed. The deletion is logged."""
    owner = f"owned by {entry.owner}" if entry.owner else "without an owner"
    if not recreates:
        msg = (
            f"the server at {client.uri} has no Delta API, so its catalog entry ({owner}) can only be deleted and"
            " created again, under another id; pytest --delta-sync-metadata does that with"
            f" {toml_setting('sync', ['recreate'])}, or upgrade the server"
        )
        raise StatementError(msg, condition="NO_DELTA_API")
    deletion = (
        f"{entry.name}: its catalog entry, {owner}, id {entry.table_id}, is deleted and created again, by the"
        " principal of the token; files stay as they are"
    )
    _LOG.warning(escaped(deletion))
    client.delete_table(entry.name)
    for left in reversed(range(_CREATIONS)):
        try:
            client.create_table(info)
        except ServerError as error:
            if error.condition == _TAKEN:
                return
            if not left:
                msg = f"its catalog entry was deleted and could not be created again ({error}); POST this to /tables: "
                text = f"{msg}{json.dumps(info)}"
                raise StatementError(text, condition="LOST_ENTRY") from error
        else:
            return
