"""Read tables of the warehouse folder from the files of their Delta logs, without a JVM.

Every table that is not plainly readable is left to Spark, which knows more and says what is wrong.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.logs.log_history import history_of
from pytest_delta_schema.backends.local.warehouse.physical_names import (
    MARKER,
    decode,
    encode_catalog,
    is_ambiguous,
    overlong_folder,
    schema_folder,
    table_folder,
)
from pytest_delta_schema.backends.logs.local_log import LocalLog
from pytest_delta_schema.backends.logs.log_damage import check_log
from pytest_delta_schema.backends.logs.log_findings import CheckedLog, Damage
from pytest_delta_schema.backends.logs.newest_version import newest_version
from pytest_delta_schema.backends.spark.openable import is_openable, may_lack_rows
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_delta_schema.backends.spark.history import History
    from pytest_delta_schema.diagnostics.errors import Diagnostic

_LOG = re.compile(r"[0-9]+\.(json|checkpoint\.([^/]+\.)?(parquet|json))")
"""The names of files that make a folder a Delta table; ``Remains.java`` has the same."""

_MALFORMED = (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError)
"""What reading a table raises if its files are not as this package knows them."""


class WarehouseLogs:
    """Reads the logs of one warehouse folder."""

    def __init__(self, warehouse: Path, delta: tuple[int, int]) -> None:
        self._warehouse = warehouse.absolute()
        self._delta = delta

    def holds(self, catalog: str) -> bool:
        """Whether the warehouse has the folder of a catalog."""
        return (self._warehouse / encode_catalog(catalog)).is_dir()

    def read(self, names: Iterable[QualifiedName]) -> dict[QualifiedName, TableState | Diagnostic]:
        """Return the states of tables, and the damage of damaged ones; tables that Spark must read are left out."""
        results = {}
        for name in names:
            try:
                result = self._read(name)
            except _MALFORMED:
                continue
            if result is not None:
                results[name] = result
        return results

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...] | None:
        """Return the names of all tables in a schema, sorted; ``None`` if Spark must list them."""
        folder = schema_folder(self._warehouse, catalog, schema)
        try:
            tables = [name for name in os.listdir(folder) if _log_files(LocalLog(_location(f"{folder}/{name}")))]  # noqa: PTH208 - paths cost time
            return tuple(sorted(QualifiedName(catalog, schema, folded(decode(name))) for name in tables))
        except FileNotFoundError:
            return ()
        except _MALFORMED:
            return None

    def history(self, name: QualifiedName) -> History | None:
        """Return the history of a table; ``None`` if Spark must read it."""
        try:
            return history_of(LocalLog(_location(str(table_folder(self._warehouse, name)))))
        except _MALFORMED:
            return None

    def _read(self, name: QualifiedName) -> TableState | Diagnostic | None:
        if is_ambiguous(name) or overlong_folder(name):
            return None
        folder = str(table_folder(self._warehouse, name))
        location = _location(folder)
        log = LocalLog(location)
        if not _log_files(log):
            return _absent(name, folder)
        try:
            checked = check_log(log)
        except FileNotFoundError:
            return _absent(name, folder)
        if isinstance(checked, Damage):
            return checked.of(name)
        return self._state(name, checked) if isinstance(checked, CheckedLog) else None

    def _state(self, name: QualifiedName, checked: CheckedLog) -> TableState | None:
        """Return the state of a table; ``None`` if Spark must read it."""
        facts = None if checked.listing.newest < 0 else newest_version(checked)
        if facts is None or may_lack_rows(checked, facts.protocol):
            return None
        state = facts.well_formed().state(name)
        return state if is_openable(facts, state, self._delta) else None


def _location(folder: str) -> str:
    """Return the location of the table of a folder in the warehouse."""
    try:
        with open(f"{folder}/{MARKER}", encoding="utf-8") as file:  # noqa: PTH123 - paths cost time
            location = file.read().strip()
    except (FileNotFoundError, NotADirectoryError):
        return folder
    if os.path.normpath(location) != location or not location.startswith("/"):
        msg = f"{folder}/{MARKER} names no folder of this machine in its plain form"
        raise ValueError(msg)
    return location


def _log_files(log: LocalLog) -> list[str]:
    """Return the names of the commits and checkpoints of a log; none if there is no log."""
    try:
        return [name for name in log.names() if _LOG.fullmatch(name)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _absent(name: QualifiedName, folder: str) -> TableState | None:
    """Return the state of a table without a log; ``None`` if something is in its folder, which Spark looks at."""
    if _exists(folder):
        return None
    return TableState(name=name, exists=False, schema_exists=_exists(os.path.dirname(folder)))  # noqa: PTH120 - paths cost time


def _exists(folder: str) -> bool:
    """Whether something has the name of a folder.

    Raises:
        OSError: If that cannot be known.
    """
    try:
        os.stat(folder)  # noqa: PTH116 - paths cost time
    except FileNotFoundError:
        return False
    return True
