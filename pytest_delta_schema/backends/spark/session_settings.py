"""Settings of a session, for a while."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

UTC_PARTITION_VALUES = "spark.databricks.delta.write.utcTimestampPartitionValues"
"""Whether timestamps become partition values in UTC, and not in the session's zone, in which an hour repeats."""


@contextmanager
def setting(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    """Give a setting of a session another value inside of the block."""
    before = spark.conf.get(key, None)
    if before == value:
        yield
        return
    spark.conf.set(key, value)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, before)
