"""The catalog of a warehouse folder; until its session is started, tables are read from their logs without a JVM."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.reading import WarehouseLogs, files_of, list_tables, read_tables
from pytest_delta_schema.backends.local.session import installed_versions
from pytest_delta_schema.backends.local.warehouse import SESSION_CATALOG, schema_folder, why_empty
from pytest_delta_schema.backends.spark.catalog import SparkTables
from pytest_delta_schema.backends.spark.compat import active_spark
from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.execute.protocols import version_of
from pytest_delta_schema.models.arguments import folder_fault, refuse, session_fault
from pytest_delta_schema.models.names import required_table_names
from pytest_delta_schema.models.sets import names_around
from pytest_delta_schema.models.table import conversions, required_tables
from pytest_delta_schema.state.states import CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from os import PathLike

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from pytest_delta_schema.backends.local.bridge import Bridge
    from pytest_delta_schema.backends.local.conversion import FileInspector
    from pytest_delta_schema.backends.local.statements import LocalStatements
    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.backends.rows import DataQueries
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.execute.protocols import ProbesWrites, Version
    from pytest_delta_schema.models.constraints import Parquet
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import IntroducedBy
    from pytest_delta_schema.write_check.verdict import Merge, WriteOptions, WriteVerdict


class LocalCatalog(SparkTables):
    """Delta tables through one classic Spark session.

    Args:
        spark: The session; it is never stopped here. Or a function that starts it: the first call that needs the
            session calls it, and until then tables are read from their logs.
        warehouse: The folder that holds all catalogs.

    Raises:
        DeclarationError: If one of them is something else.
    """

    name = "local"

    def __init__(self, spark: SparkSession | Callable[[], SparkSession], *, warehouse: str | PathLike[str]) -> None:
        starts_later = callable(spark) and not isinstance(spark, type)
        refuse(
            "" if starts_later else session_fault(spark, "LocalCatalog"),
            folder_fault(warehouse, "LocalCatalog"),
        )
        self._given = spark
        self.warehouse = Path(warehouse)
        if starts_later:
            versions = installed_versions(lambda: self.bridge.versions().properties)
        else:
            versions = self.bridge.versions()
        self._early = WarehouseLogs(self.warehouse, versions.delta, lambda: self.is_started)
        self.capabilities = versions.limit(OPEN_SOURCE_DELTA)

    @cached_property
    def _statements(self) -> LocalStatements:
        from pytest_delta_schema.backends.local.statements import LocalStatements

        return LocalStatements(self)

    @cached_property
    def spark(self) -> SparkSession:
        """The session; it is started when it is first needed."""
        return self._given() if callable(self._given) else self._given

    @cached_property
    def bridge(self) -> Bridge:
        """The JVM of the session."""
        from pytest_delta_schema.backends.local.bridge import open_bridge

        return open_bridge(self.spark, self.warehouse)

    @property
    def is_started(self) -> bool:
        """Whether the session was started."""
        return "bridge" in self.__dict__

    def start(self) -> None:
        """Start the session, unless it was started."""
        self.bridge  # noqa: B018 - it is made when it is first used

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables of models and of their foreign keys, about two milliseconds each, without a Spark job."""
        models = required_tables(models, "snapshot")
        self._early.declare(model.name.catalog for model in models)
        return self._read_tables(names_around(models), conversions(models))

    def read_tables(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Read only the named tables, without a Spark job."""
        return self._read_tables(required_table_names(names, "read_tables"), {})

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:
        """Find the commits that added columns, by reading a few schemas of older versions."""
        from pytest_delta_schema.backends.logs.history import introductions

        history = self._early.history(table)
        if history is not None:
            return tuple(introductions(history, paths))
        return super().introduced_by(table, paths)

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        """Find columns in the schemas of older versions."""
        from pytest_delta_schema.backends.logs.history import dropped_columns

        history = self._early.history(table)
        if history is not None:
            return dropped_columns(history, paths)
        return super().past_columns(table, paths)

    def run(self, statement: Statement) -> None:
        """Run one statement, or emulate it on open-source Delta.

        Raises:
            UnsafePlanError: If rows violate a NOT NULL column or a check that is added; nothing was changed.
            StatementError: If Spark or Delta refuses it.
        """
        self._statements.run(statement)

    def creating_concurrently(self) -> AbstractContextManager[int]:
        """Allow creations in several threads; see :class:`CreatesConcurrently`."""
        return self._statements.creating_concurrently()

    def reuse_creations(self) -> AbstractContextManager[None]:
        """Copy the new tables of the block from the logs of equal ones; see :class:`ReusesCreations`."""
        return self._statements.reuse_creations()

    def clone_table(self, source: QualifiedName, target: QualifiedName) -> None:
        """Clone a table of a local folder; see :class:`ClonesTables`.

        Raises:
            StatementError: If its files are elsewhere, its commits are in a catalog, or the files cannot be written.
        """
        from pytest_delta_schema.backends.local.clones import clone

        with self.bridge.using(source.catalog):
            self.bridge.register([target.catalog])
            clone(self.bridge, source, target)

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema without its views, sorted; none if the schema does not exist."""
        is_to_be_started = callable(self._given) and not self.is_started and active_spark() is None
        if catalog == SESSION_CATALOG and is_to_be_started:
            return ()  # the session catalog of a new session is in memory
        names = self._early.table_names(catalog, schema)
        if names is not None:
            return names
        with self.bridge.using(catalog):
            return list_tables(self.bridge, catalog, schema)

    def parquet_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the folders in a schema that hold parquet files without a Delta log, sorted."""
        return self._early.parquet_names(catalog, schema)

    def why_empty(self, catalog: str, schema: str) -> str:
        """Return why the folder of a warehouse holds no table of a schema; ``""`` if it does not tell."""
        return why_empty(self.warehouse, catalog, schema)

    def version(self, table: QualifiedName) -> Version:
        """Return the table's newest version, ``ABSENT`` if it does not exist, or why its log cannot be read."""
        return version_of(self.read_tables([table]), table)

    def data_checks(self, table: QualifiedName) -> DataQueries:
        """Return what counts and shows the rows of an existing table."""
        from pytest_delta_schema.backends.rows import DataQueries

        return DataQueries(table, partial(self._ask, table.catalog), lambda names: self.read_tables(names).tables)

    def probe_write(
        self,
        table: Table | str,
        frame: DataFrame | StructType | None,
        options: WriteOptions | Merge | None = None,
    ) -> WriteVerdict:
        """Run a write, by default an append, on an empty clone of a table; see :func:`probe_write`."""
        from pytest_delta_schema.backends.local.probes import write_to_clone

        return write_to_clone(self, table, frame, options)

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it, if it exists, and also what killed statements have left."""
        super().drop_schema(catalog, schema)
        if self.bridge.is_warehouse(catalog):
            shutil.rmtree(schema_folder(self.warehouse, catalog, schema), ignore_errors=True)

    def _ask(self, catalog: str, query: str) -> Sequence[Any]:
        with self.bridge.using(catalog):
            rows: Sequence[Any] = self.bridge.sql(query).collect()
            return rows

    @contextmanager
    def _in_spark(self, catalog: str) -> Iterator[LocalCatalog]:
        with self.bridge.using(catalog):
            yield self

    def _sql(self, text: str) -> Any:
        return self.bridge.sql(text)

    def _state(self, table: QualifiedName) -> TableState:
        return read_tables(self.bridge, [table]).tables[table]

    def _log_files(self, table: QualifiedName) -> LogFiles:
        files = self._early.files(table)
        if files is not None:
            return files
        with self.bridge.translate_errors():
            return files_of(self.bridge, table)

    @cached_property
    def _sources(self) -> FileInspector:
        from pytest_delta_schema.backends.local.conversion import FileInspector

        return FileInspector(self.bridge)

    def _read_tables(self, names: Iterable[QualifiedName], wishes: Mapping[QualifiedName, Parquet]) -> CatalogState:
        names = set(names)
        copied = self._statements.copied if "_statements" in self.__dict__ else frozenset()
        known = self._early.tables(names, wishes) | self._early.read(names & copied)
        if len(known) == len(names):
            return CatalogState.of(known)
        with self.bridge.translate_errors():
            return read_tables(self.bridge, names, wishes, self._sources, known=known)


def probe_write(
    table: Table | str,
    frame: DataFrame | StructType | None,
    options: WriteOptions | Merge | None = None,
    *,
    catalog: ProbesWrites | None = None,
) -> WriteVerdict:
    """Run a write on Delta with an empty frame of the same schema and an empty clone of the table.

    The table itself is only read, and the clone is dropped afterwards. It takes about half a second.

    Args:
        table: A model, as if its table had just been created; or the name of a table in ``catalog``.
        frame: A DataFrame, which is not computed, or its schema; ``None`` for a DELETE.
        options: How the frame is written, or a MERGE; by default it is appended with ``df.write.save(path)``.
        catalog: The catalog for the clone; by default the catalog of the DataFrame's session.

    Returns:
        A verdict like that of :func:`check_write`: whether the write is accepted, the schema after it and the error
        condition are Delta's; messages and remedies are those of :func:`check_write`.

    Raises:
        DeclarationError: If an argument has no possible meaning.
        CatalogReadError: If the table cannot be read, or does not exist.
        StatementError: If the clone cannot be created.
    """
    from pytest_delta_schema.write_check.verdict import DEFAULT_OPTIONS

    options = DEFAULT_OPTIONS if options is None else options
    return (catalog or _catalog_of(frame)).probe_write(table, frame, options)


def _catalog_of(frame: Any) -> LocalCatalog:
    """Return the catalog in the warehouse of a frame's session."""
    spark = getattr(frame, "sparkSession", None)
    if spark is None:
        msg = "a schema alone belongs to no session; give catalog=..., such as the fixture delta_catalog"
        raise DeclarationError(msg)
    folder = str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
    return LocalCatalog(spark, warehouse=Path(folder).parent)
