"""The files of Delta logs in stores, as deltalake reaches them."""

from __future__ import annotations

import importlib.util
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from pytest_delta_schema.backends.logs.files import LOG, Stamp
from pytest_delta_schema.diagnostics.redaction import HiddenValues, redacted_uri

if TYPE_CHECKING:
    from collections.abc import Mapping


_SECOND = 1_000_000_000


class Entries(NamedTuple):
    """What is in a folder: the names of its folders and those of its files."""

    folders: tuple[str, ...]
    files: tuple[str, ...]


class Store:
    """A location in a store, and what is below it; one connection serves all of it.

    Args:
        location: The URI of the location.
        options: The options with which deltalake opens it.
    """

    def __init__(self, location: str, options: Mapping[str, str]) -> None:
        self.location = location
        self._options = HiddenValues(options)

    @cached_property
    def system(self) -> Any:
        """The file system of pyarrow through which deltalake reaches the location."""
        return file_system(self.location, self._options)

    def entries(self, path: str) -> Entries:
        """Return what is in a folder below the location; nothing if there is no such folder."""
        from pyarrow.fs import FileSelector, FileType

        found = self.system.get_file_info(FileSelector(path))
        return Entries(
            tuple(info.base_name for info in found if info.type is FileType.Directory),
            tuple(info.base_name for info in found if info.type is not FileType.Directory),
        )


class StoredFiles:
    """The files of a log in a store; see :class:`LogFiles`.

    Args:
        location: The location of the table.
        options: The options with which deltalake opens it.
        store: The store of a folder above it, whose connection is used.
        path: The folder of the table below the location of ``store``.
    """

    def __init__(self, location: str, options: Mapping[str, str], store: Store | None = None, path: str = "") -> None:
        self.path = f"{redacted_uri(location).rstrip('/')}/{LOG}"
        self._store = store or Store(location, options)
        self._folder = f"{path}/{LOG}" if path else LOG
        self._listed: dict[str, Stamp] = {}

    def names(self) -> set[str]:
        """Return the names of the files in the folder."""
        from pyarrow.fs import FileSelector

        found = self._store.system.get_file_info(FileSelector(self._folder))
        self._listed = {info.base_name: _stamp(info) for info in found if not (info.mtime_ns or 1) % _SECOND}
        return {info.base_name for info in found}

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        file: BinaryIO = self._store.system.open_input_file(f"{self._folder}/{name}")
        return file

    def stamp(self, name: str) -> Stamp:
        """Return the stamp of a file, which differs if the file is replaced.

        The first one after a listing is that of the listing, which saves a request for each table, unless its time has
        a fraction of a second, which headers of files do not have.
        """
        listed = self._listed.pop(name, None)
        return listed or _stamp(self._store.system.get_file_info(f"{self._folder}/{name}"))


def _stamp(info: Any) -> Stamp:
    return Stamp(info.mtime_ns, info.size)


VERSIONS = {"deltalake": ">=1.6,<1.7"}
"""The versions with which these names were tested."""


def missing_deltalake(backend: str) -> str:
    """Return what to install before a backend can read stores; ``""`` if nothing is missing."""
    if importlib.util.find_spec("deltalake") is not None:
        return ""
    return (
        f"the {backend} backend needs deltalake, which is not installed; pip install 'pytest-delta-schema[{backend}]'"
    )


def file_system(location: str, options: Mapping[str, str]) -> Any:
    """Return the pyarrow file system through which deltalake opens a location."""
    from deltalake.exceptions import TableNotFoundError
    from deltalake.fs import DeltaStorageHandler
    from pyarrow.fs import PyFileSystem

    try:
        return PyFileSystem(DeltaStorageHandler(location, dict(options) or None))
    except TableNotFoundError as error:
        raise FileNotFoundError(str(error)) from error
