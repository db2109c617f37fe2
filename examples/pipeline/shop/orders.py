"""Silver: keep the newest state of each order, as a stream from the raw events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EVENT = "order_id bigint, customer_id bigint, status string, amount decimal(18,2), ordered date, changed timestamp"
VALID = """
    order_id IS NOT NULL AND customer_id IS NOT NULL AND ordered IS NOT NULL AND changed IS NOT NULL
    AND status IN ('open', 'paid', 'cancelled') AND amount >= 0
"""
MERGE = """
    MERGE INTO {table} AS orders USING {latest} AS latest ON orders.order_id = latest.order_id
    WHEN MATCHED AND latest.changed > orders.changed THEN UPDATE SET *
    WHEN NOT MATCHED THEN INSERT *
"""


def latest_orders(events: DataFrame) -> DataFrame:
    """Return the newest state of each order in raw events; events that the contract refuses are left out."""
    parsed = events.select(f.from_json("payload", EVENT).alias("event")).select("event.*")
    newest_first = Window.partitionBy("order_id").orderBy(f.desc("changed"))
    ranked = parsed.where(VALID).withColumn("rank", f.row_number().over(newest_first))
    return ranked.where("rank = 1").drop("rank")


def stream_orders(spark: SparkSession, events: str, orders: str, checkpoint: str) -> None:
    """Merge the events that have arrived since the last call into ``orders``."""

    def merge(batch: DataFrame, _: int) -> None:
        batch.sparkSession.sql(MERGE.replace("{table}", orders), latest=latest_orders(batch))

    writer = spark.readStream.table(events).writeStream.foreachBatch(merge).option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).start().awaitTermination()


def purge_cancelled(spark: SparkSession, orders: str, before: str) -> None:
    """Delete the cancelled orders of the days before ``before``, such as ``2024-01-01``."""
    spark.sql(f"DELETE FROM {orders} WHERE status = 'cancelled' AND ordered < DATE '{before}'")  # noqa: S608
