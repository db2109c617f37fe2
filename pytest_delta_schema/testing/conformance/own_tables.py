"""Read, fill and drop the tables of a conformance run, which the protocol of catalogs has no methods for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.schemas_and_restores import drop_table
from pytest_delta_schema.sql.values import value_sql
from pytest_delta_schema.state.types import StructState
from pytest_delta_schema.testing.data_access import MEMORY, shaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.testing.data_access import DataAccess


@runtime_checkable
class DropsTables(Protocol):
    """A catalog that drops single tables."""

    def drop_table(self, table: QualifiedName) -> None:
        """Drop a table if it exists."""
        ...


class CatalogRows:
    """Reads rows by the catalog itself; no parquet tables are made."""

    converts = runs_refused = False
    counts_commits = True

    def read_rows(self, catalog: Any, state: TableState) -> list[dict[str, Any]]:
        """Return the rows of a table as dictionaries by column and field."""
        return [shaped(_plain(row), StructState(state.columns)) for row in catalog.rows(state.name)]

    def make_parquet(self, catalog: Any, model: Table, rows: Iterable[Any]) -> None:
        """Refuse it."""
        raise NotImplementedError


class ByStatements:
    """A catalog whose connection runs SQL, with the methods that it lacks."""

    def __init__(self, catalog: Any, run: Any) -> None:
        self._catalog = catalog
        self._run = run

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def drop_table(self, table: QualifiedName) -> None:
        """Drop a table if it exists."""
        self._run(drop_table(table))

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema if it exists and is empty."""
        self._run(f"DROP SCHEMA IF EXISTS {identifier(catalog)}.{identifier(schema)}")

    def rows(self, table: QualifiedName) -> list[Any]:
        """Return all rows of a table."""
        return list(self._run(f"SELECT * FROM {dotted(table)}"))

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows by INSERT."""
        columns = {column.name: column for column in self._catalog.read_tables([table]).tables[table].columns}
        for row in rows:
            named = {name: columns[name] for name in columns if name in row}
            values = ", ".join(value_sql(row[name], column.data_type) for name, column in named.items())
            self._run(f"INSERT INTO {dotted(table)} ({', '.join(map(identifier, named))}) VALUES ({values})")


def row_access(catalog: Any) -> DataAccess:
    """Return how the rows of a catalog are read."""
    return MEMORY if isinstance(catalog, MemoryCatalog) else CatalogRows()


def own_catalog(catalog: Any) -> Any:
    """Return a catalog that drops tables, reads rows and inserts them.

    Raises:
        TypeError: If it has no way to do so.
    """
    if isinstance(catalog, DropsTables):
        return catalog
    connection = getattr(catalog, "_connection", None)
    if connection is None:
        msg = f"the backend {catalog.name} has no method drop_table, which the conformance run needs; add it"
        raise TypeError(msg)
    return ByStatements(catalog, connection.rows)


def _plain(value: Any) -> Any:
    """Return rows of Spark, also nested ones, as dictionaries."""
    if hasattr(value, "asDict"):
        return value.asDict(recursive=True)
    return dict(value) if hasattr(value, "items") else value
