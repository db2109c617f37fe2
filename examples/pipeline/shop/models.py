"""The contracts of all tables."""

from pytest_delta_schema import Check, Column, Table

order_events = Table(
    "dev",
    "bronze",
    "order_events",
    [
        Column("payload", "string", comment="JSON, as the shop sent it"),
        Column("source", "string", is_nullable=False, comment="Name of the file"),
        Column("loaded", "timestamp", default="current_timestamp()"),
    ],
    comment="Everything that happened to orders, as it arrived",
    table_properties={"delta.appendOnly": True},
)

orders = Table(
    "dev",
    "silver",
    "orders",
    [
        Column("order_id", "bigint", is_nullable=False),
        Column("customer_id", "bigint", is_nullable=False),
        Column("status", "varchar(10)", is_nullable=False),
        Column("amount", "decimal(18,2)", is_nullable=False),
        Column("ordered", "date", is_nullable=False),
        Column("changed", "timestamp", is_nullable=False, comment="Time of the newest event"),
    ],
    comment="One row for each order, in its newest state",
    primary_key=["order_id"],
    checks=[
        Check("known_status", "status IN ('open', 'paid', 'cancelled')"),
        Check("not_negative", "amount >= 0"),
    ],
)

customers = Table(
    "dev",
    "silver",
    "customers",
    [
        Column("customer_id", "bigint", is_nullable=False),
        Column("name", "string", is_nullable=False),
        Column("country", "char(2)", is_nullable=False, comment="ISO 3166"),
        Column("valid_from", "date", is_nullable=False),
        Column("valid_to", "date", comment="The first day of the next version; NULL for the newest one"),
    ],
    comment="One row for each version of a customer (slowly changing dimension, type 2)",
    primary_key=["customer_id", "valid_from"],
    checks=[Check("valid_for_a_day", "valid_to IS NULL OR valid_to > valid_from")],
)

daily_revenue = Table(
    "dev",
    "gold",
    "daily_revenue",
    [
        Column("day", "date", is_nullable=False),
        Column("country", "char(2)", is_nullable=False, comment="Of the customer on that day"),
        Column("orders", "bigint", is_nullable=False),
        Column("revenue", "decimal(28,2)", is_nullable=False),
    ],
    comment="Paid orders by day and country",
    primary_key=["day", "country"],
)
