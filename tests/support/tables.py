"""Short ways to write tables and states in tests."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import Check, QualifiedName
from pytest_delta_schema.state import CatalogState, ColumnState, KeyState, TableState
from pytest_delta_schema.testing.scenario import TEXT, column, orders, table

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols import KeepsVersions

__all__ = [
    "CHECKED",
    "KEY",
    "NAME",
    "TEXT",
    "catalog",
    "column",
    "operations",
    "orders",
    "orders_before",
    "state",
    "stored",
    "table",
]

NAME = QualifiedName("dev", "silver", "orders")


def state(*columns: ColumnState, name: QualifiedName = NAME, **options: Any) -> TableState:
    """Describe an existing table."""
    properties = MappingProxyType(options.pop("table_properties", {}))
    return TableState(name=name, columns=columns, table_properties=properties, **options)


def stored(name: str = "id", data_type: Any = "bigint", *, is_nullable: bool = True, comment: str = "") -> ColumnState:
    """Describe a stored column, a ``bigint`` unless a type is given."""
    return ColumnState(name, data_type, is_nullable, comment)


def catalog(*tables: TableState) -> CatalogState:
    """Describe a catalog that holds ``tables``."""
    return CatalogState(tables={table.name: table for table in tables})


def orders_before() -> TableState:
    """The worked example: what the catalog holds."""
    return state(stored("id"), stored("created_ts", "timestamp"))


def operations(catalog: KeepsVersions, table: QualifiedName = NAME) -> list[str]:
    """Return the operations of the commits of a table, the oldest first."""
    return [commit.operation for commit in catalog.commits(table)]


KEY = KeyState("pk_dev_silver_orders__id", ("id",))
CHECKED = table(column(is_nullable=False), column("b"), checks=[Check("Positive", "id > 0 AND b > 1")])
"""A table with constraints; declared here, so it does not become test items where it is used."""
