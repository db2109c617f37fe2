"""The progress of a download of jars by Spark's resolver (Ivy), from its log, its files and the server's answers."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_DOWNLOADING = re.compile(r"^downloading (\S+) \.\.\.", re.MULTILINE)
_FOUND = re.compile(r"^\s*found \S+ in ", re.MULTILINE)
_PATIENCE = 2.0
"""Seconds to wait for the length of a file."""


def download_progress(folder: Path) -> str:
    """Return how much is downloaded: megabytes, files, and the part of the running file."""
    with suppress(OSError):
        log = (folder / "resolve.log").read_text("utf-8", errors="replace")
        addresses = _DOWNLOADING.findall(log)
        modules = len(_FOUND.findall(log))
        if not addresses:
            return f"{modules} modules found so far" if modules else ""
        whole = list(folder.glob("cache/**/*.jar"))
        running = _size(folder.glob("cache/**/*.part"))
        total = f"{(_size(whole) + running) / 1e6:.1f} MB, file {len(addresses)} of {max(modules, len(addresses))}"
        length = length_of(addresses[-1])
        if length is None or running == 0:
            return total
        return f"{total} ({running / 1e6:.1f} of {length / 1e6:.1f} MB)"
    return ""


@cache
def length_of(address: str) -> int | None:
    """Return the length of a file as its server gives it; ``None`` if the server gives none."""
    if not address.startswith(("http://", "https://")):
        return None
    with (
        suppress(OSError, ValueError),
        urlopen(Request(address, method="HEAD"), timeout=_PATIENCE) as answer,  # noqa: S310 - see the line above
    ):
        return int(answer.headers["Content-Length"])
    return None


def _size(paths: Iterable[Path]) -> int:
    size = 0
    for path in paths:
        with suppress(OSError):  # renamed since it was listed
            size += path.stat().st_size
    return size
