"""The tables of the shop, without amount."""

from pytest_delta_schema import Column, Table

orders = Table(
    "shop",
    "sales",
    "orders",
    [
        Column("id", "bigint", is_nullable=False, comment="Order ID"),
        Column("amount_eur", "decimal(18,2)", comment="Total in euros"),
    ],
    comment="Orders",
    primary_key=["id"],
)
