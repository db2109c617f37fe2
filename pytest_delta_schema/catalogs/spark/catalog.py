"""The Spark catalog: reads by path, runs SQL, and emulates what open-source Delta lacks."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.catalogs.spark.bridge import Bridge
from pytest_delta_schema.catalogs.spark.failures import in_users_names
from pytest_delta_schema.catalogs.spark.physical import schema_folder, table_folder
from pytest_delta_schema.catalogs.spark.reader import read_tables
from pytest_delta_schema.catalogs.spark.transaction import set_not_null
from pytest_delta_schema.errors import BackendFailure
from pytest_delta_schema.execute.ddl import NullCounts
from pytest_delta_schema.plan.actions import (
    ColumnNullabilityChange,
    PrimaryKeyAdd,
    SetTableProperties,
    UnsetTableProperties,
)
from pytest_delta_schema.sql.properties import set_properties, unset_properties
from pytest_delta_schema.sql.queries import count_nulls, create_schema, drop_schema
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.delta_log import PRIMARY_KEY_PROPERTY, encode_key
from pytest_delta_schema.state.states import CatalogState, KeyState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table

_SUBSTITUTE = "spark.sql.variable.substitute"


class SparkCatalog:
    """Delta tables through one classic Spark session.

    Args:
        spark: The session; it is never stopped here.
        warehouse: The folder that holds all catalogs.
    """

    name = "local"
    emulates = frozenset({StatementKind.TIGHTEN_COLUMNS, StatementKind.ADD_PRIMARY_KEY, StatementKind.DROP_PRIMARY_KEY})

    def __init__(self, spark: SparkSession, warehouse: Path) -> None:
        self.spark = spark
        self.warehouse = warehouse
        self._bridge = Bridge(spark, warehouse)

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables that ``models`` name, about two milliseconds each, without a Spark job."""
        with in_users_names(self._bridge):
            return read_tables(self._bridge, (model.name for model in models))

    def run(self, statement: Statement) -> None:
        """Run one statement, or what stands for it on open-source Delta.

        Raises:
            UnsafePlanError: If rows are NULL in a column that is tightened; nothing was changed.
            BackendFailure: If Spark or Delta refuses.
        """
        with in_users_names(self._bridge):
            self._bridge.register([statement.table.catalog])
            if statement.kind is StatementKind.TIGHTEN_COLUMNS:
                self._tighten(statement)
            elif statement.kind is StatementKind.CREATE_TABLE:
                self._create(statement)
            else:
                for each in _on_delta(statement):
                    self._sql(each.sql)

    def version(self, table: QualifiedName) -> int | None:
        """Return the table's newest version; ``None`` if there is no table."""
        with in_users_names(self._bridge):
            state = read_tables(self._bridge, [table]).tables.get(table)
        return None if state is None else state.version

    def count_nulls(self, table: QualifiedName, columns: Sequence[str]) -> NullCounts:
        """Count rows that are NULL in each of ``columns``, in one scan of the newest version."""
        with in_users_names(self._bridge):
            return self._count(table, columns, None)

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows, given as values by column name; columns that are left out are NULL.

        Raises:
            BackendFailure: If they do not fit the table.
        """
        with in_users_names(self._bridge):
            self._bridge.register([table.catalog])
            stored = self.spark.table(dotted(table)).schema
            folded = [{name.lower(): value for name, value in row.items()} for row in rows]
            strangers = sorted({name for row in folded for name in row} - {field.name.lower() for field in stored})
            if strangers:
                msg = f"{table}: there is no column {', '.join(strangers)}; mend the rows"
                raise BackendFailure(msg)
            tuples = [tuple(_fitting(row.get(field.name.lower()), field) for field in stored) for row in folded]
            self.spark.createDataFrame(tuples, _loose(stored)).write.mode("append").saveAsTable(dotted(table))

    def create_schema(self, catalog: str, schema: str) -> None:
        """Make a schema; one that is there already is fine."""
        with in_users_names(self._bridge):
            self._bridge.register([catalog])
            self._sql(create_schema(catalog, schema))

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it, half-made tables included; one that is not there is fine."""
        with in_users_names(self._bridge):
            self._bridge.register([catalog])
            self._sql(drop_schema(catalog, schema))
        if self._bridge.is_ours(catalog):
            shutil.rmtree(schema_folder(self.warehouse, catalog, schema), ignore_errors=True)

    def _tighten(self, statement: Statement) -> None:
        columns = [change.name for change in statement.changes if isinstance(change, ColumnNullabilityChange)]
        table = statement.table
        set_not_null(self._bridge, table, columns, lambda version: self._count(table, columns, version))

    def _create(self, statement: Statement) -> None:
        try:
            self._sql(statement.sql)
        except BaseException:
            self._clean_up(statement.table)
            raise

    def _clean_up(self, table: QualifiedName) -> None:
        """Remove what a failed creation leaves behind: a log folder without a commit, in which no table can be made."""
        folder = table_folder(self.warehouse, table)
        files = [path for path in folder.rglob("*") if path.is_file()] if self._bridge.is_ours(table.catalog) else []
        if folder.is_dir() and not files:
            shutil.rmtree(folder)

    def _count(self, table: QualifiedName, columns: Sequence[str], version: int | None) -> NullCounts:
        self._bridge.register([table.catalog])
        (row,) = self._sql(count_nulls(table, columns, version=version)).collect()
        return NullCounts(rows=row[0], nulls=dict(zip(columns, row[1:], strict=True)))

    def _sql(self, text: str) -> Any:
        with _conf(self.spark, _SUBSTITUTE, "false"):
            return self.spark.sql(text)


def _on_delta(statement: Statement) -> Iterator[Statement]:
    """Say a statement as open-source Delta understands it: keys become properties of ours."""
    if statement.kind is StatementKind.ADD_PRIMARY_KEY:
        for change in statement.changes:
            if isinstance(change, PrimaryKeyAdd):
                value = {PRIMARY_KEY_PROPERTY: encode_key(KeyState(change.name, change.columns))}
                yield from set_properties(statement.table, [SetTableProperties(properties=value)])
    elif statement.kind is StatementKind.DROP_PRIMARY_KEY:
        yield from unset_properties(statement.table, [UnsetTableProperties(keys=(PRIMARY_KEY_PROPERTY,))])
    else:
        yield statement


def _loose(schema: Any) -> Any:
    """Return a schema that takes NULL everywhere, so that it is the table that refuses, and not the frame."""
    from pyspark.sql.types import CharType, StringType, StructField, StructType, VarcharType

    def plain(kind: Any) -> Any:
        return StringType() if isinstance(kind, (CharType, VarcharType)) else kind

    return StructType([StructField(field.name, plain(field.dataType), nullable=True) for field in schema])


def _fitting(value: Any, field: Any) -> Any:
    """Turn whole numbers into what frames take for decimals and floats."""
    from pyspark.sql.types import DecimalType, DoubleType, FloatType

    if isinstance(value, int) and isinstance(field.dataType, (DecimalType, DoubleType, FloatType)):
        return Decimal(value) if isinstance(field.dataType, DecimalType) else float(value)
    return value


@contextmanager
def _conf(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    before = spark.conf.get(key) or "true"
    if before == value:
        yield
        return
    spark.conf.set(key, value)
    try:
        yield
    finally:
        spark.conf.set(key, before)
