"""Write files so that a kill leaves the old one or the new one, and never a part."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import os_error_text

if TYPE_CHECKING:
    from pathlib import Path


class UnwritableFileError(Exception):
    """A file cannot be written; the text names it, with the reason and the remedy."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file next to its place, and move it there.

    Raises:
        UnwritableFileError: If it cannot be written; an old file stays as it is.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(content)
        if path.exists():
            shutil.copymode(path, scratch)
        os.replace(scratch, path)  # noqa: PTH105 - replaces on every system
    except OSError as error:
        scratch.unlink(missing_ok=True) if scratch.parent.is_dir() else None
        msg = f"{path} cannot be written: {os_error_text(error)}; make its folder writable, or name another path"
        raise UnwritableFileError(msg) from None
