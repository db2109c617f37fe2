"""Read the rows of scenarios from a catalog, and create parquet tables in it, outside the protocol of catalogs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

from pytest_delta_schema.backends.local.warehouse import physical_schema
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.models.table import to_struct_type
from pytest_delta_schema.sql.quoting import dotted, literal, type_sql
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.states import SourceState
from pytest_delta_schema.state.types import ArrayState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import TableState

Row = dict[str, Any]


class DataAccess(Protocol):
    """Reads rows and creates parquet tables, which the protocol of catalogs has no methods for.

    Attributes:
        converts: Whether scenarios with parquet tables are run.
        runs_refused: Whether scenarios are run that rules refuse before the catalog is used.
        counts_commits: Whether each statement increases the version by one, as on Delta.
    """

    converts: bool
    runs_refused: bool
    counts_commits: bool

    def read_rows(self, catalog: Any, state: TableState) -> list[Row]:
        """Return the rows of a table as dictionaries by column and field."""
        ...

    def make_parquet(self, catalog: Any, model: Table, rows: Iterable[Row]) -> None:
        """Create a parquet table with the columns, partitions and name of a model.

        Args:
            catalog: The catalog.
            model: The model.
            rows: The rows of the table, by column.
        """
        ...


class SparkDataAccess:
    """Uses the Spark session of a catalog, ``catalog.spark``.

    Args:
        converts: Whether scenarios with parquet tables are run.
    """

    runs_refused = False
    counts_commits = True

    def __init__(self, *, converts: bool = False) -> None:
        self.converts = converts

    def read_rows(self, catalog: Any, state: TableState) -> list[Row]:
        """Read the rows by Spark."""
        name = dotted(state.name) if state.source is None else parquet_name(state.name)
        shape = StructState(state.columns)
        return [shaped(row.asDict(recursive=True), shape) for row in catalog.spark.table(name).collect()]

    def make_parquet(self, catalog: Any, model: Table, rows: Iterable[Row]) -> None:
        """Create the table by Spark, under the physical name of the local backend."""
        state = desired_state(model)
        name = parquet_name(state.name)
        catalog.create_schema(state.name.catalog, state.name.schema)
        columns = ", ".join(
            f"{identifier(column.name)} {type_sql(column.data_type)}{'' if column.is_nullable else ' NOT NULL'}"
            f"{f' COMMENT {literal(column.comment)}' if column.comment else ''}"
            for column in state.columns
        )
        partitioned = (
            f" PARTITIONED BY ({', '.join(map(identifier, state.partitioning))})" if state.partitioning else ""
        )
        catalog.spark.sql(f"CREATE TABLE {name} ({columns}) USING PARQUET{partitioned}")
        for row in rows:
            values = [tuple(row.get(column.name) for column in model.columns)]
            catalog.spark.createDataFrame(values, to_struct_type(model)).write.mode("append").insertInto(name)


class MemoryDataAccess:
    """Uses the dictionaries of a memory catalog."""

    converts = True
    runs_refused = True
    counts_commits = True

    def read_rows(self, catalog: Any, state: TableState) -> list[Row]:
        """Return the rows that the catalog keeps."""
        return [shaped(row, StructState(state.columns), fold=True) for row in catalog._rows.get(state.name, [])]

    def make_parquet(self, catalog: Any, model: Table, rows: Iterable[Row]) -> None:
        """Add the state of a parquet table."""
        state, rows = desired_state(model), list(rows)
        folders = tuple(sorted({tuple(f"{name}={row[name]}" for name in model.partitioned_by) for row in rows}))
        source = SourceState("parquet", "/parquet", is_registered=True, folders=folders, files=len(rows))
        catalog._tables[state.name] = replace(state, source=source, version=None)
        catalog._schemas.add(state.name[:2])
        catalog._rows[state.name] = [{folded(key): value for key, value in row.items()} for row in rows]


MEMORY = MemoryDataAccess()


def parquet_name(name: QualifiedName) -> str:
    """Return the name by which Spark finds a table of the local catalog that is not Delta."""
    return f"spark_catalog.{physical_schema(name.catalog, name.schema)}.{name.table}"


def shaped(value: Any, data_type: Any, *, fold: bool = False) -> Any:
    """Return a value in the form of its type: fields by the names in the table, decimals as floats."""
    if value is None:
        return None
    match data_type:
        case StructState():
            return _fields(value, data_type, fold=fold)
        case ArrayState():
            return [shaped(item, data_type.element) for item in value]
        case MapState():
            return {key: shaped(item, data_type.value) for key, item in value.items()}
    return float(value) if isinstance(value, Decimal) else value


def _fields(value: Mapping[str, Any], struct: StructState, *, fold: bool) -> Row:
    return {
        field.name: shaped(value.get(folded(field.name) if fold else field.name), field.data_type)
        for field in struct.fields
    }
