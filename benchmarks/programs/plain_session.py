"""A session of pyspark with Delta, without this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from collections.abc import Mapping

_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "8",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.liveUpdate.period": "0",
}


def plain_session(master: str, jars: str, warehouse: str, settings: Mapping[str, str]) -> SparkSession:
    """Start a session with jars, separated by commas, and further settings."""
    own = {"spark.jars": jars, "spark.sql.warehouse.dir": warehouse}
    builder = SparkSession.builder.master(master)
    for key, value in {**_SETTINGS, **own, **settings}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
