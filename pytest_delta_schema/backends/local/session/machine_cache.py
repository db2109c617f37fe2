"""The cache folder of the user, and files in it whose names contain a checksum of their content."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, os_error_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK = 1 << 20


def cache_folder() -> Path:
    """Return the user's cache folder of this package, which may not exist yet."""
    return Path(user_cache_path("pytest_delta_schema"))


@contextmanager
def using_cache() -> Iterator[None]:
    """Turn an ``OSError`` of the cache into one line that names the folder and the remedy.

    Raises:
        BackendUnavailableError: If the block raises an ``OSError``.
    """
    try:
        yield
    except OSError as error:
        msg = (
            f"the cache folder {cache_folder()} cannot be used: {os_error_text(error)};"
            " set XDG_CACHE_HOME to a folder that can be written and has 300 MB free"
        )
        raise BackendUnavailableError(msg) from error


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def kept_file(folder: Path, key: str, suffix: str) -> Path | None:
    """Return the file that was stored under a key; a damaged one is removed, so it is made again.

    The folder need not exist. The key has no glob characters, and the suffix is such as ``.jar``. The result is
    ``None`` if there is no file whose bytes have the checksum in its name.
    """
    for path in sorted(folder.glob(f"{key}-*{suffix}")):
        try:
            if path.name == _name(path, key, suffix):
                return path
        except FileNotFoundError:  # another process was faster to remove it
            continue
        path.unlink(missing_ok=True)
    return None


def keep_file(made: Path, folder: Path, key: str, suffix: str) -> Path:
    """Move a new file to the name by which :func:`kept_file` finds it.

    The file must be on the same file system as the folder.
    """
    target = folder / _name(made, key, suffix)
    os.replace(made, target)  # noqa: PTH105 - replaces on every system
    return target


def _name(path: Path, key: str, suffix: str) -> str:
    return f"{key}-{checksum(path)[:16]}{suffix}"
