"""What Spark and Delta throw, as one kind of error that speaks of the tables that users know."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_delta_schema.catalogs.spark.physical import translate
from pytest_delta_schema.errors import BackendFailure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.catalogs.spark.bridge import Bridge

_STACK = ("\n\tat ", "\nJVM stacktrace:", "\n\nJVM stacktrace")


@contextmanager
def in_users_names(bridge: Bridge) -> Iterator[None]:
    """Turn whatever Spark, Delta or py4j raise inside the block into a :class:`BackendFailure`."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raise BackendFailure(_text(str(error), bridge), condition=error.getCondition() or "") from error
    except Py4JJavaError as error:
        java = error.java_exception
        raise BackendFailure(_text(str(java.getMessage() or java.toString()), bridge)) from error
    except Py4JError as error:
        raise BackendFailure(_text(str(error), bridge)) from error


def _text(message: str, bridge: Bridge) -> str:
    for mark in _STACK:
        message = message.split(mark, maxsplit=1)[0]
    return translate(message.strip(), bridge.catalogs)
