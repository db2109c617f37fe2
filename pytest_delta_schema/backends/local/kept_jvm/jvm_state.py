"""Remove what one run may leave in a JVM for the next one.

Each run has its own Spark context, which takes with it temporary views, catalogs, cached tables, listeners, added
files, checkpoint folders, Hadoop's settings and Python workers. What is left are static fields.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat.delta_compat import clear_cache
from pytest_delta_schema.backends.spark.compat.py4j_compat import gateway_bindings
from pytest_delta_schema.backends.spark.compat.pyspark_compat import java_context, java_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STREAMS = "stream execution thread"


@dataclass(frozen=True, slots=True, kw_only=True)
class JvmState:
    """The static state of a JVM before a run."""

    gateway: Any
    properties: Any
    """The system properties, some of which Spark takes for settings."""
    time_zone: Any
    locale: Any
    objects: Any
    """The ids of the objects to which py4j refers."""

    def restore(self) -> None:
        """Set the static state back, and drop the objects of the run."""
        jvm = self.gateway.jvm
        jvm.java.lang.System.setProperties(self.properties)
        jvm.java.util.TimeZone.setDefault(self.time_zone)
        jvm.java.util.Locale.setDefault(self.locale)
        gateway_bindings(self.gateway).keySet().retainAll(self.objects)


def fresh_state(gateway: Any) -> JvmState:
    """Clear what the JVM remembers of files and of Hadoop's login user, and return its static state.

    Delta keeps the newest version of each table that it has read, for an hour, by path: a table that was dropped and
    created again would be read as the old one (Delta 4.4.0).

    It is called before a session is started.
    """
    jvm = gateway.jvm
    clear_cache(gateway)
    jvm.org.apache.hadoop.fs.FileSystem.closeAll()
    jvm.org.apache.hadoop.security.UserGroupInformation.reset()
    jvm.org.apache.logging.log4j.core.config.Configurator.reconfigure()
    return JvmState(
        gateway=gateway,
        objects=jvm.java.util.HashSet(gateway_bindings(gateway).keySet()),
        properties=jvm.java.lang.System.getProperties().clone(),
        time_zone=jvm.java.util.TimeZone.getDefault(),
        locale=jvm.java.util.Locale.getDefault(),
    )


def stop_streams(spark: SparkSession) -> None:
    """Stop the streams that tests have left running, also those of other sessions of the context."""
    # py4j makes the Java map a Python mapping.
    for query in list(java_session(spark).sharedState().activeStreamingQueries().values()):
        # One whose files are gone fails to stop, which shows in its thread.
        with suppress(Exception):
            query.stop()


def has_added_jars(spark: SparkSession) -> bool:
    """Whether jars were added to the context, whose classes stay loaded."""
    return bool(java_context(spark).listJars().nonEmpty())


def runs_streams(jvm: Any) -> bool:
    """Whether a stream runs in the JVM, which nothing has stopped."""
    threads = jvm.java.lang.Thread.getAllStackTraces().keySet()
    return _STREAMS in str(threads.toString())
