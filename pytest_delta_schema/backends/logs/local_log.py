"""Read the files of a Delta log in a local folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pytest_delta_schema.backends.logs.log_files import Edges

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOG = "_delta_log"


class LocalLog:
    """Reads the files of the Delta log of a table in a local folder.

    Args:
        table: The folder of the table, which has the folder ``_delta_log``.
    """

    def __init__(self, table: str) -> None:
        self.path = os.path.join(table, _LOG)  # noqa: PTH118 - hundreds of logs are read, and paths cost time

    def names(self) -> Iterable[str]:
        """Return the names of the files in the log."""
        return os.listdir(self.path)  # noqa: PTH208 - as above

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with open(f"{self.path}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - as above, also the buffer
            return file.readall()

    def modified(self, name: str) -> int:
        """Return when a file was last changed, in milliseconds since 1970."""
        return os.stat(f"{self.path}/{name}").st_mtime_ns // 1_000_000  # noqa: PTH116 - as above

    def identity(self, name: str) -> object:
        """Return a value that differs if a file is replaced."""
        status = os.stat(f"{self.path}/{name}")  # noqa: PTH116 - as above
        return status.st_ino, status.st_mtime_ns, status.st_size

    def edges(self, name: str) -> Edges:
        """Return the first and last bytes of a file."""
        with open(f"{self.path}/{name}", "rb") as file:  # noqa: PTH123 - as above
            head = file.read(4)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 8, 0))
            return Edges(size, head, file.read())


def local_folder(location: str) -> str | None:
    """Return the local folder of a location; ``None`` if it is remote.

    The location is a path, or a URI with its special characters quoted.
    """
    if location.startswith("/"):
        return location
    parts = urlsplit(location)
    return url2pathname(parts.path) if parts.scheme == "file" and not parts.netloc else None
