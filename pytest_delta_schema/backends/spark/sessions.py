"""Spark sessions: whether they have Delta Lake, and settings changed inside a block."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.problems import NO_CONNECTION
from pytest_delta_schema.backends.spark.compat import Gateway, delta_version, is_connect_session
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, DeltaSchemaError, StatementError, first_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import SparkSession


EXTENSIONS, EXTENSION = "spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension"
CATALOG, CATALOG_OF_DELTA = "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"

_NAME = "spark.app.name"
_ON_DATABRICKS = "spark.databricks.clusterUsageTags.sparkVersion"
_NO_ANSWER = ("", "RETRIES_EXCEEDED")
"""Conditions of an error that is not an answer of the server."""


def require_delta(spark: SparkSession) -> None:
    """Check that a session has the extension, the catalog and the jars of Delta (4.4.0); Databricks has it."""
    settings = _settings(spark)
    if settings is None or settings[_ON_DATABRICKS] or "DATABRICKS_RUNTIME_VERSION" in os.environ:
        return
    faults, lines = [], []
    if EXTENSION not in settings[EXTENSIONS]:
        faults.append(f"{EXTENSIONS} does not name Delta's extension")
        lines.append(f'builder = builder.config("{EXTENSIONS}", "{EXTENSION}")')
    if not settings[CATALOG]:
        faults.append(f"{CATALOG} is not set")
        lines.append(f'builder = builder.config("{CATALOG}", "{CATALOG_OF_DELTA}")')
    if not is_connect_session(spark) and delta_version(Gateway(spark)) is None:
        faults.append("Delta's jars are not on its class path")
        lines.append("builder = delta.configure_spark_with_delta_pip(builder)")
    if faults:
        whose = (
            "the server of this Spark session" if is_connect_session(spark) else f"the Spark session {settings[_NAME]}"
        )
        code = "\n".join(f"    {line}" for line in lines)
        msg = f"{whose} has no Delta Lake: {', '.join(faults)}; add where it is created:\n{code}"
        raise BackendUnavailableError(msg)


def require_jvm(spark: SparkSession) -> None:
    """Check that the JVM of a session can be reached."""
    if is_connect_session(spark):
        msg = (
            "the Spark session is one of Spark Connect, and the local backend needs one whose JVM it can reach; choose"
            ' the session backend: --delta-backend=session, or backend = "session" in pyproject.toml'
        )
        raise BackendUnavailableError(msg)


def _settings(spark: SparkSession) -> dict[str, str] | None:
    """Return the settings of a session by key; ``None`` if its server does not show them."""
    try:
        with translate_errors():
            return {key: spark.conf.get(key, "") or "" for key in (EXTENSIONS, CATALOG, _ON_DATABRICKS, _NAME)}
    except StatementError as error:
        if error.condition == NO_CONNECTION:
            raise BackendUnavailableError(str(error)) from None
        if error.condition not in _NO_ANSWER:
            return None
        msg = f"the Spark session does not answer: {first_line(error)}; see that its server runs and can be reached"
        raise BackendUnavailableError(msg) from error


@contextmanager
def setting(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    """Change a setting of a session inside the block."""
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


@contextmanager
def shared_setting(spark: Callable[[], SparkSession], key: str, value: str) -> Iterator[bool]:
    """Change a setting inside the block for several threads that use one session."""
    with ExitStack() as settings:
        try:
            with translate_errors():
                settings.enter_context(setting(spark(), key, value))
        except DeltaSchemaError:
            yield False
            return
        try:
            yield True
        finally:
            # The session may have ended meanwhile, and an error must not replace an interruption.
            with suppress(StatementError), translate_errors():
                settings.close()


TIME_ZONE = "spark.sql.session.timeZone"
SUBSTITUTE = "spark.sql.variable.substitute"


_AS_WRITTEN = RLock()


@contextmanager
def as_written(spark: SparkSession, text: str) -> Iterator[None]:
    """Keep Spark from replacing variables, such as ``${x}`` in a name, in a text that it reads inside the block."""
    if "${" not in text:
        yield
        return
    with _AS_WRITTEN, setting(spark, SUBSTITUTE, "false"):
        yield


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Change settings of a session inside the block."""
    with ExitStack() as stack:
        for key, value in values.items():
            stack.enter_context(setting(spark, key, value))
        yield
