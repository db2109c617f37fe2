"""The Spark catalog: reads by path, runs SQL, and emulates what open-source Delta lacks."""

from __future__ import annotations

import shutil
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from pytest_delta_schema.catalogs.spark.bridge import Bridge
from pytest_delta_schema.catalogs.spark.converting import convert, mark_location
from pytest_delta_schema.catalogs.spark.emulation import EMULATED, on_delta
from pytest_delta_schema.catalogs.spark.failures import in_users_names
from pytest_delta_schema.catalogs.spark.history import column_origins
from pytest_delta_schema.catalogs.spark.inserting import insert_rows
from pytest_delta_schema.catalogs.spark.layout import rewrite_layout
from pytest_delta_schema.catalogs.spark.physical import schema_folder, table_folder
from pytest_delta_schema.catalogs.spark.reader import list_tables, read_tables
from pytest_delta_schema.catalogs.spark.settings import setting
from pytest_delta_schema.catalogs.spark.sources import Sources
from pytest_delta_schema.catalogs.spark.transaction import add_check, set_not_null
from pytest_delta_schema.errors import BackendFailure, because
from pytest_delta_schema.execute.ddl import RowCounts
from pytest_delta_schema.models.conversion import conversion
from pytest_delta_schema.models.table import names_around
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import CheckAdd, ColumnNullabilityChange, LayoutRewrite
from pytest_delta_schema.sql.demands import count_rows, first_broken, first_repeated, probe, rows_of, samples
from pytest_delta_schema.sql.queries import create_schema, drop_schema
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.states import CatalogState, CheckState, ForeignKeyState, KeyState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.execute.ddl import Samples
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.demands import Demand
    from pytest_delta_schema.state.history import ColumnOrigin
    from pytest_delta_schema.state.types import ColumnState

_SUBSTITUTE = "spark.sql.variable.substitute"


