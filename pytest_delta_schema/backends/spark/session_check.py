"""Check that a Spark session that a project provides has Delta Lake, and say what to change where it is created."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.spark.compat.delta_compat import delta_version
from pytest_delta_schema.backends.spark.compat.gateway import Gateway
from pytest_delta_schema.backends.spark.compat.pyspark_compat import is_connect_session
from pytest_delta_schema.backends.spark.errors.spark_errors import NO_CONNECTION, translate_errors
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError, first_line
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTENSIONS, EXTENSION = "spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension"
CATALOG, CATALOG_OF_DELTA = "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"

_NAME = "spark.app.name"
_ON_DATABRICKS = "spark.databricks.clusterUsageTags.sparkVersion"
_NO_ANSWER = ("", "RETRIES_EXCEEDED")
"""Conditions of an error that is not an answer of the server."""


def require_delta(spark: SparkSession) -> None:
    """Check the settings and the class path of a session; Databricks has Delta without any setting.

    Delta itself needs its extension, and a catalog of any class under the name ``spark_catalog`` (Delta 4.4.0).

    Raises:
        BackendUnavailableError: If the session has no Delta, with the lines to add; or if its server does not answer.
    """
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
    """Check that the JVM of a session can be reached.

    Raises:
        BackendUnavailableError: If it is a session of Spark Connect.
    """
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


def require_session(value: object, subject: str) -> None:
    """Raise unless a value is a session of Spark, whatever its kind.

    Raises:
        DeclarationError: If it is something else, such as the class ``SparkSession``.
    """
    if isinstance(value, type) or not hasattr(value, "sql"):
        refuse_kind(subject, "a Spark session", value, "give one, such as the fixture delta_spark")
