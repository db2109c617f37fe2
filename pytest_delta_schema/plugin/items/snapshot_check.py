"""Compare a table with its snapshot, and say what differs: its SQL, or else its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.diagnostics.errors import JsonFormError
from pytest_delta_schema.diagnostics.escaping import printed
from pytest_delta_schema.plugin.items.snapshots import UPDATE, SqlSnapshotExtension, line_difference, state_file
from pytest_delta_schema.plugin.items.table_snapshots import (
    StoredTexts,
    TableSnapshotExtension,
    is_newer,
    stored_state_text,
)

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from pytest_delta_schema.engine.declarations import ReviewedTexts

_NEW = (
    f"This snapshot is new; {UPDATE}\nThen commit the folder {{folder}}: from then on pytest fails if the SQL or the"
    " state changes, and reviewers see the difference."
)
_ESCAPED = "Some characters are escaped for the terminal; the file has the exact text.\n"
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
        return None
    result = snapshot.executions[snapshot.num_executions - 1]
    if result.exception is not None and not isinstance(result.exception, JsonFormError):
        return Mismatch(f"the snapshot cannot be read: {result.exception}", UPDATE)
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
