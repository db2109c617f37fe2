"""The pipeline: raw orders in, the newest of each appended to the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def append_orders(raw: DataFrame, table: str) -> None:
    """Append orders to ``table``.

    Args:
        raw: Columns ``id``, ``created`` (text, ISO 8601) and ``amount`` (text).
        table: Name of the table, such as ``dev.silver.orders``.
    """
    raw.select(
        f.col("id").cast("bigint").alias("id"),
        f.to_timestamp("created").alias("created_ts"),
        f.col("amount").cast("decimal(18,2)").alias("amount"),
    ).where("id is not null").dropDuplicates(["id"]).writeTo(table).append()
