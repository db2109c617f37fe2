"""Short ways to write tables and states in tests."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from pyspark.sql.types import DecimalType, LongType, StringType, TimestampType

from pytest_delta_schema import CatalogState, Check, Column, ColumnState, KeyState, QualifiedName, Table, TableState

NAME = QualifiedName("dev", "silver", "orders")


def table(*columns: Column, name: str = "dev.silver.orders", **options: Any) -> Table:
    """Declare a table by its dotted name."""
    return Table(*name.split("."), list(columns), **options)


def column(name: str = "id", data_type: Any = None, **options: Any) -> Column:
    """Declare a column, a long unless said otherwise."""
    return Column(name, LongType() if data_type is None else data_type, **options)


def state(*columns: ColumnState, name: QualifiedName = NAME, **options: Any) -> TableState:
    """Describe an existing table."""
    properties = MappingProxyType(options.pop("table_properties", {}))
    return TableState(name=name, columns=columns, table_properties=properties, **options)


def stored(name: str = "id", data_type: Any = "bigint", *, is_nullable: bool = True, comment: str = "") -> ColumnState:
    """Describe a stored column, a long unless said otherwise."""
    return ColumnState(name, data_type, is_nullable, comment)


def catalog(*tables: TableState) -> CatalogState:
    """Describe a catalog that holds ``tables``."""
    return CatalogState(tables={each.name: each for each in tables})


def orders() -> Table:
    """The worked example: what the model wants."""
    return Table(
        "dev",
        "silver",
        "orders",
        [
            Column("id", LongType(), is_nullable=False, comment="Order ID"),
            Column("created_ts", TimestampType(), comment="Creation time"),
            Column("amount", DecimalType(18, 2), comment="Order total"),
        ],
        comment="Orders table",
        table_properties={"delta.autoOptimize.optimizeWrite": "true"},
        primary_key=["id"],
    )


def orders_before() -> TableState:
    """The worked example: what the catalog holds."""
    return state(stored("id"), stored("created_ts", "timestamp"))


KEY = KeyState("pk_dev_silver_orders__id", ("id",))
TEXT = StringType()
CHECKED = table(column(is_nullable=False), column("b"), checks=[Check("Positive", "id > 0 AND b > 1")])
"""A table with constraints; declared here, so that it does not become test items where it is used."""
