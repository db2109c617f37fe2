"""Snapshots of SQL: one ``.sql`` file a table, kept by syrupy, compared line by line."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from pytest_delta_schema.diagnostics.escaping import printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.assertion import SnapshotAssertion

UPDATE = "review it, and accept it with: pytest --snapshot-update"
NEW = (
    f"This snapshot is new; {UPDATE}\nThen commit the folder {{folder}}: from then on pytest fails if the SQL changes,"
    " and reviewers see the difference."
)


class SqlSnapshotExtension(SingleFileSnapshotExtension):
    """Keeps text as it is, with one newline at its end."""

    _write_mode = WriteMode.TEXT
    file_extension = "sql"

    def serialize(self, data: object, **_options: Any) -> str:
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
        yield from _difference(printed(snapshot_data), printed(serialized_data))


def snapshot_text(sql: str) -> str:
    """Return SQL as its snapshot holds it: with Unix line ends and one at the end."""
    text = sql.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n") + "\n"
    # A lone surrogate cannot be written to a file, nor to any catalog.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def mismatch(snapshot: SnapshotAssertion, text: str) -> tuple[str, str] | None:
    """Compare ``text`` with its snapshot, or write it if the run updates snapshots.

    The result is ``None`` if they are equal; otherwise a headline and the difference, without colours.
    """
    if snapshot == text:
        return None
    result = snapshot.executions[snapshot.num_executions - 1]
    if result.exception is not None:
        return f"the snapshot cannot be read: {result.exception}", UPDATE
    stored, rendered = str(result.recalled_data or ""), str(result.asserted_data)
    if result.recalled_data is None:
        folder = snapshot.extension.snapshot_dirname
        shown, note = _shown(text)
        return "there is no snapshot of its SQL yet", f"{shown}\n\n{note}{NEW.format(folder=folder)}"
    difference, note = _shown("\n".join(_difference(stored, rendered)))
    return "its SQL is not the one in the snapshot", f"{difference}\n\n{note}{UPDATE}"


def _difference(stored: str, rendered: str) -> Iterator[str]:
    before, after = (text.rstrip("\n").split("\n") for text in (stored, rendered))
    return unified_diff(before, after, "reviewed", "declared", lineterm="")


def _shown(text: str) -> tuple[str, str]:
    """Return SQL, or a difference of SQL, as it is printed, and a line that says whether it is exact."""
    shown = printed(text)
    note = "Some characters are escaped for the terminal; the file has the exact SQL."
    return shown, "" if shown == text else f"{note}\n"
