"""Gold: sum up the orders of each day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def revenue_by_day(orders: DataFrame, customers: DataFrame) -> DataFrame:
    """Return the revenue of each day by the country in which customers were on that day."""
    version_of_the_day = (
        (orders.customer_id == customers.customer_id)
        & (orders.ordered >= customers.valid_from)
        & (customers.valid_to.isNull() | (orders.ordered < customers.valid_to))
    )
    paid = orders.where("status = 'paid'").join(customers, version_of_the_day)
    return paid.groupBy(f.col("ordered").alias("day"), "country").agg(
        f.count("*").alias("orders"), f.sum("amount").alias("revenue")
    )


def write_revenue(spark: SparkSession, orders: str, customers: str, revenue: str) -> None:
    """Replace all rows of ``revenue``."""
    revenue_by_day(spark.table(orders), spark.table(customers)).writeTo(revenue).overwrite(f.lit(True))  # noqa: FBT003
