"""The private names of pyspark and py4j that this package uses; nothing else in the package uses one.

They give access to the JVM of a classic session, for which pyspark has no public interface.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession

VERSIONS = {"pyspark": ">=3.5.3,<4.3", "py4j": ">=0.10.9.7,<0.10.10"}
"""The versions with which these names were tested."""


def is_remote(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, whose JVM this process cannot reach."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def spark_version(spark: SparkSession) -> tuple[int, int]:
    """Return the version of Spark behind a session, major and minor."""
    major, minor = spark.version.split(".")[:2]
    return int(major), int(minor)


def jvm_of(spark: SparkSession) -> Any:
    """Return py4j's view of the JVM of a classic session."""
    return spark._jvm


def java_session(spark: SparkSession) -> Any:
    """Return the ``SparkSession`` of the JVM behind a classic session."""
    return spark._jsparkSession


def settings_text(spark: SparkSession, without: Iterable[str]) -> str:
    """Return the settings of a classic session as one text, which is equal if they are.

    Args:
        spark: The session.
        without: The keys of settings that are left out.
    """
    settings = java_session(spark).conf().getAll()
    for key in without:
        settings = getattr(settings, "$minus")(key)
    return str(settings.toString())


def java_context(spark: SparkSession) -> Any:
    """Return the ``SparkContext`` of the JVM behind a classic session."""
    context: Any = spark.sparkContext
    return context._jsc.sc()


def java_frame(frame: DataFrame) -> Any:
    """Return the ``Dataset`` of the JVM behind a classic DataFrame."""
    return frame._jdf


def java_array(spark: SparkSession, kind: Any, items: Sequence[Any] = ()) -> Any:
    """Build a Java array.

    Args:
        spark: A classic session.
        kind: The Java class of the items.
        items: What it holds.
    """
    array = _gateway(spark).new_array(kind, len(items))
    for index, item in enumerate(items):
        array[index] = item
    return array


def jvm_process(spark: SparkSession) -> subprocess.Popen[bytes] | None:
    """Return the process of the JVM, if this process has started it."""
    process: subprocess.Popen[bytes] | None = getattr(_gateway(spark), "proc", None)
    return process


def end_unused_jvm() -> None:
    """End the JVM of a session that was stopped, if this process has started it.

    pyspark would start the next session in it, whose class path and flags are those of the first one.
    """
    if "pyspark" not in sys.modules:
        return
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    process = getattr(gateway, "proc", None)
    if process is None or SparkContext._active_spark_context is not None:
        return
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    process.stdin.close()
    process.wait()


@contextmanager
def imports_during_launch() -> Iterator[None]:
    """Import numpy and pandas for pyspark while a JVM that it launches in this block starts.

    Else its converters of arguments do so in the first call of that JVM, which takes half a second (pyspark 4.2).
    """
    from py4j import protocol
    from pyspark import java_gateway

    class Launch(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            # What cannot be imported shows in the first call.
            with suppress(Exception):
                for converter in protocol.INPUT_CONVERTER:
                    converter.can_convert(None)

    gateway: Any = java_gateway
    launch, gateway.Popen = gateway.Popen, Launch
    try:
        yield
    finally:
        gateway.Popen = launch


def launch_jvm(conf: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], int, str]:
    """Start a JVM without a session, and return its process, the port and the secret of py4j.

    Args:
        conf: The settings with which ``spark-submit`` starts it.
    """
    from pyspark import SparkConf, java_gateway

    launcher: Any = java_gateway
    gateway = launcher.launch_gateway(SparkConf(loadDefaults=False).setAll(list(conf.items())))
    parameters = gateway.gateway_parameters
    gateway.close(keep_callback_server=True)
    return gateway.proc, parameters.port, parameters.auth_token


