"""Delete a record and create it again, for servers that have no updates."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.unity.client import ServerError
from pytest_delta_schema.errors import StatementError
from pytest_delta_schema.escaping import escaped

if TYPE_CHECKING:
    from pytest_delta_schema.backends.unity.client import UnityClient
    from pytest_delta_schema.state.catalog_entry import EntryState

_LOG = logging.getLogger("pytest_delta_schema")

_TRIES = 4
_TAKEN = "TABLE_ALREADY_EXISTS"


def recreate_record(client: UnityClient, record: EntryState, info: dict[str, Any], *, recreates: bool) -> None:
    """Delete a record and create it again, under another id; files stay as they are. Its deletion is logged first.

    Args:
        client: The server.
        record: The record as it is.
        info: The record as it should be, for the classic API.
        recreates: Whether that was agreed to.

    Raises:
        StatementError: If nobody has agreed, or the record is deleted and cannot be created again; then with what was
            to be sent.
    """
    owner = f"owned by {record.owner}" if record.owner else "without an owner"
    if not recreates:
        msg = (
            f"the server at {client.uri} has no Delta API, so its record ({owner}) can only be deleted and created"
            " again, under another id; pytest --delta-sync-metadata does that with delta_sync_recreate = true,"
            " or upgrade the server"
        )
        raise StatementError(msg, condition="NO_DELTA_API")
    deletion = (
        f"{record.name}: its record, {owner}, id {record.table_id}, is deleted and created again, by the principal of"
        " the token; files stay as they are"
    )
    _LOG.warning(escaped(deletion))
    client.delete_table(record.name)
    for left in reversed(range(_TRIES)):
        try:
            client.create_table(info)
        except ServerError as error:
            if error.condition == _TAKEN:
                return
            if not left:
                msg = f"its record was deleted and could not be created again ({error}); POST this to /tables: "
                text = f"{msg}{json.dumps(info)}"
                raise StatementError(text, condition="LOST_RECORD") from error
        else:
            return
