"""Convert parquet in place, undo it if it fails or changes a value, and record the location of the table."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.conversion.conversion_proof import Verified
from pytest_delta_schema.backends.local.warehouse.physical_names import (
    MARKER,
    SESSION_CATALOG,
    encode,
    physical_schema,
    remove_if_empty,
    table_folder,
)
from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.execute.interruption import StillRunning
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.progress import LOGGER, step
from pytest_delta_schema.sql.aspects.conversion import conversion
from pytest_delta_schema.sql.quoting import dotted, parquet_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.backends.local.session.bridge import Bridge
    from pytest_delta_schema.sql.statement import Statement

_LOG = logging.getLogger(LOGGER)


def convert_folder(bridge: Bridge, statement: Statement, sql: Callable[[str], Any]) -> None:
    """Run a conversion, and verify that it has changed no value.

    A registered table is converted under its physical name, because Spark finds only Delta tables under the others.
    """
    for change in statement.changes:
        if isinstance(change, ConvertTable):
            source = change.source
            target = _physical(bridge, statement.table) if source.is_registered else parquet_files(source.path)
            verified = Verified(bridge, statement.table, source, target)
            with_them = "" if change.statistics else ", without their statistics"
            converting = f"{statement.table}: converting {source.files:,} parquet files to Delta{with_them}"
            try:
                with step(escaped(converting)):
                    sql(conversion(target, change))
            except StillRunning:
                raise
            except BaseException:
                remove_if_empty(Path(source.path) / "_delta_log")
                raise
            verified.require_same_rows()
            mark(bridge, statement.table, source.path)


def mark(bridge: Bridge, table: QualifiedName, path: str) -> None:
    """Write a file next to the data of a new table that prevents its conversion if its log is lost.

    A file that cannot be written is logged, because the table already exists.
    """
    try:
        with translate_errors():
            bridge.mark(path)
    except StatementError as error:
        fact = f"{table}: the file that forbids its conversion, if its log is lost, was not written"
        _LOG.warning("%s: %s", escaped(fact), first_line(error))


def mark_location(bridge: Bridge, table: QualifiedName) -> None:
    """Write the location of a table to its folder of the warehouse, so later processes find the table."""
    if not bridge.is_warehouse(table.catalog):
        return
    folder = table_folder(bridge.warehouse, table)
    location = str(bridge.gateway.load(table).path())
    target = location.removeprefix("file:")
    if target.startswith("/") and Path(target) != folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARKER).write_text(target + "\n", encoding="utf-8")


def _physical(bridge: Bridge, table: QualifiedName) -> str:
    if not bridge.is_warehouse(table.catalog):
        return dotted(table)
    return dotted(QualifiedName(SESSION_CATALOG, physical_schema(table.catalog, table.schema), encode(table.table)))
