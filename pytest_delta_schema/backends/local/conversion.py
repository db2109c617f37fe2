"""Convert parquet files in place, inspect them before, and mark the folders of Delta tables."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.warehouse import (
    MARKER,
    SESSION_CATALOG,
    encode,
    physical_schema,
    remove_if_empty,
    table_folder,
)
from pytest_delta_schema.backends.spark.compat import clear_cache, java_frame, java_session
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.sessions import TIME_ZONE
from pytest_delta_schema.backends.spark.statements import relation_of, table_fingerprint
from pytest_delta_schema.delta.names import NameSet
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.execute.interruption import StillRunning
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.progress import LOGGER, step
from pytest_delta_schema.sql.data_check_queries import difference
from pytest_delta_schema.sql.quoting import delta_files, dotted, parquet_files
from pytest_delta_schema.sql.renderers import conversion
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.states import NOTHING, PARQUET, SourceState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_delta_schema.backends.local.bridge import Bridge
    from pytest_delta_schema.sql.data_check_queries import Fingerprint
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.types import ColumnState


_LOG = logging.getLogger(LOGGER)


def convert_folder(bridge: Bridge, statement: Statement, sql: Callable[[str], Any]) -> None:
    """Convert a folder, or a table by its physical name, and verify that no value has changed."""
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
    """Write a file next to the data of a new table that prevents its conversion if its log is lost."""
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


class Verified:
    """Compares the rows of a new Delta table with those of its source; a registered source is read before."""

    def __init__(self, bridge: Bridge, table: QualifiedName, source: SourceState, target: str) -> None:
        self._bridge = bridge
        self._table = table
        self._source = source
        self._entry: Any = None
        self._before: Fingerprint | None = None
        if source.is_registered:
            self._entry = self._session_catalog().getTableMetadata(self._identifier())
            self._before = self._fingerprint(target, bridge.spark.table(target).schema)

    def require_same_rows(self) -> None:
        """Compare the rows of the table with those of its source."""
        converted = delta_files(self._source.path)
        schema = self._bridge.spark.sql(f"TABLE {converted}").schema
        changed = difference(
            canonical_fields(schema.fields),
            self._before or self._of_files(schema),
            self._fingerprint(converted, schema),
        )
        if changed:
            msg = f"{self._table}: the conversion would change data: {changed}; {self._undo()}"
            raise StatementError(msg)

    def _of_files(self, schema: Any) -> Fingerprint:
        frame = self._bridge.spark.read.schema(schema).parquet(self._source.path)
        with relation_of(self._bridge.spark, java_frame(frame)) as relation:
            return self._fingerprint(relation, schema)

    def _fingerprint(self, relation: str, schema: Any) -> Fingerprint:
        """Compute the fingerprint in the session's time zone, in which timestamps in names of folders are read."""
        spark = self._bridge.spark
        with step(escaped(f"{self._table}: reading all rows, to compare them with those of its files")):
            return table_fingerprint(spark, relation, canonical_fields(schema.fields), str(spark.conf.get(TIME_ZONE)))

    def _undo(self) -> str:
        """Undo the conversion, and return a message about the result."""
        log = Path(self._source.path) / "_delta_log"
        commits = sorted(path.name for path in log.glob("*.json"))
        if commits != [f"{0:020d}.json"]:
            return (
                f"it is not undone, because somebody else has committed since (version {len(commits) - 1}); compare"
                f" {log.parent} with its version 0"
            )
        shutil.rmtree(log)
        clear_cache(self._bridge.gateway)
        if self._entry is not None:
            self._session_catalog().externalCatalog().alterTable(self._entry)
            self._session_catalog().refreshTable(self._identifier())
        return "it was undone, and the files are as they were; apply again when nobody writes to them"

    def _session_catalog(self) -> Any:
        return java_session(self._bridge.spark).sessionState().catalog()

    def _identifier(self) -> Any:
        name, jvm = self._table, self._bridge.jvm
        is_physical = self._bridge.is_warehouse(name.catalog)
        schema = physical_schema(name.catalog, name.schema) if is_physical else name.schema
        table = encode(name.table) if is_physical else name.table
        option = jvm.scala.Option.apply
        return jvm.org.apache.spark.sql.catalyst.TableIdentifier(table, option(schema), option(SESSION_CATALOG))


class FileInspector:
    """Inspects files; the schema of the same files is read only once."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._schemas: dict[tuple[str, tuple[str, ...]], tuple[tuple[ColumnState, ...], str]] = {}

    def folder(self, name: QualifiedName, path: str, *, schema_exists: bool, is_in_place: bool = False) -> TableState:
        """Return the state of the files in a folder, for a table that the catalog does not have."""
        kind, sign, files = self._bridge.list_files(path)
        columns, conflict = self._schema(path, files) if kind == PARQUET else ((), "")
        folders = _folders(files)
        partitioning = tuple(part.partition("=")[0] for part in folders[0]) if folders else ()
        partitioned = NameSet(partitioning)
        return TableState(
            name=name,
            schema_exists=schema_exists,
            columns=tuple(sorted(columns, key=lambda column: column.name in partitioned)),
            partitioning=partitioning,
            source=SourceState(
                kind, path, is_in_place=is_in_place, folders=folders, files=len(files), conflict=conflict, sign=sign
            ),
        )

    def table(self, name: QualifiedName, provider: str, path: str, schema: str, partitions: str) -> TableState:
        """Return the state of a table of another format."""
        kind, sign, files = self._bridge.list_files(path)
        is_parquet = provider.lower() == PARQUET and kind != NOTHING
        conflict = self._schema(path, files)[1] if is_parquet else ""
        shown = provider.lower() if kind != NOTHING or provider.lower() != PARQUET else NOTHING
        return TableState(
            name=name,
            columns=columns_of_schema(json.loads(schema)),
            partitioning=tuple(column.name for column in columns_of_schema(json.loads(partitions))),
            source=SourceState(
                shown,
                path,
                is_registered=True,
                folders=_folders(files),
                files=len(files),
                conflict=conflict,
                sign=sign,
            ),
        )

    def _schema(self, path: str, files: Sequence[str]) -> tuple[tuple[ColumnState, ...], str]:
        """Return the merged schema of files, or why their schemas cannot be merged."""
        known = self._schemas.get((path, tuple(files)))
        if known is None:
            with step(escaped(f"reading the schemas of {len(files):,} parquet files in {path}")):
                known = self._schemas[path, tuple(files)] = self._read(path, files)
        return known

    def _read(self, path: str, files: Sequence[str]) -> tuple[tuple[ColumnState, ...], str]:
        try:
            return canonical_fields(self._merged(path, files).fields), ""
        except StatementError as error:
            first = self._first_misfit(path, files)
            return (), f"{files[first]} does not fit those before it ({first_line(error)})"

    def _first_misfit(self, path: str, files: Sequence[str]) -> int:
        """Return the index of the first file whose schema cannot be merged with those before it, by bisection."""
        fits, breaks = 0, len(files)
        while breaks - fits > 1:
            middle = (fits + breaks) // 2
            try:
                self._merged(path, files[:middle])
                fits = middle
            except StatementError:
                breaks = middle
        return breaks - 1

    def _merged(self, path: str, files: Sequence[str]) -> Any:
        reader = self._bridge.spark.read.option("mergeSchema", "true").option("basePath", path)
        with translate_errors(self._bridge.with_logical_names):
            return reader.parquet(*(f"{path}/{file}" for file in files)).schema


def _folders(files: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted({tuple(file.split("/")[:-1]) for file in files}))
