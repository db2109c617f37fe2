"""A Spark session that is started when it is first needed, and what is known of it before."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.session.supported_versions import installed, minor_version, version_fault
from pytest_delta_schema.backends.spark.compat.pyspark_compat import active_spark
from pytest_delta_schema.backends.spark.versions import SparkVersions
from pytest_delta_schema.delta.spark_pairs import PAIRS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import SparkSession

_FOREIGN = (
    "DATABRICKS_RUNTIME_VERSION",
    "PYSPARK_GATEWAY_PORT",
    "PYSPARK_SUBMIT_ARGS",
    "SPARK_CONF_DIR",
    "SPARK_CONNECT_MODE_ENABLED",
    "SPARK_REMOTE",
)
"""Variables that give a new session other settings, or another session (pyspark 3.5 to 4.2)."""

_CONFIGURATION = ("spark-defaults.conf", "spark-env.sh")
"""Files in Spark's folder ``conf`` that do the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LazySession:
    """A session that is started when it is first needed."""

    start: Callable[[], SparkSession]

    def versions(self, properties: Callable[[], AbstractSet[str]]) -> SparkVersions:
        """Return the versions of the session, as they are installed.

        ``properties`` returns the properties that Delta knows, from the started session; it is called for a version of
        Delta whose properties this package does not know.
        """
        versions = installed()
        if version_fault(versions):
            # No session can start; logs are read as the newest pair reads them.
            versions = {"pyspark": PAIRS[-1].pyspark, "delta-spark": PAIRS[-1].delta_spark}
        spark, delta = minor_version(versions["pyspark"]), minor_version(versions["delta-spark"])
        if versions["delta-spark"] == PAIRS[-1].delta_spark:
            return SparkVersions(spark=spark, delta=delta)
        return SparkVersions(spark=spark, delta=delta, properties=_LaterProperties(properties))


class _LaterProperties(AbstractSet[str]):
    """The properties that Delta knows; a session is started for them when they are first needed."""

    def __init__(self, properties: Callable[[], AbstractSet[str]]) -> None:
        self._load = properties

    @cached_property
    def _loaded(self) -> AbstractSet[str]:
        return self._load()

    def __contains__(self, key: object) -> bool:
        return key in self._loaded

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)


def has_own_settings(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a session that is started now certainly has the settings of this package, and no others.

    It may have others if one is active already, if Spark's own files or variables configure it, and on Databricks.
    """
    package = find_spec("pyspark")
    if package is None or package.origin is None or active_spark() is not None:
        return False
    home = Path(package.origin).parent
    if Path(environment.get("SPARK_HOME") or home).resolve() != home.resolve():
        return False
    if any(environment.get(name) for name in _FOREIGN):
        return False
    return not any((home / "conf" / name).exists() for name in _CONFIGURATION)
