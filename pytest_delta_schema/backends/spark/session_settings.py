"""Change settings of a session temporarily."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

UTC_PARTITION_VALUES = "spark.databricks.delta.write.utcTimestampPartitionValues"
"""Whether partition values of timestamps are written in UTC instead of the session's time zone (Delta 4.4.0)."""


@contextmanager
def setting(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    """Change a setting of a session inside the block.

    Args:
        spark: The session.
        key: The name of the setting.
        value: Its value in the block.
    """
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
