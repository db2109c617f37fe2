"""The Spark catalog: reads by path, runs SQL, and emulates what open-source Delta lacks."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.catalogs.spark.bridge import Bridge
from pytest_delta_schema.catalogs.spark.failures import in_users_names
from pytest_delta_schema.catalogs.spark.physical import schema_folder, table_folder
from pytest_delta_schema.catalogs.spark.reader import read_tables
from pytest_delta_schema.catalogs.spark.transaction import add_check, set_not_null
from pytest_delta_schema.errors import BackendFailure, because
from pytest_delta_schema.execute.ddl import RowCounts
from pytest_delta_schema.plan.actions import (
    CheckAdd,
    CheckDrop,
    ColumnNullabilityChange,
    CreateTable,
    PrimaryKeyAdd,
    SetTableProperties,
    UnsetTableProperties,
)
from pytest_delta_schema.sql.properties import set_properties, unset_properties
from pytest_delta_schema.sql.queries import count_rows, counted_columns, create_schema, drop_schema, probe
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.delta_log import CHECK_PREFIX, PRIMARY_KEY_PROPERTY, encode_key
from pytest_delta_schema.state.states import CatalogState, CheckState, KeyState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.types import ColumnState

_SUBSTITUTE = "spark.sql.variable.substitute"


class SparkCatalog:
    """Delta tables through one classic Spark session.

    Args:
        spark: The session; it is never stopped here.
        warehouse: The folder that holds all catalogs.
    """

    name = "local"
    emulates = frozenset(
        {
            StatementKind.TIGHTEN_COLUMNS,
            StatementKind.ADD_CHECK,
            StatementKind.ADD_PRIMARY_KEY,
            StatementKind.DROP_PRIMARY_KEY,
        }
    )

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
            UnsafePlanError: If rows are NULL in a column that is tightened or break a new check; nothing was changed.
            BackendFailure: If Spark or Delta refuses.
        """
        with in_users_names(self._bridge):
            self._bridge.register([statement.table.catalog])
            if statement.kind is StatementKind.TIGHTEN_COLUMNS:
                self._tighten(statement)
            elif statement.kind is StatementKind.ADD_CHECK:
                self._add_checks(statement)
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

    def count_rows(
        self,
        table: QualifiedName,
        *,
        not_null: Sequence[str] = (),
        checks: Sequence[CheckState] = (),
        key: Sequence[str] = (),
        added: Sequence[ColumnState] = (),
    ) -> RowCounts:
        """Count rows that are NULL in ``not_null``, break ``checks``, or repeat ``key``, in one scan."""
        with in_users_names(self._bridge):
            return self._count(table, not_null, checks=checks, key=key, added=added)

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
        set_not_null(self._bridge, table, columns, lambda version: self._count(table, columns, version=version))

    def _add_checks(self, statement: Statement) -> None:
        table = statement.table
        for change in statement.changes:
            if isinstance(change, CheckAdd):
                check = CheckState(change.name, change.expression)
                count = partial(self._count_at, table, check)
                add_check(self._bridge, table, check, count)

    def _count_at(self, table: QualifiedName, check: CheckState, version: int) -> RowCounts:
        return self._count(table, (), checks=[check], version=version)

    def _create(self, statement: Statement) -> None:
        for change in statement.changes:
            if isinstance(change, CreateTable):
                self._require_conditions(change)
        try:
            self._sql(statement.sql)
        except BaseException:
            self._clean_up(statement.table)
            raise

    def _require_conditions(self, action: CreateTable) -> None:
        """Let Spark analyse the checks of a new table, for which no job runs; Delta takes any text as a property."""
        for check in action.checks:
            try:
                self._sql(probe(action.columns, check.expression))
            except Exception as error:
                said = because(error)
                msg = f"{action.table}: check {check.name} ({check.expression}) is refused by Spark: {said}; mend it"
                raise BackendFailure(msg) from error

    def _clean_up(self, table: QualifiedName) -> None:
        """Remove what a failed creation leaves behind: a log folder without a commit, in which no table can be made."""
        folder = table_folder(self.warehouse, table)
        files = [path for path in folder.rglob("*") if path.is_file()] if self._bridge.is_ours(table.catalog) else []
        if folder.is_dir() and not files:
            shutil.rmtree(folder)

    def _count(  # noqa: PLR0913 - one argument a demand
        self,
        table: QualifiedName,
        not_null: Sequence[str],
        *,
        checks: Sequence[CheckState] = (),
        key: Sequence[str] = (),
        added: Sequence[ColumnState] = (),
        version: int | None = None,
    ) -> RowCounts:
        self._bridge.register([table.catalog])
        expressions = [check.expression for check in checks]
        said = counted_columns(not_null, expressions, key=key)
        (row,) = self._sql(count_rows(table, said, added=added, version=version)).collect()
        counts = iter(row[1:])
        return RowCounts(
            rows=row[0],
            nulls={column: next(counts) for column in not_null},
            broken={check.name: next(counts) for check in checks},
            repeated=next(counts, 0),
        )

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
    elif any(isinstance(change, CheckDrop) and change.name != change.name.lower() for change in statement.changes):
        # Delta finds constraints by their names in lower case only; others came as properties, and go as such.
        keys = tuple(f"{CHECK_PREFIX}{change.name}" for change in statement.changes if isinstance(change, CheckDrop))
        yield from unset_properties(statement.table, [UnsetTableProperties(keys=keys)])
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
