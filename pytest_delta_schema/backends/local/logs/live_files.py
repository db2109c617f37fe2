"""Check that a folder has the data files of the newest version in its log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pytest_delta_schema.delta.logs.log_listing import commit_name

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema.delta.logs.log_listing import LogListing

_INLINE = "i"
"""The kind of a deletion vector that is in the log."""


def has_live_files(folder: Path, listing: LogListing) -> bool:
    """Whether a folder has the data files of its newest version, if the commits show them without Spark.

    A log that needs a checkpoint, and a deletion vector in a file, are not examined: then it is ``False``.
    """
    if not listing.has_all_commits:
        return False
    live: dict[str, bool] = {}
    for version in sorted(listing.commits):
        lines = (folder / "_delta_log" / commit_name(version)).read_bytes().splitlines()
        actions = [json.loads(line) for line in lines if line.strip()]
        for action in actions:
            if "remove" in action:
                live.pop(action["remove"]["path"], None)
        for action in actions:
            if "add" in action:
                vector = action["add"].get("deletionVector")
                live[action["add"]["path"]] = vector is None or vector["storageType"] == _INLINE
    return all(is_plain and _is_there(folder, path) for path, is_plain in live.items())


def _is_there(folder: Path, path: str) -> bool:
    """Whether a file is in the folder, or one that is not linked, because its path is absolute."""
    return bool(urlsplit(path).scheme) or (folder / unquote(path)).exists()
