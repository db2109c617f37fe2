"""The tables of the shop, as they were first released."""

from pytest_delta_schema import Column, Table

orders = Table(
    "shop",
    "sales",
    "orders",
    [
        Column("id", "bigint", is_nullable=False, comment="Order ID"),
        Column("amount", "decimal(18,2)", comment="Total in the currency of the shop"),
    ],
    comment="Orders",
    primary_key=["id"],
)
