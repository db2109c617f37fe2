"""Bring the record of one table level with its log: one update, of which the server does all or nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.catalogs.unity.client import ServerFailure
from pytest_delta_schema.catalogs.unity.wire import columns_for, record_of, table_info
from pytest_delta_schema.errors import BackendFailure
from pytest_delta_schema.execute.records import RecordSync
from pytest_delta_schema.plan.records import notes_of_record, record_differences
from pytest_delta_schema.state.records import is_servers, storable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_delta_schema.catalogs.unity.client import UnityClient
    from pytest_delta_schema.catalogs.unity.logs import Log
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.records import RecordDifference
    from pytest_delta_schema.state.records import LogState, RecordState

_TRIES = 4
_CONFLICT = 409
_TAKEN = "TABLE_ALREADY_EXISTS"


def sync_record(
    client: UnityClient,
    name: QualifiedName,
    read_log: Callable[[RecordState], Log],
    *,
    recreates: bool,
    say: Callable[[str], None],
) -> RecordSync | None:
    """Bring a record level; files are never touched, and a record that is level is not written.

    Args:
        client: The server.
        name: The table.
        read_log: Opens the log of a table, newest version.
        recreates: Whether a server that has no updates may be made to forget the record and told it anew.
        say: Told before a record is deleted.

    Returns:
        What was changed, or could not be stored; ``None`` if there is nothing of either, or the table is managed and
        its log is its catalog's alone.

    Raises:
        BackendFailure: If the table is managed and its record differs, the record shows a newer version than the log
            has, others are faster every time, or the server refuses.
    """
    can_update = client.has_delta_api(name.catalog)
    for _ in range(_TRIES):
        seen = _look(client, name, read_log, can_update=can_update)
        if seen is None:
            return None
        tag, record, log = seen
        shown = log.shown()
        differences, notes = record_differences(record, shown), notes_of_record(shown)
        done = RecordSync(
            table=str(name), differences=differences, version=log.version, is_new=not can_update, notes=notes
        )
        if not differences:
            return done if notes else None
        _require_external(record, differences)
        _require_newer(record, shown)
        held = storable(shown).log
        if not can_update:
            _recreate(client, record, table_info(record, held, log.timestamp()), recreates=recreates, say=say)
            left = record_differences(record_of(name, client.table(name)), shown)
            if left:
                msg = (
                    f"its record was made anew by somebody else at that moment, and is not level ({left[0]}); try again"
                )
                raise BackendFailure(msg, condition="CONFLICT")
            return done
        try:
            client.update_table(name, _update(tag, record, held, differences, log.timestamp()))
        except ServerFailure as error:
            if error.status != _CONFLICT:
                raise
        else:
            return done
    msg = (
        f"somebody else has changed the record {_TRIES} times while it was brought level; try again when they are done"
    )
    raise BackendFailure(msg, condition="CONFLICT")


def _look(
    client: UnityClient, name: QualifiedName, read_log: Callable[[RecordState], Log], *, can_update: bool
) -> tuple[dict[str, Any], RecordState, Log] | None:
    """Return a record with its tag, and the log; ``None`` if there is no record, or no log that could be compared."""
    try:
        # The tag comes before everything that is decided by it.
        tag = client.delta_table(name)["metadata"] if can_update else {}
        record = record_of(name, client.table(name))
    except ServerFailure as error:
        if error.is_not_found:
            return None
        raise
    try:
        return tag, record, read_log(record)
    except BackendFailure:
        if record.is_managed:
            # Only through its catalog can such a log be read, so that there are no two descriptions to compare.
            return None
        raise


def _update(
    tag: dict[str, Any],
    record: RecordState,
    log: LogState,
    differences: Iterable[RecordDifference],
    timestamp: int,
) -> dict[str, Any]:
    differing = {difference.path for difference in differences}
    paths = {path.split(".", 1)[0] for path in differing}
    updates: list[dict[str, Any]] = []
    if "columns" in paths:
        # Columns alone would keep the old list of partition columns, and fail where one of those is gone.
        updates.append({"action": "set-columns", "columns": columns_for(json.loads(log.schema))})
        updates.append({"action": "set-partition-columns", "partition-columns": list(log.partitioning)})
    if "comment" in paths:
        updates.append({"action": "set-table-comment", "comment": log.comment})
    ours = {key: value for key, value in log.configuration.items() if not is_servers(key)}
    changed = {key: value for key, value in ours.items() if record.properties.get(key) != value}
    stale = [key for key in record.properties if key not in log.configuration and f"properties.{key}" in differing]
    if changed:
        updates.append({"action": "set-properties", "updates": changed})
    if stale:
        updates.append({"action": "remove-properties", "removals": stale})
    version = {"last-commit-version": log.version, "last-commit-timestamp-ms": timestamp}
    updates.append({"action": "update-metadata-snapshot-version", **version})
    requirements = [
        {"type": "assert-table-uuid", "uuid": tag["table-uuid"]},
        {"type": "assert-etag", "etag": tag["etag"]},
    ]
    return {"requirements": requirements, "updates": updates}


def _require_external(record: RecordState, differences: tuple[RecordDifference, ...]) -> None:
    if record.is_managed:
        listed = "; ".join(map(str, differences))
        msg = (
            f"its record is not level with its log ({listed}), and it is a managed table, whose record only the catalog"
            " itself may write; a RESTORE through Spark writes both"
        )
        raise BackendFailure(msg, condition="MANAGED")


def _require_newer(record: RecordState, log: LogState) -> None:
    if record.version is not None and record.version > log.version:
        msg = (
            f"its record shows version {record.version}, and the newest version of its log is {log.version}, so the"
            " record is not taken back; see whether the log was restored or copied from elsewhere"
        )
        raise BackendFailure(msg, condition="OLDER_LOG")


def _recreate(
    client: UnityClient, record: RecordState, info: dict[str, Any], *, recreates: bool, say: Callable[[str], None]
) -> None:
    """Delete a record and make it anew, for servers that have no updates."""
    owner = f"owned by {record.owner}" if record.owner else "without an owner"
    if not recreates:
        msg = (
            f"the server at {client.uri} has no Delta API, so its record ({owner}) can only be deleted and made anew,"
            " under another id; agree to that with delta_sync_recreate = true, or upgrade the server"
        )
        raise BackendFailure(msg, condition="NO_DELTA_API")
    say(f"{record.name}: its record, {owner}, id {record.table_id}, is deleted and made anew; files stay as they are")
    client.delete_table(record.name)
    for left in reversed(range(_TRIES)):
        try:
            client.create_table(info)
        except ServerFailure as error:
            if error.condition == _TAKEN:
                return
            if not left:
                msg = f"its record was deleted and could not be made anew ({error}); POST this to /tables: "
                text = f"{msg}{json.dumps(info)}"
                raise BackendFailure(text, condition="LOST_RECORD") from error
        else:
            return
