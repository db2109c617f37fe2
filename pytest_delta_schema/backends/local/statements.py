"""Run statements on tables of the warehouse; one process at a time creates a table."""

from __future__ import annotations

import re
import time
import zlib
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pytest_delta_schema.backends.local.clones import TableTemplates
from pytest_delta_schema.backends.local.conversion import convert_folder, mark, mark_location
from pytest_delta_schema.backends.local.warehouse import remove_if_empty, table_folder
from pytest_delta_schema.backends.spark.errors import cancel_on_interrupt, stop_jobs
from pytest_delta_schema.backends.spark.sessions import SUBSTITUTE, shared_setting
from pytest_delta_schema.backends.spark.statements import DeltaStatements
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.execute.interruption import StillRunning
from pytest_delta_schema.sql.statement import StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pytest_delta_schema.backends.local.catalog import LocalCatalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement


_CREATING = 4
"""Threads that create tables; more of them are not faster on two processors (Spark 4.2)."""


class LocalStatements:
    """Runs the statements of a catalog."""

    def __init__(self, catalog: LocalCatalog) -> None:
        self._catalog = catalog
        self._prepared = TableTemplates(
            lambda name: table_folder(catalog.warehouse, name),
            lambda: catalog.bridge.settings_hash(),  # noqa: PLW0108 - the session starts when it is called
        )

    @contextmanager
    def creating_concurrently(self) -> Iterator[int]:
        """Allow creations in several threads; see :class:`CreatesConcurrently`."""
        stopping = cancel_on_interrupt(lambda: stop_jobs(self._catalog.spark))
        with shared_setting(lambda: self._catalog.spark, SUBSTITUTE, "false") as is_set, stopping:
            yield _CREATING if is_set else 1

    def reuse_creations(self) -> AbstractContextManager[None]:
        """Copy the new tables of the block from the logs of equal ones; see :class:`ReusesCreations`."""
        return self._prepared.active()

    @property
    def copied(self) -> AbstractSet[QualifiedName]:
        """The tables that were copied in this block, whose folders hold nothing but the copies."""
        return self._prepared.copied

    def run(self, statement: Statement) -> None:
        """Run one statement, or emulate it on open-source Delta."""
        bridge = self._catalog.bridge
        with bridge.using(statement.table.catalog), bridge.stopping():
            if bridge.is_warehouse(statement.table.catalog) and self._prepared.replace(statement):
                return
            if statement.kind is StatementKind.CREATE_TABLE:
                self._create(statement)
            elif statement.kind is StatementKind.CONVERT_TABLE:
                convert_folder(bridge, statement, bridge.sql)
            else:
                self._delta.run(statement)
                if statement.kind is StatementKind.REGISTER_TABLE:
                    mark_location(bridge, statement.table)

    @cached_property
    def _delta(self) -> DeltaStatements:
        catalog, bridge = self._catalog, self._catalog.bridge
        return DeltaStatements(bridge.sql, catalog.data_checks, bridge.gateway, lambda: catalog.capabilities)

    def _create(self, statement: Statement) -> None:
        table, bridge = statement.table, self._catalog.bridge
        if not bridge.is_warehouse(table.catalog):
            self._delta.run(statement)
            mark(bridge, table, str(bridge.gateway.load(table).path()))
            return
        folder = table_folder(self._catalog.warehouse, table)
        with creation_lock(table, self._catalog.warehouse, folder):
            try:
                self._delta.run(statement)
            except StillRunning:
                raise
            except BaseException:
                # A log folder without a commit, in which no table can be made.
                remove_if_empty(folder)
                raise
        mark(bridge, table, str(folder))


SETTLED = 60.0
"""Seconds after which a file that CREATE TABLE writes before its commit is taken as left by a killed process."""

_LEFTOVER = re.compile(r"\.{1,2}\d{20}\.json\.[^./]+\.tmp(\.crc)?")
"""The files that a killed CREATE TABLE leaves in ``_delta_log``; ``Remains.java`` has the same pattern."""

_PATIENCE = 300.0
_LOCKS = 16


@contextmanager
def creation_lock(table: QualifiedName, warehouse: Path, folder: Path) -> Iterator[None]:
    """Hold a lock while a table is created, and first remove what a killed CREATE TABLE has left."""
    stripe = zlib.crc32(str(folder.relative_to(warehouse)).encode()) % _LOCKS
    lock = FileLock(warehouse / f".creating-{stripe}.lock", timeout=_PATIENCE)
    try:
        warehouse.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        msg = f"another process has been creating a table in {warehouse} for {_PATIENCE:.0f} s; wait for it, or stop it"
        raise StatementError(msg, condition="LOCKED") from error
    except OSError as error:
        msg = f"the warehouse {warehouse} cannot be written ({first_line(error)}); free space or give the permission"
        raise StatementError(msg, condition="NOT_WRITABLE") from error
    try:
        _remove_leftovers(table, folder)
        yield
    finally:
        lock.release()


def _remove_leftovers(table: QualifiedName, folder: Path) -> None:
    """Empty a folder that holds only files of a killed CREATE TABLE; leave any other folder as it is."""
    files = [path for path in folder.rglob("*") if not path.is_dir()]
    if any(path.parent != folder / "_delta_log" or not _LEFTOVER.fullmatch(path.name) for path in files):
        return
    ages = {path: _age(path) for path in files}
    young = min(files, key=lambda path: ages[path], default=None)
    if young is not None and ages[young] < SETTLED:
        msg = (
            f"{table}: another process is creating it, or was killed while creating it less than {SETTLED:.0f} s ago,"
            f" because {folder} holds {young.name}; apply again in a minute"
        )
        raise StatementError(msg, condition="BEING_CREATED")
    try:
        for path in files:
            path.unlink(missing_ok=True)
    except OSError as error:
        msg = f"{table}: files of a killed CREATE TABLE cannot be removed ({first_line(error)}); remove {folder}"
        raise StatementError(msg, condition="NOT_WRITABLE") from error
    remove_if_empty(folder)


def _age(path: Path) -> float:
    """Return how many seconds ago a file was written; 0 if it was just removed, because another process works on it."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
