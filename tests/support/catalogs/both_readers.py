"""The local catalog of tests: whatever it reads by Spark is read from the logs too, and both have to agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema import LocalCatalog
from pytest_delta_schema.backends.local.reading import _request
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.logs import dropped_columns, introductions
from pytest_delta_schema.state import TableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema import QualifiedName
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.constraints import Parquet
    from pytest_delta_schema.state import CatalogState
    from pytest_delta_schema.state.states import IntroducedBy

_ONLY_IN_SESSION = {"gone", "provider", "view"}
"""Answers of ``StateReader.java`` about what only the running session knows: another process does not see it."""


class AgreeingCatalog(LocalCatalog):
    """A local catalog that fails where the readers of logs and of Spark differ.

    ``left_to_spark`` has the tables that the reader of logs did not answer for, since a test began.
    """

    def __init__(self, spark: SparkSession, warehouse: Path) -> None:
        super().__init__(spark, warehouse=warehouse)
        self.left_to_spark: set[QualifiedName] = set()

    def _read_tables(self, names: Iterable[QualifiedName], wishes: Mapping[QualifiedName, Parquet]) -> CatalogState:
        names = set(names)
        state = super()._read_tables(names, wishes)
        stored = [name for name in names if name.catalog != "spark_catalog" and self.bridge.is_warehouse(name.catalog)]
        by_logs = {name: result for name, result in self._early.logs.read(stored).items() if name not in wishes}
        self.left_to_spark |= names - by_logs.keys()
        for name, result in by_logs.items():
            by_spark = state.tables.get(name) or state.problems[name]
            if by_spark != result and not self._is_explained(name, by_spark, result):
                msg = f"{name}: the log shows {result!r}\nand Spark shows {by_spark!r}"
                raise AssertionError(msg)
        return state

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:
        paths = tuple(paths)
        by_spark = super().introduced_by(table, paths)
        history = self._early.logs.history(table)
        assert history is None or tuple(introductions(history, paths)) == by_spark
        return by_spark

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        paths = tuple(paths)
        by_spark = super().past_columns(table, paths)
        history = self._early.logs.history(table)
        assert history is None or dropped_columns(history, paths) == by_spark
        return by_spark

    def _is_explained(
        self, name: QualifiedName, by_spark: TableState | Diagnostic, by_log: TableState | Diagnostic
    ) -> bool:
        """Whether another process has committed meanwhile, or only the session knows the table."""
        if isinstance(by_spark, TableState) and isinstance(by_log, TableState) and by_log.exists:
            return by_spark.version != by_log.version
        kind, *rest = self.bridge.read(_request(self.bridge, name)).rstrip("\n").split("\t")
        return kind in _ONLY_IN_SESSION or (kind == "delta" and rest[0] != str(table_folder(self.warehouse, name)))
