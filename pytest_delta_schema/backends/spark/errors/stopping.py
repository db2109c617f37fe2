"""Stop a running statement when the process is interrupted, so it does not commit later."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat.pyspark_compat import is_connect_session, java_context, jvm_of
from pytest_delta_schema.backends.spark.errors.error_log import without_error_log
from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.execute.interruption import StillRunning, in_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

STOPPING = 2.0
"""Seconds to wait for a statement to stop; after that it is reported as still running."""

_PAUSE = 0.1


@contextmanager
def running_in_spark(spark: SparkSession, reworded: Callable[[str], str] = str) -> Iterator[None]:
    """Translate the errors of a statement that the block runs in a session, and stop it before an interruption.

    Args:
        spark: The session.
        reworded: Replaces physical names and secrets in a message.

    Raises:
        StatementError: If Spark or Delta refuses the statement, or the session was stopped.
        StillRunning: Instead of a ``KeyboardInterrupt``, if the statement may still commit.
    """
    stop = stop_operations if is_connect_session(spark) else stop_jobs
    with translate_errors(reworded, spark), cancel_on_interrupt(partial(stop, spark)):
        yield


@contextmanager
def cancel_on_interrupt(stop: Callable[[], bool]) -> Iterator[None]:
    """Stop the statement of the block before a ``KeyboardInterrupt`` leaves it.

    Args:
        stop: Stops the statement, and returns whether it has certainly ended; it has :data:`STOPPING` seconds.

    Raises:
        StillRunning: Instead of the interruption, if the statement may still commit.
    """
    try:
        yield
    except StillRunning:
        raise
    except KeyboardInterrupt:
        try:
            is_over = in_time(stop, STOPPING)
        except Exception as error:
            raise StillRunning from error
        if not is_over:
            raise StillRunning from None
        raise


@without_error_log()
def stop_jobs(spark: SparkSession) -> bool:
    """Cancel the jobs of a classic session until the JVM runs no call of this process.

    pyspark's handler of SIGINT cannot do it: it fails, because it uses the connection that waits for the statement
    (pyspark 4.2.0). Between two jobs of a statement there is nothing to cancel, so one attempt is not enough.
    """
    context, idle = java_context(spark), 0
    while idle < 2:  # noqa: PLR2004 - a call that has just been sent is only visible to the second check
        context.cancelAllJobs()
        idle = idle + 1 if count_calls(jvm_of(spark)) <= 1 else 0
        time.sleep(_PAUSE)
    return True


def stop_operations(spark: Any) -> bool:
    """Interrupt the operations of a session of Spark Connect, which does not report when they have ended."""
    spark.interruptAll()
    return False


def count_calls(jvm: Any) -> int:
    """Count the threads of a JVM that run a call from Python, including this call."""
    from py4j.java_gateway import get_method

    stacks = get_method(jvm.java.lang.Thread.getAllStackTraces(), "values")().toArray()
    text: str = jvm.java.util.Arrays.deepToString(stacks)
    return sum("py4j.commands." in stack for stack in text.split("], ["))
