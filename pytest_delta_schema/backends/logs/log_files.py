"""The file system of a Delta log, as its readers use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable


class Edges(NamedTuple):
    """The length of a file in bytes, its first four and its last eight bytes."""

    size: int
    head: bytes
    tail: bytes


class LogReader(Protocol):
    """Reads files of one ``_delta_log`` folder by their names."""

    @property
    def path(self) -> str:
        """The folder, for messages."""
        ...

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises:
            OSError: If it cannot be read; ``FileNotFoundError`` if it is not there.
        """
        ...


class ListedLog(LogReader, Protocol):
    """Lists and reads the files of one ``_delta_log`` folder, local or remote."""

    def names(self) -> Iterable[str]:
        """Return the names of the files in it, in any order.

        Raises:
            OSError: If it cannot be listed; ``FileNotFoundError`` if it is not there.
        """
        ...


class LogFiles(ListedLog, Protocol):
    """Also reads parts of files."""

    def edges(self, name: str) -> Edges:
        """Return the first and last bytes of a file, which may be large.

        Raises:
            OSError: If it cannot be read; ``FileNotFoundError`` if it is not there.
        """
        ...


class LocalFiles(LogFiles, Protocol):
    """Also tells files apart that have one name after each other."""

    def identity(self, name: str) -> object:
        """Return a value that differs if a file is replaced.

        Raises:
            OSError: If that cannot be known; ``FileNotFoundError`` if it is not there.
        """
        ...
