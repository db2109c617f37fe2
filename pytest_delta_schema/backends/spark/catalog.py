"""What catalogs do alike that read and change tables in one Spark session."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.logs.log import reading_log
from pytest_delta_schema.models.names import required_table_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.state.states import IntroducedBy, TableState
    from pytest_delta_schema.state.types import ColumnState


class SparkCatalog(ABC):
    """The base of the catalogs whose tables a Spark session changes."""

    @abstractmethod
    def _in_spark(self, catalog: str) -> AbstractContextManager[SparkTables]:
        """Use a catalog in the block, whose value is its session, and whose errors are those of this package."""

    @abstractmethod
    def _log_files(self, table: QualifiedName) -> LogFiles:
        """Return the files of the log of a table."""

    def rows(self, table: QualifiedName, *, version: int | None = None) -> list[dict[str, Any]]:
        """Return all rows of a table, by one query.

        Raises:
            StatementError: If Spark cannot read them.
        """
        from pytest_delta_schema.backends.spark.statements import table_rows

        with self._in_spark(table.written.catalog) as session:
            return table_rows(session._sql, table, version)

    def as_stored(self, table: TableState, rows: Any) -> list[dict[str, Any]]:
        """Return rows as the table would return them after an insert; nothing is written."""
        from pytest_delta_schema.backends.spark.statements import stored_rows

        with self._in_spark(table.name.written.catalog) as session:
            return stored_rows(session.spark, table, rows)

    def commits(self, table: QualifiedName, *, first: int = 0) -> tuple[Commit, ...]:
        """Return the commits in the log of a table; over Spark Connect each takes a query."""
        with reading_log(table, self._log_files(table)) as log:
            return log.commits(first)

    def columns_before(self, table: QualifiedName, version: int) -> tuple[ColumnState, ...]:
        """Return the columns of a table in one version under their names in the one before, from its log."""
        with reading_log(table, self._log_files(table)) as log:
            return log.columns_before(version)

    def state_at(self, table: QualifiedName, version: int) -> TableState:
        """Return the state of a table in one of its versions, from its log."""
        with reading_log(table, self._log_files(table)) as log:
            return log.facts(version).state(table)

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:
        """Find the commits that added columns, by reading a few schemas of older versions."""
        from pytest_delta_schema.backends.logs.history import history_by_sql, introductions

        with self._in_spark(table.written.catalog) as session:
            return tuple(introductions(history_by_sql(session._sql, table), paths))

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        """Find columns in the schemas of older versions."""
        from pytest_delta_schema.backends.logs.history import dropped_columns, history_by_sql

        with self._in_spark(table.written.catalog) as session:
            return dropped_columns(history_by_sql(session._sql, table), paths)

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows, each a mapping from column names to values; a missing column is filled by the table, or NULL.

        Raises:
            DeclarationError: If ``table`` is not a name.
            StatementError: If values would not be read back as they were given, and nothing is written; or if the table
                refuses them.
        """
        from pytest_delta_schema.backends.spark.statements import insert_rows

        required_table_name(table, "insert")
        with self._in_spark(table.written.catalog) as session:
            insert_rows(session.spark, session._state(table), rows)

    def append_rows(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows as they are; see :class:`AppendsRows`.

        Args:
            table: An existing table.
            rows: Values of the types of the columns, by their names; all rows have the same columns.
        """
        from pytest_delta_schema.backends.spark.statements import append_rows

        with self._in_spark(table.written.catalog) as session:
            append_rows(session.spark, table, rows)

    def create_schema(self, catalog: str, schema: str) -> None:
        """Create a schema unless it exists."""
        from pytest_delta_schema.sql.renderers import create_schema

        with self._in_spark(catalog) as session:
            session._sql(create_schema(catalog, schema))

    def drop_table(self, table: QualifiedName) -> None:
        """Drop a table if it exists."""
        from pytest_delta_schema.sql.renderers import drop_table

        with self._in_spark(table.written.catalog) as session:
            session._sql(drop_table(table))

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it if it exists."""
        from pytest_delta_schema.sql.renderers import drop_schema

        with self._in_spark(catalog) as session:
            session._sql(drop_schema(catalog, schema))


class SparkTables(SparkCatalog):
    """The base of the catalogs of one Spark session."""

    @property
    @abstractmethod
    def spark(self) -> SparkSession:
        """The Spark session."""

    @abstractmethod
    def _sql(self, text: str) -> Any:
        """Return the frame of a statement, whose text is used exactly as it is."""

    @abstractmethod
    def _state(self, table: QualifiedName) -> TableState:
        """Return the state of an existing table as Spark sees it."""
