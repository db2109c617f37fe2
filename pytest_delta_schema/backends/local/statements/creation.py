"""Create tables in the local warehouse, where an earlier CREATE TABLE may have been killed."""

from __future__ import annotations

import re
import time
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pytest_delta_schema.backends.local.warehouse.physical_names import remove_if_empty
from pytest_delta_schema.diagnostics.errors import StatementError, first_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_delta_schema.models.names import QualifiedName

SETTLED = 60.0
"""Seconds after which a file that CREATE TABLE writes before its commit is taken as left by a killed process."""

_LEFTOVER = re.compile(r"\.{1,2}\d{20}\.json\.[^./]+\.tmp(\.crc)?")
"""The files that a killed CREATE TABLE leaves in ``_delta_log``; ``Remains.java`` has the same pattern."""

_PATIENCE = 300.0
_LOCKS = 16


@contextmanager
def creation_lock(table: QualifiedName, warehouse: Path, folder: Path) -> Iterator[None]:
    """Hold a lock while a table is created, and first remove what a killed CREATE TABLE has left.

    Raises:
        StatementError: If another process may be creating the table, and nothing was removed; or if the folder or the
            lock cannot be written.
    """
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
