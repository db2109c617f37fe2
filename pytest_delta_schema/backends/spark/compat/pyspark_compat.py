"""The private names of pyspark that this package uses; nothing else in the package uses one.

They give access to the JVM of a classic session, for which pyspark has no public interface.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.spark_pairs import PAIRS, below

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

VERSIONS = {"pyspark": f">=3.5.3,{below(PAIRS[-1].spark)}"}
"""The versions with which these names were tested."""

_IN_MESSAGE = re.compile(r"\A\[([A-Z][A-Z0-9_.]*)\]")


def is_connect_session(spark: SparkSession) -> bool:
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


def java_context(spark: SparkSession) -> Any:
    """Return the ``SparkContext`` of the JVM behind a classic session."""
    context: Any = spark.sparkContext
    return context._jsc.sc()


def java_frame(frame: DataFrame) -> Any:
    """Return the ``Dataset`` of the JVM behind a classic DataFrame."""
    return frame._jdf


@contextmanager
def quiet_session(spark: SparkSession) -> Iterator[None]:
    """Keep the JVM of a session from logging what fails inside of the block, which is reported by its caller."""
    level = str(jvm_of(spark).org.apache.logging.log4j.LogManager.getRootLogger().getLevel())
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield
    finally:
        spark.sparkContext.setLogLevel(level)


def java_array(spark: SparkSession, kind: Any, items: Sequence[Any] = ()) -> Any:
    """Build a Java array."""
    array = _gateway(spark).new_array(kind, len(items))
    for index, item in enumerate(items):
        array[index] = item
    return array


def frame_of_rows(spark: SparkSession, rows: Sequence[tuple[Any, ...]], schema: StructType) -> DataFrame:
    """Return a frame of given rows, as ``createDataFrame`` does.

    A classic session starts two Python processes for those rows, which only copy them, and imports numpy, pandas and
    pyarrow (pyspark 4.2). The first one in a session takes a second. Here the JVM reads the rows itself, except on
    Databricks, whose pyspark differs.
    """
    if is_connect_session(spark) or "DATABRICKS_RUNTIME_VERSION" in os.environ:
        return spark.createDataFrame(rows, schema)
    from pyspark.sql import DataFrame, types

    kinds: Any = types
    verify = kinds._make_type_verifier(schema)
    for row in rows:
        verify(row)
    session: Any = spark
    batches, _ = session._createFromLocal(rows, schema)
    serializer = jvm_of(spark).SerDeUtil
    values = serializer.toJavaArray(serializer.pythonToJava(batches._jrdd, True))  # noqa: FBT003 - rows come in batches
    return DataFrame(java_session(spark).applySchemaToPythonRDD(values.rdd(), schema.json()), spark)


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


def is_stopped(spark: SparkSession) -> bool:
    """Whether a session was stopped in this process; a session whose JVM has crashed was not."""
    if is_connect_session(spark):
        return bool(getattr(spark, "is_stopped", False))
    # Projects also give doubles of a session to fixtures.
    context: Any = getattr(spark, "sparkContext", None)
    return getattr(context, "_jsc", context) is None and context is not None


def stop_session(spark: SparkSession) -> None:
    """Stop a classic session; the thread that receives values of accumulators ends soon after.

    pyspark waits for that thread, which looks for its end every half second, and every second after a job of Python.
    That takes 0.4 s of a stop, and up to a second after such a job.
    """
    context: Any = spark.sparkContext
    server, context._accumulatorServer = context._accumulatorServer, None
    spark.stop()
    if server is not None:
        Thread(target=server.shutdown, daemon=True).start()


def is_replaced(spark: SparkSession) -> bool:
    """Whether the JVM of a classic session runs another session, which was created after it was stopped."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context not in (None, spark.sparkContext)


def shut_down_gateway(spark: SparkSession) -> None:
    """Close the connections to the JVM of a stopped session, so the next session starts its own JVM."""
    from pyspark import SparkContext

    gateway = _gateway(spark)
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()


def forget_session() -> None:
    """Remove a session whose JVM has ended from pyspark, so the next session starts its own JVM."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None


def active_spark() -> SparkSession | None:
    """Return the active session of this process, if there is one; pyspark is not imported for it."""
    if "pyspark.sql" not in sys.modules:
        return None
    import pyspark

    # A client without Spark has no contexts, and without its dependencies no sessions.
    context: Any = getattr(pyspark, "SparkContext", None)
    if context is None and "pyspark.sql.connect.session" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    if spark is None and context is not None and context._active_spark_context is not None:
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


def error_condition(error: PySparkException) -> str:
    """Return the condition of an error, such as ``TABLE_OR_VIEW_NOT_FOUND``; pyspark 3.5 calls it the error class.

    Conflicts of Delta have it in their message only (Delta 4.4.0).
    """
    from pyspark.errors import IllegalArgumentException

    named: Any = error
    condition = (named.getCondition() if hasattr(named, "getCondition") else named.getErrorClass()) or ""
    if not condition and isinstance(error, IllegalArgumentException):
        return "IllegalArgumentException"
    return condition or next(iter(_IN_MESSAGE.findall(str(error))), "")


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
