"""Turn the exceptions of Spark, Delta and py4j into one kind of error, with the table names of users."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat import condition_of, java_condition
from pytest_delta_schema.backends.spark.query_log import without_query_log
from pytest_delta_schema.errors import StatementError
from pytest_delta_schema.redaction import HIDDEN, redacted_uris

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_STREAM = "STREAM_FAILED"
_IN_STREAM = re.compile(r"terminated with exception: \[([A-Z0-9_.]+)\]")
"""The condition inside the message of a failed stream, whose own condition is always the same."""

_STACK = ("\n\tat ", "\nJVM stacktrace:", "\n\nJVM stacktrace")


JVM_GONE = "JVM_GONE"
"""The condition of an error whose cause is that the JVM has ended."""

NO_CONNECTION = "NO_CONNECTION"
"""The condition of an error whose cause is the connection: the server cannot be reached, or refuses the token."""

_RPC = re.compile(r'status = StatusCode\.(UNAVAILABLE|UNAUTHENTICATED)\s+details = "([^"]*)"')
"""How Spark Connect shows that no server has answered, or that it refuses the token (pyspark 3.5 to 4.2)."""

_GONE = (
    "the JVM of Spark has ended, so that nothing more can be read or run: it was killed, by the system if memory was"
    " short, or has crashed and left a file hs_err_pid*.log; run again"
)
_NO_ANSWER = re.compile(r"An error occurred while calling \S+")
"""The whole message of py4j if the JVM ends during a call; an error inside the JVM adds its stack trace."""


@contextmanager
def in_users_names(reworded: Callable[[str], str] = str) -> Iterator[None]:
    """Turn whatever Spark, Delta or py4j raise inside the block into a :class:`StatementError`.

    Args:
        reworded: Replaces physical names and secrets in a message.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with without_query_log():
            yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        failure = _failure(error, reworded)
        # The original error would show what is redacted in this one.
        raise failure from None if HIDDEN in str(failure) else error


def _failure(error: Exception, reworded: Callable[[str], str]) -> StatementError:
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        if isinstance(error, PySparkException):
            lost = _RPC.search(str(error))
            if lost is not None:
                reason = redacted_uris(f"{lost[1]}: {lost[2]}")
                text = f"the Spark Connect server does not answer ({reason}); see whether it runs, and the token"
                return StatementError(reworded(text), condition=NO_CONNECTION)
            condition = condition_of(error)
            if condition == _STREAM:
                condition = next(iter(_IN_STREAM.findall(str(error))), condition)
            return StatementError(reworded(_text(str(error))), condition=condition)
        if isinstance(error, Py4JJavaError):
            java = error.java_exception
            text = _text(str(java.getMessage() or java.toString()))
            return StatementError(reworded(text), condition=_condition(java))
        if isinstance(error, Py4JError) and not _has_no_answer(error):
            return StatementError(reworded(_text(str(error))))
    except (Py4JNetworkError, ConnectionError):
        # The message could not be fetched from the JVM.
        pass
    return StatementError(_GONE, condition=JVM_GONE)


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


def _text(message: str) -> str:
    for mark in _STACK:
        message = message.split(mark, maxsplit=1)[0]
    return redacted_uris(message.strip())
