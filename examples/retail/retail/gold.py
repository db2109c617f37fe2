"""Figures that people look at."""

from pyspark.sql.types import DateType, DecimalType, DoubleType, LongType, StringType

from pytest_delta_schema import Check, Column, ForeignKey, Table

daily_sales = Table(
    "dev",
    "gold",
    "daily_sales",
    [
        Column("day", DateType(), is_nullable=False),
        Column("country", StringType(), is_nullable=False),
        Column("orders", LongType(), is_nullable=False),
        Column("turnover", DecimalType(18, 2)),
    ],
    comment="A row a day and country",
    primary_key=["day", "country"],
)

customer_value = Table(
    "dev",
    "gold",
    "customer_value",
    [
        Column("customer_id", LongType(), is_nullable=False),
        Column("lifetime_value", DecimalType(18, 2)),
        Column("churn_risk", DoubleType(), comment="0 to 1"),
    ],
    comment="A row a customer",
    primary_key=["customer_id"],
    foreign_keys=[ForeignKey(["customer_id"], references="dev.silver.customers")],
    checks=[Check("risk_is_a_share", "churn_risk IS NULL OR churn_risk BETWEEN 0 AND 1")],
)
