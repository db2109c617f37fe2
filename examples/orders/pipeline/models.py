"""The contract of the table, for all jobs that write it."""

from pyspark.sql.types import DecimalType, LongType, TimestampType

from pytest_delta_schema import Column, Table

orders = Table(
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
