"""Translate and log errors of Spark, and stop statements before an interruption."""

from __future__ import annotations

import logging
import re
import threading
import time
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.problems import JVM_GONE, NO_CONNECTION, SESSION_STOPPED
from pytest_delta_schema.backends.spark.compat import (
    error_condition,
    is_connect_session,
    is_stopped,
    java_condition,
    java_context,
    java_stack,
    jvm_of,
)
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.diagnostics.redaction import without_secrets
from pytest_delta_schema.execute.interruption import StillRunning, in_time
from pytest_delta_schema.progress import JAVA_LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import SparkSession


_RPC = re.compile(r'status = StatusCode\.(UNAVAILABLE|UNAUTHENTICATED)\s+details = "([^"]*)"')
"""How Spark Connect shows that no server has answered, or that it refuses the token (pyspark 3.5 to 4.2)."""

_STOPPED = (
    "the Spark session was stopped while it was needed; let nothing call stop() on it before all tests have ended"
)
_GONE = (
    "the JVM of Spark has ended, so nothing more can be read or run: it was killed, by the system if memory was"
    " short, or has crashed and left a file hs_err_pid*.log; run again"
)
_NO_ANSWER = re.compile(r"An error occurred while calling \S+|(?:[a-z]\w*\.)*\w+ does not exist in the JVM")
"""The whole message of py4j if the JVM ends during a call or while a package or class is looked up.

An error inside the JVM adds its stack trace, and a JVM that runs takes every unknown name for a package.
"""

_STREAM = "STREAM_FAILED"
_IN_STREAM = re.compile(r"terminated with exception: \[([A-Z0-9_.]+)\]")
"""The condition inside the message of a failed stream, whose own condition is always the same."""

_STACK = ("\n\tat ", "\nJVM stacktrace:", "\n\nJVM stacktrace")
_QUERY = ("\n\n== SQL", ";\n")
"""What is in a message of the analysis before the query, and before its plan."""

_LOG = logging.getLogger(JAVA_LOGGER)


@contextmanager
def translate_errors(reworded: Callable[[str], str] = str, spark: SparkSession | None = None) -> Iterator[None]:
    """Turn whatever Spark, Delta or py4j raise inside the block into a :class:`StatementError`.

    Its text has neither the Java stack, nor the query and its plan; the logger ``pytest_delta_schema.java`` gets both.

    ``reworded`` replaces physical names and secrets in a message. If the session was stopped, the block is not run,
    because Spark would report other causes, such as a damaged log or a bug in Spark (Spark 4.2).
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    if spark is not None and is_stopped(spark):
        raise StatementError(_STOPPED, condition=SESSION_STOPPED)
    # The message of an error is fetched from the JVM, which may end meanwhile.
    with without_error_log():
        try:
            yield
        except (PySparkException, Py4JError, ConnectionError) as error:
            failure = _failure(error, reworded)
            if _LOG.isEnabledFor(logging.DEBUG):
                _log(error, reworded)
            # A chained error would show its Java stack, and what is redacted.
            raise failure from None


def _failure(error: Exception, reworded: Callable[[str], str]) -> StatementError:
    from py4j.protocol import Py4JError

    try:
        message, condition = _message(error)
    except (Py4JError, ConnectionError):
        # The message could not be fetched from the JVM.
        message, condition = _GONE, JVM_GONE
    return StatementError(reworded(message), condition=condition)


def _message(error: Exception) -> tuple[str, str]:
    """Return the message and the condition of an error; raise a ``Py4JError`` if the JVM has ended."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import AnalysisException, PySparkException

    if isinstance(error, PySparkException):
        lost = _RPC.search(str(error))
        if lost is not None:
            reason = without_secrets(f"{lost[1]}: {lost[2]}")
            return (
                (
                    f"the Spark Connect server does not answer ({reason});"
                    " check that it is running and that the token is valid"
                ),
                NO_CONNECTION,
            )
        condition = error_condition(error)
        if condition == _STREAM:
            condition = next(iter(_IN_STREAM.findall(str(error))), condition)
        marks = (*_STACK, *_QUERY) if isinstance(error, AnalysisException) else _STACK
        return _text(str(error), marks), condition
    if isinstance(error, Py4JJavaError):
        java = error.java_exception
        message = str(java.getMessage() or "")
        # The message of a missing class is only its name.
        return _text(message if " " in message else str(java.toString())), _condition(java)
    if isinstance(error, Py4JError) and not _has_no_answer(error):
        return _text(str(error)), ""
    return _GONE, JVM_GONE


