"""What Spark and Delta throw, as one kind of error that speaks of the tables that users know."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.errors import BackendFailure
from pytest_delta_schema.redaction import redacted_uris

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_STREAM = "STREAM_FAILED"
_IN_STREAM = re.compile(r"terminated with exception: \[([A-Z0-9_.]+)\]")
"""Where a stream that failed says why: behind its own condition, which says nothing."""

_STACK = ("\n\tat ", "\nJVM stacktrace:", "\n\nJVM stacktrace")


@contextmanager
def in_users_names(reworded: Callable[[str], str] = str) -> Iterator[None]:
    """Turn whatever Spark, Delta or py4j raise inside the block into a :class:`BackendFailure`.

    Args:
        reworded: Turns names in a message to those that users know.
    """
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        condition = error.getCondition() or ""
        if condition == _STREAM:
            condition = next(iter(_IN_STREAM.findall(str(error))), condition)
        raise BackendFailure(reworded(_text(str(error))), condition=condition) from error
    except Py4JJavaError as error:
        java = error.java_exception
        text = _text(str(java.getMessage() or java.toString()))
        raise BackendFailure(reworded(text), condition=_condition(java)) from error
    except Py4JError as error:
        raise BackendFailure(reworded(_text(str(error)))) from error


def _condition(java: Any) -> str:
    """Return the condition of an exception of the JVM, or of what caused it; else the name of the cause's class."""
    from py4j.protocol import Py4JError

    while True:
        try:
            condition = java.getCondition()
        except Py4JError:
            condition = None
        cause = java.getCause()
        if condition or cause is None:
            return str(condition or java.getClass().getSimpleName())
        java = cause


def _text(message: str) -> str:
    for mark in _STACK:
        message = message.split(mark, maxsplit=1)[0]
    return redacted_uris(message.strip())
