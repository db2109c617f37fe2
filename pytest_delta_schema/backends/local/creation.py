"""Create tables in the local warehouse, where an earlier CREATE TABLE may have been killed."""

from __future__ import annotations

import re
import time
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pytest_delta_schema.backends.local.physical_names import remove_if_empty
from pytest_delta_schema.errors import StatementError, because

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_delta_schema.models.names import QualifiedName

SETTLED = 60.0
"""Seconds after which nobody is at work any more on a file that a CREATE TABLE writes before its commit."""

_LEFTOVER = re.compile(r"\.{1,2}\d{20}\.json\.[^./]+\.tmp(\.crc)?")
"""What a killed CREATE TABLE leaves in ``_delta_log``; ``Remains.java`` says the same."""

_PATIENCE = 300.0
_LOCKS = 16


@contextmanager
def place_for(table: QualifiedName, warehouse: Path, folder: Path) -> Iterator[None]:
    """Hold the place of a table for its creation, after what a killed one has left there was removed.

    Args:
        table: Its name.
        warehouse: The warehouse, in which the lock file lies.
        folder: The folder of the table.

    Raises:
        StatementError: If somebody else may be creating it at this moment, and nothing was removed; or if the folder or
            the lock cannot be written.
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
        msg = f"the warehouse {warehouse} cannot be written ({because(error)}); make room or give the permission"
        raise StatementError(msg, condition="NOT_WRITABLE") from error
    try:
        _remove_leftovers(table, folder)
        yield
    finally:
        lock.release()


def _remove_leftovers(table: QualifiedName, folder: Path) -> None:
    """Empty a folder in which nothing is but the files of a killed CREATE TABLE; any other is left as it is."""
    files = [path for path in folder.rglob("*") if not path.is_dir()]
    if any(path.parent != folder / "_delta_log" or not _LEFTOVER.fullmatch(path.name) for path in files):
        return
    ages = {path: _age(path) for path in files}
    young = min(files, key=lambda path: ages[path], default=None)
    if young is not None and ages[young] < SETTLED:
        msg = (
            f"{table}: somebody else is creating it, or was killed at that less than {SETTLED:.0f} s ago, because"
            f" {folder} holds {young.name}; apply again in a minute"
        )
        raise StatementError(msg, condition="BEING_CREATED")
    try:
        for path in files:
            path.unlink(missing_ok=True)
    except OSError as error:
        msg = f"{table}: what a killed CREATE TABLE left cannot be removed ({because(error)}); remove {folder}"
        raise StatementError(msg, condition="NOT_WRITABLE") from error
    remove_if_empty(folder)


def _age(path: Path) -> float:
    """Return how many seconds ago a file was written; none if it has just gone, because then somebody is at work."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
