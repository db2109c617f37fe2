"""Edit actions in the files of a Delta log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Action = dict[str, Any]
    Edits = Mapping[str, Callable[[Any], Any]]


def edited_commit(content: bytes, edits: Edits) -> bytes:
    """Return a commit, or a checkpoint in JSON, with other actions; lines without them keep their bytes.

    ``edits`` returns the new action for the old one, by the kind of the action, such as ``metaData``.
    """
    marks = [f'"{kind}"'.encode() for kind in edits]
    lines = content.split(b"\n")
    return b"\n".join(_edited_line(line, edits) if any(mark in line for mark in marks) else line for line in lines)


def edited_checksum(content: bytes, edits: Edits) -> bytes | None:
    """Return a checksum file with other values; ``None`` if it is not JSON, which readers ignore.

    ``edits`` returns the new value for the old one, by its key, such as ``metadata``.
    """
    try:
        checksum = json.loads(content)
    except ValueError:
        return None
    return _bytes(_edited(checksum, edits)) if isinstance(checksum, dict) else None


def _edited_line(line: bytes, edits: Edits) -> bytes:
    action: Action = json.loads(line)
    edited = _edited(action, edits)
    return line if edited == action else _bytes(edited)


def _edited(action: Action, edits: Edits) -> Action:
    return {key: edits[key](value) if key in edits and value is not None else value for key, value in action.items()}


def _bytes(value: Action) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
