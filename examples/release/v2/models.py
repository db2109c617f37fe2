"""The tables of the shop: amount will be gone, and amount_eur replaces it."""

from datetime import date

from pytest_delta_schema import Column, Deprecated, Table

orders = Table(
    "shop",
    "sales",
    "orders",
    [
        Column("id", "bigint", is_nullable=False, comment="Order ID"),
        Column(
            "amount",
            "decimal(18,2)",
            comment="Total in the currency of the shop",
            deprecated=Deprecated(date(2026, 1, 31), use="amount_eur", sunset=date(2026, 6, 30)),
        ),
        Column("amount_eur", "decimal(18,2)", comment="Total in euros"),
    ],
    comment="Orders",
    primary_key=["id"],
)
