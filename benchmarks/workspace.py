"""The statements of a gate over a thousand tables of a Databricks workspace: one a table, and a constant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measure import Row
from small_tables import keyed_table, small_table

from pytest_delta_schema import DatabricksCatalog, MemoryCatalog, Orchestrator
from pytest_delta_schema.testing.databricks import DatabricksDouble

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = 1000


def run() -> Iterator[Row]:
    """Yield the statements that read the tables; half of these have keys."""
    tables = [(keyed_table if number % 2 else small_table)(number) for number in range(TABLES)]
    backend = MemoryCatalog()
    Orchestrator.over(backend).sync_tables(tables)
    double = DatabricksDouble(backend, [tables[0].name[:2]])

    assert Orchestrator.over(DatabricksCatalog(double)).plan_tables(tables).is_empty

    name = f"statements of a gate over {TABLES:,} tables of a workspace"
    pair = (float(len(double.asked)), float(TABLES))
    yield Row(name=name, reference_name="one a table", pairs=[pair], limit=1.01, unit="calls")
