"""Clone a table in a local folder: its log with a new id, and links to its files."""

from __future__ import annotations

import errno
import os
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.backends.local.logs.live_files import has_live_files
from pytest_delta_schema.backends.local.logs.log_edits import edited_checksum, edited_commit
from pytest_delta_schema.delta.logs.log_listing import SIDECARS, LogListing, checksum_name, commit_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.backends.local.logs.log_edits import Action

_LOG = "_delta_log"
_CHANGES = "_change_data"


_ATTEMPTS = 3


class ChangingTableError(Exception):
    """A table changed during every attempt to clone it."""


def clone_folder(source: Path, target: Path, rewrite_checkpoint: Callable[[Path, Path, NewIds], None]) -> None:
    """Clone the table in a folder.

    Delta never changes a data file, a deletion vector or a file of changes after it was written, so both tables
    can link to one file: a statement that removes it removes one of the links.

    If all commits are there, no checkpoint is needed, and none is copied. Otherwise the clone begins with the newest
    checkpoint, which holds the id of the table, too.

    The log is listed again after everything was linked. If it has changed, a VACUUM may have removed files of the first
    listing before they were linked: then the clone is made again, unless it has all files of its version.

    The target does not exist. ``rewrite_checkpoint`` copies a checkpoint in parquet, with the new id.

    Raises:
        ChangingTableError: If the log has changed during each attempt.
        OSError: If a file cannot be read or written.
    """
    log = source / _LOG
    listing = _Listed.of(log)
    for _ in range(_ATTEMPTS):
        gone: FileNotFoundError | None = None
        try:
            _clone(source, target, listing.files, rewrite_checkpoint)
        except FileNotFoundError as error:
            # Delta's log cleanup may have removed it, which the next listing shows.
            gone = error
        before, listing = listing, _Listed.of(log)
        if gone is None and (listing == before or has_live_files(target, before.files)):
            return
        shutil.rmtree(target, ignore_errors=True)
        if gone is not None and listing == before:
            raise gone
    raise ChangingTableError


class _Listed(NamedTuple):
    """The files of a log, and when its newest commit was written: a table that is replaced may have equal names."""

    files: LogListing
    written: int

    @classmethod
    def of(cls, log: Path) -> _Listed:
        files = LogListing.of(path.name for path in log.iterdir())
        try:
            return cls(files, (log / commit_name(files.newest)).stat().st_mtime_ns)
        except FileNotFoundError:
            return cls(files, 0)


def _clone(
    source: Path, target: Path, listing: LogListing, rewrite_checkpoint: Callable[[Path, Path, NewIds], None]
) -> None:
    """Clone the version of the table that a listing of its log shows."""
    log, ids = source / _LOG, NewIds()
    first = 0 if listing.has_all_commits else listing.checkpoint
    if first < 0 or listing.missing:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(log / "a commit"))
    (target / _LOG).mkdir(parents=True)
    _link_files(source, target)
    if not listing.has_all_commits:
        for name in listing.checkpoints[listing.checkpoint]:
            if name.endswith(".json"):
                _copy_edited(log / name, target / _LOG / name, lambda content: edited_commit(content, ids.edits))
            else:
                rewrite_checkpoint(log / name, target / _LOG / name, ids)
        if (log / SIDECARS).is_dir():
            _link_files(log / SIDECARS, target / _LOG / SIDECARS)
    for version in sorted(listing.commits):
        if version >= first:
            name = commit_name(version)
            _copy_edited(log / name, target / _LOG / name, lambda content: edited_commit(content, ids.edits))
    for version in sorted(listing.checksums):
        if version >= first:
            name = checksum_name(version)
            _copy_edited(log / name, target / _LOG / name, lambda content: edited_checksum(content, ids.edits))


class NewIds:
    """The ids of a clone, by those that the table has had: a replaced table gets a new one."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self.edits = {"metaData": self._metadata, "metadata": self._metadata}

    def of(self, table_id: str) -> str:
        """Return the id of the clone for an id of the table."""
        return self._ids.setdefault(table_id, str(uuid.uuid4()))

    def _metadata(self, action: Action) -> Action:
        return {**action, "id": self.of(action["id"])}


def link_or_copy(source: Path, target: Path) -> None:
    """Link to a file, or copy it if the file system cannot link; one that was removed meanwhile is left out."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        return
    except OSError:
        shutil.copy2(source, target)


def _link_files(source: Path, target: Path) -> None:
    """Link to the files of a table, except those in hidden folders, such as the log and checkpoints of streams."""
    for folder, folders, files in os.walk(source):
        if Path(folder) == source:
            folders[:] = [name for name in folders if not _is_hidden(name)]
        own = target / Path(folder).relative_to(source)
        own.mkdir(parents=True, exist_ok=True)
        for name in files:
            link_or_copy(Path(folder, name), own / name)


def _is_hidden(folder: str) -> bool:
    """Whether a folder holds no data; the name of a partition column may begin like that of a hidden folder."""
    return folder.startswith(("_", ".")) and "=" not in folder and folder != _CHANGES


def _copy_edited(source: Path, target: Path, edit: Callable[[bytes], bytes | None]) -> None:
    """Copy a file with another content and its times, by which older versions are found."""
    content = edit(source.read_bytes())
    if content is not None:
        target.write_bytes(content)
        times = source.stat()
        os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
