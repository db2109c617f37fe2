"""The records of kept JVMs: files that only their user can read or replace."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.session.machine_cache import cache_folder
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.diagnostics.errors import os_error_text

if TYPE_CHECKING:
    from pathlib import Path

_SUFFIX = ".json"
_LARGEST = 1 << 16


class NotKeptError(Exception):
    """A JVM cannot be kept, or a kept one not used; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderRecord:
    """How runs reach the holder of a JVM."""

    folder: str
    key: str
    port: int
    secret: Secret


def records_folder() -> Path:
    """Return the folder of all records, which may not exist yet."""
    return cache_folder() / "kept-jvms"


def record_path(folder: Path) -> Path:
    """Return the path of the record for a working folder; the cache may be shared by several machines."""
    name = hashlib.sha256(f"{socket.gethostname()}\0{folder}".encode(errors="surrogateescape")).hexdigest()[:16]
    return records_folder() / f"{name}{_SUFFIX}"


def record_paths() -> list[Path]:
    """Return the paths of all records."""
    return sorted(records_folder().glob(f"*{_SUFFIX}"))


def private_folder() -> Path:
    """Return the folder of the records, which is created if it is missing.

    Raises:
        NotKeptError: If other users could read or replace files in it, or it cannot be created.
    """
    folder = records_folder()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        status = folder.lstat()
    except OSError as error:
        msg = f"the folder {folder} cannot be used: {os_error_text(error)}"
        raise NotKeptError(msg) from error
    if not stat.S_ISDIR(status.st_mode):
        msg = f"{folder} is not a directory (symbolic links are not followed); remove it"
        raise NotKeptError(msg)
    _require_private(folder, status, f"chmod 700 {folder}")
    return folder


def read_record(path: Path) -> HolderRecord | None:
    """Return the record in a file; ``None`` if there is none, or something else is in it.

    A link is not followed.

    Raises:
        NotKeptError: If other users could have read or written it, or it cannot be read.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        msg = f"{path} cannot be read: {os_error_text(error)}; remove it"
        raise NotKeptError(msg) from error
    with os.fdopen(file, "rb") as opened:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            msg = f"{path} is not a regular file; remove it"
            raise NotKeptError(msg)
        _require_private(path, status, f"rm {path}")
        return _parsed(opened.read(_LARGEST))


def write_record(path: Path, record: HolderRecord) -> None:
    """Write a record to a file with the mode 0600, instead of an older one."""
    scratch = path.with_suffix(f".{os.getpid()}.new")
    with suppress(FileNotFoundError):
        scratch.unlink()
    file = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        json.dump(
            {"folder": record.folder, "key": record.key, "port": record.port, "secret": record.secret.reveal()}, opened
        )
    os.replace(scratch, path)  # noqa: PTH105 - replaces on every system


def remove_record(path: Path, record: HolderRecord) -> None:
    """Remove a record, unless a newer one has taken its place."""
    with suppress(OSError, NotKeptError):
        kept = read_record(path)
        if kept is not None and kept.secret.reveal() == record.secret.reveal():
            path.unlink()


def _require_private(path: Path, status: os.stat_result, remedy: str) -> None:
    if status.st_uid != os.geteuid():
        msg = f"{path} belongs to another user; remove it, or set XDG_CACHE_HOME to a folder of your own"
        raise NotKeptError(msg)
    if status.st_mode & 0o077:
        msg = f"other users have access to {path}; run {remedy}"
        raise NotKeptError(msg)


def _parsed(data: bytes) -> HolderRecord | None:
    try:
        values: Any = json.loads(data)
        folder, key, port, secret = (values[name] for name in ("folder", "key", "port", "secret"))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = (folder, key, secret)
    if not (all(isinstance(text, str) and text for text in texts) and type(port) is int and 0 < port < 1 << 16):
        return None
    return HolderRecord(folder=folder, key=key, port=port, secret=Secret(secret))
