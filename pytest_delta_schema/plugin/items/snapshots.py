"""Snapshots of SQL: ``.sql`` files, kept by syrupy, compared line by line; that of a table has its state next to it."""

from __future__ import annotations

import re
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from pytest_delta_schema.diagnostics.escaping import printed
from pytest_delta_schema.state.json_format.snapshot_names import STATE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.data import SnapshotCollection
    from syrupy.location import PyTestLocation

UPDATE = "review it, and accept it with: pytest --snapshot-update"
_SQL_NAME, _STATE_NAME = r"\.ddl(\[[^/\\]*\])?\.sql$", r"(\[[^/\\]*\])?\.state\.json$"
"""Names of the two files of a table; parameters are in brackets, which its own name has not."""


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
        """Show the remedy, which pytest does not cut there, and every difference, with names escaped.

        syrupy leaves out all differences of a long text but the first. The files have the exact text.
        """
        yield f"R{UPDATE[1:]}"
        yield from line_difference(printed(snapshot_data), printed(serialized_data))

    def is_snapshot_location(self, *, location: str) -> bool:
        """Whether a file is a snapshot, or the state that belongs to one."""
        return location.endswith((".sql", STATE_FILE))

    def owns_snapshot_collection(self, *, filepath: str, test_location: PyTestLocation) -> bool:
        """Whether a file is a snapshot of a test in a folder.

        That of syrupy 7 takes a tenth of a run of 1,000 tables.
        """
        folder = Path(test_location.filepath).parent / self.snapshot_dirname
        return self.is_snapshot_location(location=filepath) and Path(filepath).parent.parent == folder

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        """Return the snapshot of a file; a state has that of its SQL, whether that file exists or not."""
        location = re.sub(_STATE_NAME, r".ddl\1.sql", snapshot_location)
        return super().read_snapshot_collection(snapshot_location=location)

    def delete_snapshots(self, *, snapshot_location: str, **_names: Any) -> None:
        """Delete the file of a snapshot, and that of its state."""
        for path in (Path(snapshot_location), state_file(snapshot_location)):
            path.unlink(missing_ok=True)


def state_file(location: str) -> Path:
    """Return the file of the state that belongs to the SQL of a table."""
    return Path(re.sub(_SQL_NAME, rf"\1{STATE_FILE}", location))


def snapshot_text(sql: str) -> str:
    """Return SQL as its snapshot holds it: with Unix line ends and one at the end."""
    text = sql.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n") + "\n"
    # A lone surrogate cannot be written to a file, nor to any catalog.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def line_difference(stored: str, rendered: str) -> Iterator[str]:
    """Yield the lines in which a text differs from the one that was reviewed."""
    before, after = (text.rstrip("\n").split("\n") for text in (stored, rendered))
    return unified_diff(before, after, "reviewed", "declared", lineterm="")
