"""Which delta-spark belongs to which pyspark, and the command that completes an environment."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.spark_pairs import PAIRS
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.delta.spark_pairs import Pair


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
    """Make sure that the installed pyspark and delta-spark belong together.

    Raises:
        BackendUnavailableError: If they do not, with the command that completes the environment.
    """
    message = version_fault(installed())
    if message:
        raise BackendUnavailableError(message)


def version_fault(versions: Mapping[str, str]) -> str:
    """Return why no local Spark can be started with some distributions, and what to do; ``""`` if it can.

    Versions of distributions are by their names, as :func:`installed` returns them.
    """
    if versions.keys() & set(CLIENTS):
        return _client_fault(versions)
    if "pyspark" not in versions:
        return f"the local backend needs Spark and Delta, and pyspark is not installed; run: {_ALL}"
    spark, delta = versions["pyspark"], versions.get("delta-spark")
    pair = pair_of(spark)
    if pair is None:
        return f"there is no supported delta-spark for pyspark {spark}; run: {_command(PAIRS[-1])}"
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
        return _command(PAIRS[-1])
    return "" if versions.get("delta-spark") == pair.delta_spark else install_command(pair)


def install_command(pair: Pair) -> str:
    """Return the command that installs the delta-spark of a pair next to its pyspark."""
    return f"pip install 'delta-spark=={pair.delta_spark}'"


def _command(pair: Pair) -> str:
    return f"pip install 'pyspark=={pair.pyspark}' 'delta-spark=={pair.delta_spark}'"


def minor_version(text: str) -> tuple[int, int]:
    """Return the major and minor version of a distribution."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)
