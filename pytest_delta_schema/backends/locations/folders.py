"""Folders of schemas and tables, on this machine and in stores, and why one cannot be read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.logs.files import LOG, LocalFiles, table_files
from pytest_delta_schema.backends.logs.stored import Entries, StoredFiles
from pytest_delta_schema.backends.problems import problem
from pytest_delta_schema.diagnostics.faults import UnreachableCatalog, UnreadableTable
from pytest_delta_schema.diagnostics.redaction import redacted_uri

if TYPE_CHECKING:
    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.backends.logs.stored import Store
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName


class UnreadFolder(Exception):  # noqa: N818 - a fact about a table, not about this program
    """Why a folder cannot be read, and what to do; ``concerns_run`` if no other folder can be read either."""

    def __init__(self, fact: str, remedy: str, *, concerns_run: bool = False) -> None:
        super().__init__(f"{fact}; {remedy}")
        self.fact, self.remedy, self.concerns_run = fact, remedy, concerns_run

    def of(self, name: QualifiedName) -> Diagnostic:
        """Return the problem of a table in that folder."""
        fault = UnreachableCatalog if self.concerns_run else UnreadableTable
        return problem(fault, name, self.fact, self.remedy, concerns_run=self.concerns_run)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder: below the location of a store, or of this machine."""

    path: str
    store: Store | None = None

    @property
    def uri(self) -> str:
        """The location of the folder."""
        return self.path if self.store is None else f"{self.store.location}/{self.path}".rstrip("/")

    @property
    def shown(self) -> str:
        """The location of the folder without secrets."""
        return self.path if self.store is None else redacted_uri(self.uri)

    def child(self, name: str) -> Folder:
        """Return a folder in it."""
        return Folder(f"{self.path}/{name}".lstrip("/" if self.store else ""), self.store)

    def log(self) -> LogFiles:
        """Return the files of the log of the table in it."""
        return LocalFiles(self.path) if self.store is None else StoredFiles(self.uri, {}, self.store, self.path)

    def entries(self) -> Entries:
        """Return what is in it, by one listing; a folder that a store does not have is empty."""
        if self.store is not None:
            return self.store.entries(self.path)
        folders: list[str] = []
        files: list[str] = []
        with os.scandir(self.path) as found:
            for entry in found:
                (folders if entry.is_dir() else files).append(entry.name)
        return Entries(tuple(folders), tuple(files))

    def is_table(self) -> bool:
        """Whether it has a Delta log."""
        return bool(table_files(self.log()))

    def holds_parquet(self) -> bool:
        """Whether it has parquet files and no Delta log, itself or in the first of its folders of partitions."""
        entries = self.entries()
        if LOG in entries.folders:
            return False
        if any(name.endswith(".parquet") and not name.startswith(("_", ".")) for name in entries.files):
            return True
        partitions = sorted(name for name in entries.folders if "=" in name)
        return bool(partitions) and self.child(partitions[0]).holds_parquet()