def connect_jvm(port: int, secret: str) -> Any:
    """Connect to a JVM that another process has started; the next session starts in it.

    Args:
        port: The port of py4j.
        secret: The secret of py4j.

    Returns:
        The connection of py4j.
    """
    from pyspark import SparkContext, java_gateway

    launcher: Any = java_gateway
    variables = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
    os.environ.update(variables)
    try:
        gateway = launcher.launch_gateway()
    finally:
        for name in variables:
            del os.environ[name]
    SparkContext._ensure_initialized(gateway=gateway)
    return gateway


def leave_jvm(gateway: Any) -> None:
    """Close the connections to a JVM, which keeps running; the next session starts a JVM of its own."""
    forget_session()
    # A thread that foreachBatch has called reads from its connection, and to close that would wait for the thread, as
    # would the end of the server for such calls (py4j 0.10.9.9).
    for connection in list(gateway._gateway_client.deque):
        with suppress(OSError, AttributeError):
            connection.socket.shutdown(socket.SHUT_RDWR)
    gateway.close(keep_callback_server=True)


def gateway_bindings(gateway: Any) -> Any:
    """Return the objects of the JVM to which py4j refers, a Java map by their ids."""
    from py4j.java_gateway import JavaObject

    return JavaObject("GATEWAY_SERVER", gateway._gateway_client).getGateway().getBindings()


def is_stopped(spark: SparkSession) -> bool:
    """Whether a session was stopped in this process; a session whose JVM has crashed was not."""
    if is_remote(spark):
        return bool(getattr(spark, "is_stopped", False))
    # Projects also give doubles of a session to fixtures.
    context: Any = getattr(spark, "sparkContext", None)
    return getattr(context, "_jsc", context) is None and context is not None


def is_replaced(spark: SparkSession) -> bool:
    """Whether the JVM of a classic session runs another session, which was created after it was stopped."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context not in (None, spark.sparkContext)


def shut_down_gateway(spark: SparkSession) -> None:
    """Close the connections to the JVM of a stopped session, so that the next session starts a JVM of its own."""
    from pyspark import SparkContext

    gateway = _gateway(spark)
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()


def forget_session() -> None:
    """Remove a session whose JVM has ended from pyspark, so that the next session starts a JVM of its own."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None


def active_spark() -> SparkSession | None:
    """Return the active session of this process, if there is one; pyspark is not imported for it."""
    if "pyspark.sql" not in sys.modules:
        return None
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    if spark is None and SparkContext._active_spark_context is not None:
        spark = SparkSession.builder.getOrCreate()
    return spark


def new_builder(options: Mapping[str, str]) -> Any:
    """Return a builder of sessions with exactly these options; pyspark's own keeps all options on its class."""
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.Builder()
    builder._options = dict(options)
    return builder


def builder_options(builder: Any) -> dict[str, str]:
    """Return the options of a builder of sessions."""
    options: dict[str, str] = builder._options
    return options


def spark_home() -> Path:
    """Return the folder of the Spark that sessions of this process run on."""
    from pyspark.find_spark_home import _find_spark_home

    return Path(_find_spark_home())


def condition_of(error: PySparkException) -> str:
    """Return the condition of an error, such as ``TABLE_OR_VIEW_NOT_FOUND``; pyspark 3.5 calls it the error class."""
    named: Any = error
    return (named.getCondition() if hasattr(named, "getCondition") else named.getErrorClass()) or ""


def java_condition(error: Any) -> str:
    """Return the condition of an exception of the JVM, ``""`` if it has none; Spark 3.5 calls it the error class."""
    from py4j.protocol import Py4JError

    for method in ("getCondition", "getErrorClass"):
        with suppress(Py4JError):
            return str(getattr(error, method)() or "")
    return ""


def java_stack(error: Exception) -> str:
    """Return the Java stack that pyspark keeps apart from the message of an error, ``""`` if it has none."""
    return str(getattr(error, "_stackTrace", None) or "")


def _gateway(spark: SparkSession) -> Any:
    context: Any = spark.sparkContext
    return context._gateway
