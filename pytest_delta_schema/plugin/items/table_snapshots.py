"""The snapshot of a table: its SQL, and next to it the state that it declares, as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.diagnostics.errors import JsonFormError
from pytest_delta_schema.plugin.items.snapshots import SqlSnapshotExtension, snapshot_text, state_file
from pytest_delta_schema.state.json_format.json_records import UPGRADE
from pytest_delta_schema.state.json_format.json_text import state_from_json_text, state_json_text

if TYPE_CHECKING:
    from syrupy.data import SnapshotCollection

    from pytest_delta_schema.engine.declarations import ReviewedTexts


class StoredTexts(NamedTuple):
    """The contents of the two files of a table; ``None`` for a file that does not exist."""

    sql: str | None
    state: bytes | None


class TableSnapshotExtension(SqlSnapshotExtension):
    """Keeps the two texts of a table in two files; each is written only if it differs."""

    # syrupy hands on what these return, and says that it is text or bytes.

    def serialize(self, data: Any, **_options: Any) -> Any:
        """Return the texts as their files hold them."""
        texts: ReviewedTexts = data
        return texts._replace(sql=snapshot_text(texts.sql))

    def read_snapshot_data_from_location(self, *, snapshot_location: str, **names: Any) -> Any:
        """Return what is stored; ``None`` if there is neither file."""
        sql = super().read_snapshot_data_from_location(snapshot_location=snapshot_location, **names)
        stored = StoredTexts(sql, _stored_state(snapshot_location))
        return None if stored == (None, None) else stored

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Whether both files hold what is declared.

        Raises:
            JsonFormError: If a newer release has written the state, so it must not be replaced.
        """
        is_same = holds_state(snapshot_data.state, serialized_data.state)
        return is_same and snapshot_data.sql == serialized_data.sql

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **_options: Any) -> None:
        """Write each file that holds something else; a state of another layout stays as it is."""
        location = snapshot_collection.location
        texts: Any = next(iter(snapshot_collection)).data
        stored = cls().read_snapshot_data_from_location(
            snapshot_location=location, snapshot_name="", session_id=""
        ) or StoredTexts(None, None)
        if stored.sql != texts.sql:
            Path(location).write_bytes(texts.sql.encode())
        if not holds_state(stored.state, texts.state):
            state_file(location).write_bytes(texts.state.encode())


def holds_state(content: bytes | None, text: str) -> bool:
    """Whether a file holds a state, in the layout of its text or in another.

    Raises:
        JsonFormError: If a newer release has written the file.
    """
    if content is None:
        return False
    if content.replace(b"\r\n", b"\n") == text.encode():
        return True
    try:
        return stored_state_text(content) == text
    except JsonFormError as error:
        if is_newer(error):
            raise
        return False


def stored_state_text(content: bytes) -> str:
    """Return the text that a file of a state would have if this release had written it.

    Raises:
        JsonFormError: If it holds no state.
    """
    return state_json_text(state_from_json_text(content))


def is_newer(error: JsonFormError) -> bool:
    """Whether a newer release has written what cannot be read."""
    return error.diagnostics[0].remedy == UPGRADE


def _stored_state(location: str) -> bytes | None:
    try:
        return state_file(location).read_bytes()
    except FileNotFoundError:
        return None
