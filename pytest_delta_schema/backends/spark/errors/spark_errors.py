"""Turn the exceptions of Spark, Delta and py4j into one kind of error, with the table names of users."""

from __future__ import annotations

import logging
import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat.pyspark_compat import (
    error_condition,
    is_stopped,
    java_condition,
    java_stack,
)
from pytest_delta_schema.backends.spark.errors.error_log import without_error_log
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.diagnostics.redaction import redacted_uris
from pytest_delta_schema.progress import JAVA_LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import SparkSession

_STREAM = "STREAM_FAILED"
_IN_STREAM = re.compile(r"terminated with exception: \[([A-Z0-9_.]+)\]")
"""The condition inside the message of a failed stream, whose own condition is always the same."""

_STACK = ("\n\tat ", "\nJVM stacktrace:", "\n\nJVM stacktrace")
_QUERY = ("\n\n== SQL", ";\n")
"""What is in a message of the analysis before the query, and before its plan."""

_LOG = logging.getLogger(JAVA_LOGGER)

JVM_GONE, SESSION_STOPPED = "JVM_GONE", "SESSION_STOPPED"
"""The conditions of errors whose cause is that the JVM has ended, or that the session was stopped."""

NO_CONNECTION = "NO_CONNECTION"
"""The condition of an error whose cause is the connection: the server cannot be reached, or refuses the token."""

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
            reason = redacted_uris(f"{lost[1]}: {lost[2]}")
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
    return redacted_uris(message.strip())


def _log(error: Exception, reworded: Callable[[str], str]) -> None:
    from py4j.protocol import Py4JError

    with suppress(Py4JError, ConnectionError):  # the JVM that has the stack may have ended
        stack = "\n".join(filter(None, (str(error).strip(), java_stack(error))))
        _LOG.debug("%s", reworded(redacted_uris(stack)))
