"""The installed pair of pyspark and delta-spark, and a cache folder that shares what takes minutes to make."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.launch import cache_folder
from pytest_delta_schema.backends.local.session import minor_version
from pytest_delta_schema.backends.spark.versions import SparkVersions

if TYPE_CHECKING:
    from pathlib import Path

INSTALLED = SparkVersions(spark=minor_version(version("pyspark")), delta=minor_version(version("delta-spark")))


def shared_cache(folder: Path) -> Path:
    """Return a new cache folder with the jars and classes of the user's, which may be filled only later."""
    cache = folder / "cache" / "pytest_delta_schema"
    cache.mkdir(parents=True)
    for name in ("jars", "classes"):
        shared = cache_folder() / name
        shared.mkdir(parents=True, exist_ok=True)
        (cache / name).symlink_to(shared)
    return cache
