"""Bronze: append what the shop sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def load_events(spark: SparkSession, folder: str, events: str) -> None:
    """Append the lines of all files in a folder to ``events``."""
    lines = spark.read.text(folder).select(
        f.col("value").alias("payload"), f.col("_metadata.file_name").alias("source")
    )
    lines.writeTo(events).append()
