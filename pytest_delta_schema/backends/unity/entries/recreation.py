"""Delete a catalog entry and create it again, on servers that cannot update entries."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.unity.http.client import ServerError
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.progress import LOGGER
from pytest_delta_schema.settings.text import toml_setting

if TYPE_CHECKING:
    from pytest_delta_schema.backends.unity.http.client import UnityClient
    from pytest_delta_schema.state.catalog_entry import EntryState

_LOG = logging.getLogger(LOGGER)

_TRIES = 4
_TAKEN = "TABLE_ALREADY_EXISTS"


def recreate_entry(client: UnityClient, entry: EntryState, info: dict[str, Any], *, recreates: bool) -> None:
    """Delete a catalog entry and create it again with another id; files are not changed. The deletion is logged first.

    Raises:
        StatementError: If the settings do not allow it; or if the entry was deleted and cannot be created again, with
            the request that would create it.
    """
    owner = f"owned by {entry.owner}" if entry.owner else "without an owner"
    if not recreates:
        msg = (
            f"the server at {client.uri} has no Delta API, so its catalog entry ({owner}) can only be deleted and"
            " created again, under another id; pytest --delta-sync-metadata does that with"
            f" {toml_setting('sync_recreate', value=True)}, or upgrade the server"
        )
        raise StatementError(msg, condition="NO_DELTA_API")
    deletion = (
        f"{entry.name}: its catalog entry, {owner}, id {entry.table_id}, is deleted and created again, by the"
        " principal of the token; files stay as they are"
    )
    _LOG.warning(escaped(deletion))
    client.delete_table(entry.name)
    for left in reversed(range(_TRIES)):
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
