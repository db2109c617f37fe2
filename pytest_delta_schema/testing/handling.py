"""How a scenario's rows get into a backend and out of it again."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

from pytest_delta_schema.backends.local.physical_names import physical_schema
from pytest_delta_schema.models.structs import to_struct_type
from pytest_delta_schema.sql.quoting import dotted, identifier, literal
from pytest_delta_schema.sql.types import type_sql
from pytest_delta_schema.state.conversion import SourceState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.types import ArrayState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import TableState

Row = dict[str, Any]


class Handling(Protocol):
    """What the suite does beside the port: rows are read back, and parquet is made.

    Attributes:
        converts: Whether parquet tables are played.
        plays_refusals: Whether scenarios are played that rules refuse before any catalog is asked.
        counts_commits: Whether a version goes up by one with each statement, as on Delta.
    """

    converts: bool
    plays_refusals: bool
    counts_commits: bool

    def read_rows(self, catalog: Any, state: TableState) -> list[Row]:
        """Return the rows of a table, as dictionaries by column and field."""
        ...

    def make_parquet(self, catalog: Any, model: Table, rows: Iterable[Row]) -> None:
        """Make a parquet table of a model's columns and partitions, under the model's name."""
        ...


class SparkHandling:
    """Handles backends that have a Spark session, as ``catalog.spark``.

    Args:
        converts: Whether parquet tables are played.
    """

    plays_refusals = False
    counts_commits = True

    def __init__(self, *, converts: bool = False) -> None:
        self.converts = converts

    def read_rows(self, catalog: Any, state: TableState) -> list[Row]:
        """Read them by Spark."""
        name = dotted(state.name) if state.source is None else parquet_name(state.name)
        shape = StructState(state.columns)
        return [_shaped(row.asDict(recursive=True), shape) for row in catalog.spark.table(name).collect()]

    def make_parquet(self, catalog: Any, model: Table, rows: Iterable[Row]) -> None:
        """Let Spark make it, in the schema that stands for the model's on the local backend."""
        state = desired_state(model)
        name = parquet_name(state.name)
        catalog.create_schema(state.name.catalog, state.name.schema)
        columns = ", ".join(
            f"{identifier(each.name)} {type_sql(each.data_type)}{'' if each.is_nullable else ' NOT NULL'}"
            f"{f' COMMENT {literal(each.comment)}' if each.comment else ''}"
            for each in state.columns
        )
        parted = f" PARTITIONED BY ({', '.join(map(identifier, state.partitioning))})" if state.partitioning else ""
        catalog.spark.sql(f"CREATE TABLE {name} ({columns}) USING PARQUET{parted}")
        for row in rows:
            values = [tuple(row.get(column.name) for column in model.columns)]
            catalog.spark.createDataFrame(values, to_struct_type(model)).write.mode("append").insertInto(name)


class MemoryHandling:
    """Handles the memory catalog."""

    converts = True
    plays_refusals = True
    counts_commits = True

    def read_rows(self, catalog: Any, state: TableState) -> list[Row]:
        """Read them from where the catalog keeps them."""
        return [_shaped(row, StructState(state.columns), fold=True) for row in catalog._rows.get(state.name, [])]

    def make_parquet(self, catalog: Any, model: Table, rows: Iterable[Row]) -> None:
        """Put a table there that says of itself that it is parquet."""
        state, rows = desired_state(model), list(rows)
        folders = tuple(sorted({tuple(f"{name}={row[name]}" for name in model.partitioned_by) for row in rows}))
        source = SourceState("parquet", "/parquet", is_registered=True, folders=folders, files=len(rows))
        catalog._tables[state.name] = replace(state, source=source, version=None)
        catalog._schemas.add(state.name[:2])
        catalog._rows[state.name] = [{key.lower(): value for key, value in row.items()} for row in rows]


MEMORY = MemoryHandling()


def parquet_name(name: QualifiedName) -> str:
    """Return the name under which Spark finds a table of the local catalog that is not Delta."""
    return f"spark_catalog.{physical_schema(name.catalog, name.schema)}.{name.table}"


def _shaped(value: Any, data_type: Any, *, fold: bool = False) -> Any:
    """Give a value the shape of its type: fields by the names that the table has, decimals as numbers."""
    if value is None:
        return None
    match data_type:
        case StructState():
            return _fields(value, data_type, fold=fold)
        case ArrayState():
            return [_shaped(each, data_type.element) for each in value]
        case MapState():
            return {key: _shaped(each, data_type.value) for key, each in value.items()}
    return float(value) if isinstance(value, Decimal) else value


def _fields(value: Mapping[str, Any], struct: StructState, *, fold: bool) -> Row:
    return {
        field.name: _shaped(value.get(field.name.lower() if fold else field.name), field.data_type)
        for field in struct.fields
    }
