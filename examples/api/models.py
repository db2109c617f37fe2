"""The table of the examples."""

from pytest_delta_schema import Check, Column, Table

orders = Table(
    "dev",
    "silver",
    "orders",
    [
        Column("id", "bigint", is_nullable=False, comment="Order ID"),
        Column("amount", "decimal(18,2)"),
        Column("status", "string"),
    ],
    primary_key=["id"],
    checks=[Check("positive", "amount > 0")],
)
