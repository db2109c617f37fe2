"""Snapshots of SQL: ``.sql`` files, kept by syrupy, compared line by line; that of a table has its state next to it."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from pytest_delta_schema.diagnostics.errors import JsonFormError
from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.engine.declarations import snapshot_text
from pytest_delta_schema.plugin.syrupy_compat import write_queued
from pytest_delta_schema.state.json_shapes import SQL_FILE, STATE_FILE, UPGRADE
from pytest_delta_schema.state.json_state import state_from_json_text, state_json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.assertion import SnapshotAssertion
    from syrupy.data import SnapshotCollection
    from syrupy.location import PyTestLocation

    from pytest_delta_schema.engine.declarations import ReviewedTexts


UPDATE = "review it, and accept it with: pytest --snapshot-update"

_NEW = (
    f"This snapshot is new; {UPDATE}\nThen commit the folder {{folder}}: from then on pytest fails if the SQL or the"
    " state changes, and reviewers see the difference."
)

_ESCAPED = "Some characters are escaped for the terminal; the file has the exact text.\n"
_UNUSABLE = "the snapshot cannot be read or written"
_REWRITE = "Write it again with: pytest --snapshot-update"


class Mismatch(NamedTuple):
    """Why a table is not as it was reviewed."""

    head: str
    body: str
    remedy: str = UPDATE


def mismatch(snapshot: SnapshotAssertion, texts: ReviewedTexts) -> Mismatch | None:
    """Compare the texts of a table with their files, or write both if the run updates snapshots.

    The result is ``None`` if they are equal; otherwise the first fault, which speaks for both files.
    """
    if snapshot(extension_class=TableSnapshotExtension) == texts:
        fault = write_queued(snapshot, TableSnapshotExtension)
        return Mismatch(f"{_UNUSABLE}: {fault}", UPDATE) if fault else None
    result = snapshot.executions[snapshot.num_executions - 1]
    if result.exception is not None and not isinstance(result.exception, JsonFormError):
        return Mismatch(f"{_UNUSABLE}: {result.exception}", UPDATE)
    stored: Any = result.recalled_data or StoredTexts(None, None)
    declared: Any = result.asserted_data
    try:
        if result.exception is not None:
            raise result.exception
        if stored.sql != declared.sql:
            return _difference("SQL", stored.sql, declared.sql)
        state = None if stored.state is None else stored_state_text(stored.state)
        return _difference("state", state, declared.state)
    except JsonFormError as error:
        return _unreadable(state_file(result.snapshot_location).name, error)


def _difference(part: str, stored: str | None, declared: str) -> Mismatch:
    if stored is None:
        new = _NEW.format(folder=SqlSnapshotExtension.snapshot_dirname)
        return Mismatch("there is no snapshot yet", f"{_shown(declared)}{new}")
    changes = _shown("\n".join(line_difference(stored, declared)))
    return Mismatch(f"its {part} is not the one in the snapshot", f"{changes}{UPDATE}")


def _unreadable(file: str, error: JsonFormError) -> Mismatch:
    """Return the faults of a file that holds no state; what a newer release has written is not written again."""
    first = error.diagnostics[0]
    remedy = first.remedy if is_newer(error) else _REWRITE
    facts = "\n".join(f"{file}: {diagnostic.fact}" for diagnostic in error.diagnostics)
    return Mismatch(
        f"the snapshot of its state cannot be read: {first.message}",
        printed(facts) if is_newer(error) else f"{printed(facts)}\n\n{_REWRITE}",
        remedy,
    )


def _shown(text: str) -> str:
    """Return SQL, JSON, or a difference, as it is printed, and whether it is exact."""
    shown = printed(text)
    return f"{shown}\n\n" if shown == text else f"{shown}\n\n{_ESCAPED}"


class SqlSnapshotExtension(SingleFileSnapshotExtension):
    """Keeps text as it is, with one newline at its end; the file of a state belongs to the file of its SQL."""

    _write_mode = WriteMode.TEXT
    file_extension = "sql"

    def serialize(self, data: object, **_options: Any) -> Any:
        """Return ``data`` with Unix line ends and one at the end; raise a ``TypeError`` if it is not text."""
        if not isinstance(data, str):
            msg = f"a SQL snapshot holds text, got {type(data).__name__}; render the statements first"
            raise TypeError(msg)
        return snapshot_text(data)

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        """Show the remedy, which pytest does not cut there, and every difference, with names escaped."""
        yield f"R{UPDATE[1:]}"
        yield from line_difference(printed(snapshot_data), printed(serialized_data))

    def is_snapshot_location(self, *, location: str) -> bool:
        """Whether a file is a snapshot, or the state that belongs to one."""
        return location.endswith((".sql", STATE_FILE))

    def owns_snapshot_collection(self, *, filepath: str, test_location: PyTestLocation) -> bool:
        """Whether a file is a snapshot of a test in a folder."""
        folder = Path(test_location.filepath).parent / self.snapshot_dirname
        return self.is_snapshot_location(location=filepath) and Path(filepath).parent.parent == folder

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        """Return the snapshot of a file; a state has that of its SQL, whether that file exists or not."""
        if snapshot_location.endswith(STATE_FILE):
            snapshot_location = f"{snapshot_location.removesuffix(STATE_FILE)}{SQL_FILE}"
        return super().read_snapshot_collection(snapshot_location=snapshot_location)

    def delete_snapshots(self, *, snapshot_location: str, **_names: Any) -> None:
        """Delete the file of a snapshot, and that of its state."""
        for path in (Path(snapshot_location), state_file(snapshot_location)):
            path.unlink(missing_ok=True)


def state_file(location: str) -> Path:
    """Return the file of the state that belongs to the SQL of a table."""
    return Path(f"{location.removesuffix(SQL_FILE)}{STATE_FILE}") if location.endswith(SQL_FILE) else Path(location)


def line_difference(stored: str, rendered: str) -> Iterator[str]:
    """Yield the lines in which a text differs from the one that was reviewed."""
    before, after = (text.rstrip("\n").split("\n") for text in (stored, rendered))
    return unified_diff(before, after, "reviewed", "declared", lineterm="")


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
        try:
            sql = super().read_snapshot_data_from_location(snapshot_location=snapshot_location, **names)
        except UnicodeDecodeError:  # no text differs from every text, and is written again as one
            sql = Path(snapshot_location).read_text("utf-8", "replace")
        stored = StoredTexts(sql, _stored_state(snapshot_location))
        return None if stored == (None, None) else stored

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Whether both files hold what is declared."""
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
            _write(Path(location), texts.sql)
        if not holds_state(stored.state, texts.state):
            _write(state_file(location), texts.state)


def _write(path: Path, text: str) -> None:
    # Only runs that write need it.
    from pytest_delta_schema.engine.source_files import write_whole

    write_whole(path, text.encode())


def holds_state(content: bytes | None, text: str) -> bool:
    """Whether a file holds a state, in the layout of its text or in another."""
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
    """Return the text that a file of a state would have if this release had written it."""
    return state_json_text(state_from_json_text(content))


def is_newer(error: JsonFormError) -> bool:
    """Whether a newer release has written what cannot be read."""
    return error.diagnostics[0].remedy == UPGRADE


def _stored_state(location: str) -> bytes | None:
    try:
        return state_file(location).read_bytes()
    except FileNotFoundError:
        return None
