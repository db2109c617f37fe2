"""The installed pair of pyspark and delta-spark."""

from __future__ import annotations

from importlib.metadata import version

from pytest_delta_schema.backends.local.launch import minor_version
from pytest_delta_schema.backends.spark.sessions import SparkVersions

INSTALLED = SparkVersions(spark=minor_version(version("pyspark")), delta=minor_version(version("delta-spark")))
