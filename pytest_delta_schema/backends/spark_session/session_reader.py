"""Read what a Spark session knows of tables by SQL, several tables at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pytest_delta_schema.backends.concurrency import map_concurrently
from pytest_delta_schema.backends.logs.local_log import LocalLog, local_folder
from pytest_delta_schema.backends.problems import cannot_convert, problem
from pytest_delta_schema.backends.spark.compat.pyspark_compat import is_connect_session
from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.backends.spark.hadoop_log import HadoopLog
from pytest_delta_schema.backends.spark_session.reader import commits_from_history, read_log, read_table
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic, StatementError
from pytest_delta_schema.diagnostics.faults import AbsentTable, UnreadableTable
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.schemas_and_restores import describe_history, show_schemas, show_tables, show_views
from pytest_delta_schema.state.log_facts import LogFacts
from pytest_delta_schema.state.states import CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.logs.commit_log import CommitLog
    from pytest_delta_schema.backends.logs.log_files import LogFiles
    from pytest_delta_schema.models.conversion import Parquet


class SessionReader:
    """Reads tables of a session.

    ``redacted`` removes secrets from a message.
    """

    def __init__(self, backend: str, spark: SparkSession, threads: int, redacted: Callable[[str], str]) -> None:
        self._backend = backend
        self._spark = spark
        self._threads = threads
        self._redacted = redacted

    def translate_errors(self) -> AbstractContextManager[None]:
        """Turn the errors of Spark in the block into errors of this package, without secrets."""
        return translate_errors(self._redacted, self._spark)

    def rows(self, text: str) -> Sequence[Any]:
        """Return the rows of a query."""
        with self.translate_errors():
            return self._spark.sql(text).collect()

    def schema(self, name: QualifiedName) -> Any:
        """Return the schema of a table as Spark shows it."""
        with self.translate_errors():
            return self._spark.table(dotted(name)).schema

    def files(self, location: str) -> LogFiles | None:
        """Return the log of the table at a location; ``None`` over Spark Connect, which cannot open files."""
        folder = local_folder(location)
        if is_connect_session(self._spark):
            return None
        return HadoopLog(self._spark, unquote(location)) if folder is None else LocalLog(folder)

    def require_rows(self, location: str) -> None:
        """Require that Spark opens the table at a location, and lists its files; no rows are read."""
        with self.translate_errors():
            self._spark.read.format("delta").load(unquote(location)).inputFiles()

    def states(self, names: Sequence[QualifiedName], sources: Mapping[QualifiedName, Parquet]) -> CatalogState:
        """Read tables: two statements and a schema each.

        ``sources`` are the files from which some of them may be converted.
        """
        read = self._read_all(names)
        absent = [name for name, state in read.items() if state is None]
        schemas = {catalog: self._schemas(catalog) for catalog in dict.fromkeys(name.catalog for name in absent)}
        return CatalogState.of(
            {
                name: state or self._absent(name, schemas[name.catalog], sources.get(name))
                for name, state in read.items()
            }
        )

    def readable(self, names: Sequence[QualifiedName]) -> dict[QualifiedName, TableState]:
        """Return the states of those tables that exist and can be read."""
        return {name: state for name, state in self._read_all(names).items() if isinstance(state, TableState)}

    def log(self, name: QualifiedName) -> LogFacts:
        """Read the log of one table that exists.

        Raises:
            CatalogReadError: If it does not exist, or cannot be read.
        """
        facts = read_log(self, name)
        if isinstance(facts, TableState):
            raise CatalogReadError([CatalogState.of({name: facts}).problem(name)])
        if not isinstance(facts, LogFacts):
            absent = problem(AbsentTable, name, "is not known to the Spark session", "see its catalogs")
            raise CatalogReadError([facts or absent])
        return replace(facts, version=self.newest(name)) if facts.version is None else facts

    def commits(self, table: QualifiedName) -> CommitLog:
        """Return the commits of one table that exists.

        Raises:
            CatalogReadError: If it does not exist, or cannot be read.
        """
        self.states([table], {}).existing(table)
        return commits_from_history(self, table)

    def newest(self, table: QualifiedName) -> int:
        """Return the newest version of a table.

        Raises:
            StatementError: If it does not exist, or its history cannot be read.
        """
        return int(self.rows(describe_history(table, limit=1))[0][0])

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema without its views, sorted; none if the schema does not exist."""
        try:
            tables = _lasting_names(self.rows(show_tables(catalog, schema)))
        except StatementError as error:
            if error.condition == "SCHEMA_NOT_FOUND":
                return ()
            raise
        views = self._views(catalog, schema)
        return tuple(sorted(QualifiedName(catalog, schema, folded(name)) for name in tables if name not in views))

    def view_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the views in a schema, sorted; none if the schema does not exist."""
        return tuple(sorted(QualifiedName(catalog, schema, folded(name)) for name in self._views(catalog, schema)))

    def _read_all(self, names: Sequence[QualifiedName]) -> dict[QualifiedName, TableState | Diagnostic | None]:
        def read(name: QualifiedName) -> TableState | Diagnostic | None:
            return read_table(self, name)

        return map_concurrently(read, names, self._threads)

    def _schemas(self, catalog: str) -> set[str] | StatementError:
        """Return the schemas of a catalog, or why they cannot be listed."""
        try:
            return {folded(row[0].strip("`").replace("``", "`")) for row in self.rows(show_schemas(catalog))}
        except StatementError as error:
            return error

    def _views(self, catalog: str, schema: str) -> set[str]:
        """Return the names of the views of a schema, as Spark spells them."""
        try:
            return set(_lasting_names(self.rows(show_views(catalog, schema))))
        except StatementError:
            # Catalogs without views refuse to list them.
            return set()

    def _absent(
        self, name: QualifiedName, schemas: set[str] | StatementError, source: Parquet | None
    ) -> TableState | Diagnostic:
        """Return the state of a table that does not exist, or why that is not certain."""
        if source is not None and source.path is not None:
            return cannot_convert(name, self._backend, source.path)
        if isinstance(schemas, StatementError):
            fact = f"is not found, and the schemas of {name.catalog} cannot be listed ({schemas})"
            return problem(UnreadableTable, name, fact, "repair the session, or its permission to list them")
        return TableState(name=name, exists=False, schema_exists=name.schema in schemas)


def _lasting_names(rows: Iterable[Sequence[Any]]) -> list[str]:
    """Return the names that SHOW TABLES or SHOW VIEWS lists, without the temporary views of the session."""
    return [name for _, name, is_temporary, *_ in rows if not is_temporary]
