"""The pipeline: orders, their lines, and the figures of each day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def flatten(orders: DataFrame) -> DataFrame:
    """Return a row for each line of each order."""
    numbered = orders.select("order_id", f.posexplode("lines").alias("position", "line"))
    return numbered.select(
        "order_id", (f.col("position") + 1).cast("int").alias("line_no"), "line.sku", "line.quantity", "line.price"
    )


def summarize(spark: SparkSession, orders: str, lines: str, customers: str) -> DataFrame:
    """Return the figures of all days.

    Args:
        spark: The session.
        orders: Name of the table of orders.
        lines: Name of the table of their lines.
        customers: Name of the table of customers.
    """
    joined = spark.table(lines).join(spark.table(orders), "order_id").join(spark.table(customers), "customer_id")
    return joined.groupBy(f.to_date("ordered_at").alias("day"), f.col("home.country").alias("country")).agg(
        f.countDistinct("order_id").alias("orders"),
        f.sum(f.col("quantity") * f.col("price")).cast("decimal(18,2)").alias("turnover"),
    )
