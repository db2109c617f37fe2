"""Read tables from their logs as long as no session is active, which may know tables that no folder shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.logs.log_reader import WarehouseLogs
from pytest_delta_schema.backends.local.warehouse.physical_names import SESSION_CATALOG
from pytest_delta_schema.backends.spark.compat.pyspark_compat import active_spark
from pytest_delta_schema.progress import step
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from pytest_delta_schema.backends.spark.history import History
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.conversion import Parquet
    from pytest_delta_schema.models.names import QualifiedName


class LogFirstReader:
    """Answers from the logs of a warehouse; what is left out of an answer has to be read by Spark."""

    def __init__(self, warehouse: Path, delta: tuple[int, int], is_over: Callable[[], bool]) -> None:
        self.logs = WarehouseLogs(warehouse, delta)
        self._is_over = is_over
        self._declared: set[str] = set()

    def declare(self, catalogs: Iterable[str]) -> None:
        """Add catalogs that models name; others are only known by their folder in the warehouse."""
        self._declared.update(catalogs)

    def tables(
        self, names: Collection[QualifiedName], wishes: Mapping[QualifiedName, Parquet]
    ) -> dict[QualifiedName, TableState | Diagnostic]:
        """Return the states of tables, and the damage of damaged ones.

        Tables of ``wishes`` may be converted from files, which Spark inspects.
        """
        catalogs = {catalog for catalog in {name.catalog for name in names} if self._knows(catalog)}
        readable = sorted(name for name in names if name.catalog in catalogs)
        if not readable:
            return {}
        with step(f"reading {len(readable)} {'log' if len(readable) == 1 else 'logs'}"):
            known = self.logs.read(readable)
        return {name: result for name, result in known.items() if name not in wishes or _exists(result)}

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...] | None:
        """Return the names of all tables in a schema of a declared catalog; ``None`` if Spark must list them."""
        self.declare([catalog])
        return self.logs.table_names(catalog, schema) if self._knows(catalog) else None

    def history(self, table: QualifiedName) -> History | None:
        """Return the history of a table; ``None`` if Spark must read it."""
        return self.logs.history(table) if self._knows(table.catalog) else None

    def _knows(self, catalog: str) -> bool:
        """Whether a catalog is certainly one of the warehouse folder, whose tables nobody has changed in a session."""
        if self._is_over() or active_spark() is not None or catalog == SESSION_CATALOG:
            return False
        return catalog in self._declared or self.logs.holds(catalog)


def _exists(result: TableState | Diagnostic) -> bool:
    """Whether a table exists, also one that cannot be read."""
    return not isinstance(result, TableState) or result.exists