class SparkCatalog:
    """Delta tables through one classic Spark session.

    Args:
        spark: The session; it is never stopped here.
        warehouse: The folder that holds all catalogs.
        stream: Where long work says what it is doing; standard error unless said otherwise.
    """

    name = "local"
    emulates = EMULATED

    def __init__(self, spark: SparkSession, warehouse: Path, stream: TextIO | None = None) -> None:
        self.spark = spark
        self.warehouse = warehouse
        self.bridge = Bridge(spark, warehouse)
        self._stream = stream or sys.stderr
        self._sources = Sources(self.bridge, self._say)

    def snapshot(self, models: Iterable[Table]) -> CatalogState:
        """Read the tables that ``models`` name and their parents, about two milliseconds each, without a Spark job."""
        models = list(models)
        with in_users_names(self.bridge):
            wishes = {model.name: wish for model in models if (wish := conversion(model.convert_from, "")) is not None}
            return read_tables(self.bridge, names_around(models), wishes, self._sources)

    def column_origins(self, table: QualifiedName, paths: Iterable[tuple[str, ...]]) -> tuple[ColumnOrigin, ...]:
        """Find the commits that brought columns, by a few schemas of older versions."""
        with in_users_names(self.bridge):
            self.bridge.register([table.catalog])
            return tuple(column_origins(self._sql, table, paths))

    def run(self, statement: Statement) -> None:
        """Run one statement, or what stands for it on open-source Delta.

        Raises:
            UnsafePlanError: If rows are NULL in a column that is tightened or break a new check; nothing was changed.
            BackendFailure: If Spark or Delta refuses.
        """
        with in_users_names(self.bridge):
            self.bridge.register([statement.table.catalog])
            if statement.kind is StatementKind.TIGHTEN_COLUMNS:
                self._tighten(statement)
            elif statement.kind is StatementKind.ADD_CHECK:
                self._add_checks(statement)
            elif statement.kind is StatementKind.REWRITE_LAYOUT:
                self._rewrite(statement)
            elif statement.kind is StatementKind.CREATE_TABLE:
                self._create(statement)
            elif statement.kind is StatementKind.CONVERT_TABLE:
                convert(self.bridge, statement, self._sql, self._say)
            elif statement.kind is StatementKind.REGISTER_TABLE:
                self._sql(statement.sql)
                mark_location(self.bridge, statement.table)
            else:
                for each in on_delta(statement):
                    self._sql(each.sql)

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of all tables in a schema, views aside, sorted; none if there is no such schema."""
        with in_users_names(self.bridge):
            self.bridge.register([catalog])
            return list_tables(self.bridge, catalog, schema)

    def version(self, table: QualifiedName) -> int | None:
        """Return the table's newest version; ``None`` if there is no table."""
        with in_users_names(self.bridge):
            state = read_tables(self.bridge, [table]).tables.get(table)
        return None if state is None else state.version

    def count_rows(
        self,
        table: QualifiedName,
        demands: Sequence[Demand] = (),
        *,
        added: Sequence[ColumnState] = (),
        stop_early: bool = False,
        files: str | None = None,
    ) -> RowCounts:
        """Count the rows that break each demand, in one scan."""
        with in_users_names(self.bridge):
            self.bridge.register([table.catalog])
            rows = rows_of(table, demands, added=added, absent=self._parentless(demands), files=files)
            if stop_early:
                return self._first(rows, demands)
            return self._count(rows, demands)

    def sample_rows(  # noqa: PLR0913 - the parts of one query
        self,
        table: QualifiedName,
        demands: Sequence[Demand],
        shown: Sequence[Sequence[str]],
        *,
        number: int,
        added: Sequence[ColumnState] = (),
        files: str | None = None,
    ) -> Samples:
        """Return a few rows that break each demand, as texts."""
        with in_users_names(self.bridge):
            self.bridge.register([table.catalog])
            rows = rows_of(table, demands, added=added, absent=self._parentless(demands), files=files)
            said = [
                samples(rows, demand, index, shown=columns, number=number)
                for index, (demand, columns) in enumerate(zip(demands, shown, strict=True))
                if columns
            ]
            found = self._sql(" UNION ALL ".join(said)).collect()
        texts = [dict.fromkeys(tuple(row[1]) for row in found if row[0] == index) for index in range(len(demands))]
        return tuple(map(tuple, texts))

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows, given as values by column name; columns that are left out are NULL.

        Raises:
            BackendFailure: If they do not fit the table.
        """
        with in_users_names(self.bridge):
            self.bridge.register([table.catalog])
            columns = read_tables(self.bridge, [table]).tables[table].columns
            filled = frozenset(column.name.lower() for column in columns if column.value is not None)
            insert_rows(self.spark, table, rows, filled)

    def create_schema(self, catalog: str, schema: str) -> None:
        """Make a schema; one that is there already is fine."""
        with in_users_names(self.bridge):
            self.bridge.register([catalog])
            self._sql(create_schema(catalog, schema))

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema with everything in it, half-made tables included; one that is not there is fine."""
        with in_users_names(self.bridge):
            self.bridge.register([catalog])
            self._sql(drop_schema(catalog, schema))
        if self.bridge.is_ours(catalog):
            shutil.rmtree(schema_folder(self.warehouse, catalog, schema), ignore_errors=True)

    def _tighten(self, statement: Statement) -> None:
        paths = [change.path for change in statement.changes if isinstance(change, ColumnNullabilityChange)]
        set_not_null(self.bridge, statement.table, paths, partial(self._count_at, statement.table))

    def _add_checks(self, statement: Statement) -> None:
        for change in statement.changes:
            if isinstance(change, CheckAdd):
                check = CheckState(change.name, change.expression)
                add_check(self.bridge, statement.table, check, partial(self._count_at, statement.table))

    def _rewrite(self, statement: Statement) -> None:
        for change in statement.changes:
            if isinstance(change, LayoutRewrite):
                rewrite_layout(self.bridge, statement.table, change)

    def _count_at(self, table: QualifiedName, demands: Sequence[Demand], version: int) -> RowCounts:
        return self._count(rows_of(table, version=version), demands)

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
        files = [path for path in folder.rglob("*") if path.is_file()] if self.bridge.is_ours(table.catalog) else []
        if folder.is_dir() and not files:
            shutil.rmtree(folder)

    def _count(self, rows: str, demands: Sequence[Demand]) -> RowCounts:
        (counts,) = self._sql(count_rows(rows, demands)).collect()
        return RowCounts(rows=counts[0], broken=tuple(counts[1:]))

    def _first(self, rows: str, demands: Sequence[Demand]) -> RowCounts:
        """Stop at the first row that breaks something; only then ask whether a key would have a value twice."""
        of_one_row = [demand for demand in demands if not isinstance(demand, KeyState)]
        found = self._sql(first_broken(rows, of_one_row)).collect() if of_one_row else []
        answers = iter(found[0] if found else [False] * len(of_one_row))
        broken = []
        for demand in demands:
            if isinstance(demand, KeyState):
                broken.append(not found and bool(self._sql(first_repeated(rows, demand)).collect()))
            else:
                broken.append(next(answers))
        return RowCounts(rows=None, broken=tuple(map(int, broken)))

    def _parentless(self, demands: Sequence[Demand]) -> list[ForeignKeyState]:
        """Return the foreign keys whose parent, or a column of it, is not there yet."""
        keys = [demand for demand in demands if isinstance(demand, ForeignKeyState)]
        tables = read_tables(self.bridge, [key.parent for key in keys]).tables if keys else {}
        columns = {name: {column.name.lower() for column in table.columns} for name, table in tables.items()}
        return [
            key for key in keys if not {name.lower() for name in key.parent_columns} <= columns.get(key.parent, set())
        ]

    def _say(self, text: str) -> None:
        self._stream.write(f"delta-schema: {text}\n")
        self._stream.flush()

    def _sql(self, text: str) -> Any:
        with setting(self.spark, _SUBSTITUTE, "false"):
            return self.spark.sql(text)
