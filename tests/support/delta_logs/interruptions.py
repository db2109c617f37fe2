"""Let writers in between any two accesses of a reader to files."""

from __future__ import annotations

import builtins
import io
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from pytest_delta_schema.backends.unity import logs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_ACCESSES = (
    (builtins, "open"),
    (io, "open"),
    (os, "listdir"),
    (os, "scandir"),
    (os, "stat"),
    (os, "link"),
    (os, "mkdir"),
)


class Interruptions:
    """Runs writers before accesses to files in a folder.

    Args:
        folder: The folder; other files are not counted.
        writers: What is run, by the number of the access before which it is run, beginning with 0.
        torn: Whether what a writer does before a listing is done while it is made: then the listing has the old names
            and the newest of the new ones.
    """

    def __init__(self, folder: Path, writers: Mapping[int, Callable[[], None]], *, torn: bool = False) -> None:
        self.folder = str(folder)
        self.writers = dict(writers)
        self.torn = torn
        self.count = 0
        self._is_writing = False

    def access(self, path: object) -> bool:
        """Count an access, and run the writer that is due; return whether there was one."""
        if self._is_writing or not self.folder or not str(path).startswith(self.folder):
            return False
        writer = self.writers.pop(self.count, None)
        self.count += 1
        if writer is None:
            return False
        self._is_writing = True
        try:
            writer()
        finally:
            self._is_writing = False
        return True

    def listing(self, listed: Callable[[], Any], path: object) -> Any:
        """Return a listing, which may be torn."""
        if not self.torn or self._is_writing or self.count not in self.writers:
            self.access(path)
            return listed()
        before = list(listed())
        self.access(path)
        try:
            new = sorted(set(listed()) - set(before), key=_name)
        except OSError:
            return before
        return [*before, *new[-1:]]

    @contextmanager
    def active(self) -> Iterator[None]:
        """Count accesses by this process in the block, also those through pyarrow and the opening of deltalake."""
        import deltalake  # noqa: PLC0415 - it is patched

        patches = [patch.object(module, name, self._counted(getattr(module, name), name)) for module, name in _ACCESSES]
        made, opened = logs.file_system, deltalake.DeltaTable

        def open_table(location: str, **options: Any) -> Any:
            self.access(location)
            return opened(location, **options)

        def open_store(location: str, options: Mapping[str, str]) -> Any:
            self.access(self.folder)
            return _Store(self, made(location, options))

        patches.append(patch.object(logs, "file_system", open_store))
        patches.append(patch.object(deltalake, "DeltaTable", open_table))
        for one in patches:
            one.start()
        try:
            yield
        finally:
            for one in patches:
                one.stop()

    def _counted(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(path: Any = ".", *args: Any, **options: Any) -> Any:
            if name == "listdir" and str(path).startswith(self.folder):
                return self.listing(lambda: function(path), path)
            self.access(path)
            return function(path, *args, **options)

        return call


class _Store:
    """The file system of a log, as pyarrow has it."""

    def __init__(self, interruptions: Interruptions, store: Any) -> None:
        self._interruptions, self._store = interruptions, store

    def get_file_info(self, selector: Any) -> Any:
        folder = self._interruptions.folder
        return self._interruptions.listing(lambda: self._store.get_file_info(selector), folder)

    def open_input_file(self, path: str) -> Any:
        self._interruptions.access(self._interruptions.folder)
        return self._store.open_input_file(path)


def _name(entry: Any) -> str:
    return entry if isinstance(entry, str) else str(entry.base_name)
