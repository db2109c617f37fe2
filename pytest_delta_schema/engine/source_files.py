"""Read and replace the files that imports and adoptions write, whole or not at all; links are followed."""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - the field of a data class
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import os_error_text

if TYPE_CHECKING:
    from typing_extensions import Self


class UnwritableFileError(Exception):
    """A file cannot be written; the text names it, with the reason and the remedy."""


@dataclass(slots=True)
class SourceFile:
    """A file with the bytes that it had when it was read or written last."""

    path: Path
    content: bytes | None
    """``None`` if it does not exist."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file, which need not exist."""
        return cls(path, path.read_bytes() if path.is_file() else None)

    def replace(self, content: bytes | None) -> None:
        """Give the file other bytes, or remove it, unless somebody else has changed it.

        Raises:
            UnwritableFileError: If it cannot be written; then it is as it was.
        """
        if type(self).read(self.path).content != self.content:
            msg = f"{self.path} has changed since it was read; run again"
            raise UnwritableFileError(msg)
        if content is None:
            _remove(self.path)
        else:
            write_whole(self.path, content)
        self.content = content


def _remove(path: Path) -> None:
    """Remove a file; a link to it stays."""
    try:
        path.resolve().unlink()
    except OSError as error:
        msg = f"{path} cannot be removed: {os_error_text(error)}; remove it by hand"
        raise UnwritableFileError(msg) from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file next to its place, and move it there; a link stays one, and its target is written."""
    scratch = None
    try:
        target = path.resolve()
        if target.exists() and not (target.stat().st_mode & stat.S_IWUSR and os.access(target, os.W_OK)):
            msg = f"{path} is read-only; make it writable"
            raise UnwritableFileError(msg)
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        scratch.write_bytes(content)
        if target.exists():
            shutil.copymode(target, scratch)
        os.replace(scratch, target)  # noqa: PTH105 - replaces on every system
    except (OSError, RuntimeError) as error:
        # Before Python 3.13, links in a circle are a RuntimeError.
        if scratch is not None:
            scratch.unlink(missing_ok=True)
        fact = os_error_text(error) if isinstance(error, OSError) else str(error)
        msg = f"{path} cannot be written: {fact}; make its folder writable, or name another path"
        raise UnwritableFileError(msg) from None