def _has_no_answer(error: Exception) -> bool:
    from py4j.protocol import Py4JNetworkError

    return isinstance(error, Py4JNetworkError) or _NO_ANSWER.fullmatch(str(error)) is not None


def _condition(java: Any) -> str:
    """Return the condition of a Java exception or of one of its causes; else the class name of the first cause."""
    while True:
        condition = java_condition(java)
        cause = java.getCause()
        if condition or cause is None:
            return condition or str(java.getClass().getSimpleName())
        java = cause


def _text(message: str, marks: Iterable[str] = _STACK) -> str:
    """Return a message up to the first of some marks."""
    for mark in marks:
        message = message.split(mark, maxsplit=1)[0]
    return without_secrets(message.strip())


def _log(error: Exception, reworded: Callable[[str], str]) -> None:
    from py4j.protocol import Py4JError

    with suppress(Py4JError, ConnectionError):  # the JVM that has the stack may have ended
        stack = "\n".join(filter(None, (str(error).strip(), java_stack(error))))
        _LOG.debug("%s", reworded(without_secrets(stack)))


LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""The loggers of pyspark for errors of statements and of frames."""

_PY4J_LOGGERS = (None, "py4j.java_gateway", "py4j.clientserver")
"""The loggers to which py4j writes tracebacks, with the root logger."""


class _Inside(threading.local):
    """How many blocks of :func:`without_error_log` a thread is inside."""

    depth = 0


_INSIDE = _Inside()


class _PysparkFilter(logging.Filter):
    """Drops the records of threads inside of :func:`without_error_log`."""

    def filter(self, _: logging.LogRecord) -> bool:
        return not _INSIDE.depth


class _Py4jFilter(logging.Filter):
    """Drops the tracebacks of py4j inside of :func:`without_error_log`, and where it only releases objects."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.exc_info or Path(record.pathname).parent.name != "py4j":
            return True
        from py4j.clientserver import FinalizerWorker

        return not (_INSIDE.depth or isinstance(threading.current_thread(), FinalizerWorker))


@contextmanager
def without_error_log() -> Iterator[None]:
    """Drop what pyspark and py4j log about errors inside the block, in this thread."""
    _install_filters()
    _INSIDE.depth += 1
    try:
        yield
    finally:
        _INSIDE.depth -= 1


@cache
def _install_filters() -> None:
    py4j_filter = _Py4jFilter()
    for name in _PY4J_LOGGERS:
        logging.getLogger(name).addFilter(py4j_filter)
    if find_spec("pyspark.logger") is not None:  # came with pyspark 4.0
        from pyspark.logger import PySparkLogger

        pyspark_filter = _PysparkFilter()
        for name in LOGGERS:
            # pyspark needs its own class of loggers under these names.
            PySparkLogger.getLogger(name).addFilter(pyspark_filter)


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
        if not _is_stopped(stop):
            raise StillRunning from None
        raise


def _is_stopped(stop: Callable[[], bool]) -> bool:
    """Whether a statement has certainly ended; one failed try may be a lost connection (py4j 0.10.9.9)."""
    try:
        return in_time(stop, STOPPING)
    except TimeoutError:
        return False
    except Exception:  # noqa: BLE001 - whatever a server or a JVM answers
        time.sleep(_PAUSE)
    try:
        return in_time(stop, STOPPING)
    except Exception:  # noqa: BLE001 - as above
        return False


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
