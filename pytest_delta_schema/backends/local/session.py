"""What is known of a session before it starts: its versions, and whether its settings are those of this package."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.spark.compat import active_spark
from pytest_delta_schema.delta import PAIRS
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_delta_schema.backends.spark.versions import SparkVersions
    from pytest_delta_schema.delta import Pair


CLIENTS = ("pyspark-client", "databricks-connect")
"""Distributions that provide the package ``pyspark`` without a Spark that could be started."""

_ALL = "pip install 'pytest-delta-schema[spark]'"


def installed() -> dict[str, str]:
    """Return the versions of the installed distributions that matter for a pair, by their names."""
    versions = {}
    for name in ("pyspark", *CLIENTS, "delta-spark"):
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    if not versions.keys() - {"delta-spark"} and find_spec("pyspark") is not None:
        # The Python folder of a Spark that was not installed by pip.
        from pyspark import __version__

        versions["pyspark"] = __version__
    return versions


def require_pair() -> None:
    """Make sure that the installed pyspark and delta-spark belong together."""
    message = version_fault(installed())
    if message:
        raise BackendUnavailableError(message)


def version_fault(versions: Mapping[str, str]) -> str:
    """Return why no local Spark can be started with some distributions, and what to do; ``""`` if it can."""
    if versions.keys() & set(CLIENTS):
        return _client_fault(versions)
    if "pyspark" not in versions:
        return f"the local backend needs Spark and Delta, and pyspark is not installed; run: {_ALL}"
    spark, delta = versions["pyspark"], versions.get("delta-spark")
    pair = pair_of(spark)
    if pair is None:
        return f"there is no supported delta-spark for pyspark {spark}; run: {_install_both(PAIRS[-1])}"
    if delta is None:
        return f"pyspark {spark} is installed without delta-spark; run: {install_command(pair)}"
    is_built = pair.oldest <= minor_version(delta) <= pair.newest
    return "" if is_built else f"delta-spark {delta} is not built for pyspark {spark}; run: {install_command(pair)}"


def _client_fault(versions: Mapping[str, str]) -> str:
    """Return the fault of an environment in which a client provides the package ``pyspark``."""
    clients = " and ".join(f"{name} {versions[name]}" for name in CLIENTS if name in versions)
    if "pyspark" in versions:
        names = " ".join(sorted(versions.keys() - {"delta-spark"}))
        return (
            f"{clients} and pyspark {versions['pyspark']} install the same package, and overwrite each other's files;"
            f" run: pip uninstall --yes {names}, and then: {_ALL}"
        )
    return (
        f"{clients} provides pyspark without a Spark that the local backend could start; choose another backend,"
        f" such as --delta-backend=session, or run in another environment: {_ALL}"
    )


def pair_of(pyspark: str) -> Pair | None:
    """Return the pair of a version of pyspark, if it is supported."""
    return next((pair for pair in PAIRS if pair.spark == minor_version(pyspark)), None)


def published_install_command() -> str:
    """Return the command that installs a delta-spark whose jar is published; ``""`` if it is the installed one."""
    versions = installed()
    pair = pair_of(versions["pyspark"])
    if pair is None:
        return _install_both(PAIRS[-1])
    return "" if versions.get("delta-spark") == pair.delta_spark else install_command(pair)


def install_command(pair: Pair) -> str:
    """Return the command that installs the delta-spark of a pair next to its pyspark."""
    return f"pip install 'delta-spark=={pair.delta_spark}'"


def _install_both(pair: Pair) -> str:
    return f"pip install 'pyspark=={pair.pyspark}' 'delta-spark=={pair.delta_spark}'"


def minor_version(text: str) -> tuple[int, int]:
    """Return the major and minor version of a distribution."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


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


def installed_versions(properties: Callable[[], AbstractSet[str]]) -> SparkVersions:
    """Return the versions of a session that is not started yet; ``properties`` starts it for those that Delta knows."""
    # The commands that name a missing pyspark use the versions of this module.
    from pytest_delta_schema.backends.spark.versions import SparkVersions

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
    """Whether a session that is started now certainly has the settings of this package, and no others."""
    package = find_spec("pyspark")
    if package is None or package.origin is None or active_spark() is not None:
        return False
    home = Path(package.origin).parent
    if Path(environment.get("SPARK_HOME") or home).resolve() != home.resolve():
        return False
    if any(environment.get(name) for name in _FOREIGN):
        return False
    return not any((home / "conf" / name).exists() for name in _CONFIGURATION)
