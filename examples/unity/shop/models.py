"""The tables of the shop, as the team wants them."""

from pyspark.sql.types import LongType, StringType

from pytest_delta_schema import Column, Table

orders = Table(
    "dev",
    "silver",
    "orders",
    [
        Column("id", LongType(), is_nullable=False, comment="Order"),
        Column("status", StringType(), comment="Where it is"),
    ],
    comment="Orders of the shop",
)
