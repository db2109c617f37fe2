"""Errors of Spark: the message alone, and the Java stack for whoever asks for it."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException

from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.progress import JAVA_LOGGER

STOPPED = "the Spark session was stopped while it was needed; let nothing call stop() on it before all tests have ended"


class Java:
    """An exception of the JVM, as py4j shows it."""

    def __init__(self, name, message):
        self.name = name
        self.message = message
        self._target_id, self._gateway_client = "o1", self
        self.converters = ()

    def getMessage(self):  # noqa: N802 - as in Java
        return self.message

    def toString(self):  # noqa: N802 - as in Java
        return f"java.lang.{self.name}: {self.message}"

    def getCondition(self):  # noqa: N802 - as in Java
        return None

    def getCause(self):  # noqa: N802 - as in Java
        return None

    def getClass(self):  # noqa: N802 - as in Java
        return self

    def getSimpleName(self):  # noqa: N802 - as in Java
        return self.name


class JavaError(Py4JJavaError):  # type: ignore[misc]  # py4j has no types
    """An error whose text needs no JVM."""

    def __init__(self, name, message):
        self.java_exception = Java(name, message)

    def __str__(self):
        return f"{self.java_exception.message}\n\tat org.apache.Spark"


def with_stack(error, stack):
    error._stackTrace = stack
    return error


@pytest.mark.parametrize(
    ("error", "text", "condition"),
    [
        pytest.param(
            AnalysisException(
                "[UNRESOLVED_COLUMN] nope. SQLSTATE: 42703; line 1 pos 7;\n'Project ['nope]\n+- Relation"
            ),
            "[UNRESOLVED_COLUMN] nope. SQLSTATE: 42703; line 1 pos 7",
            "UNRESOLVED_COLUMN",
            id="a plan",
        ),
        pytest.param(
            AnalysisException("\n[PARSE_SYNTAX_ERROR] near 'selec'. (line 1, pos 0)\n\n== SQL ==\nselec\n^^^\n"),
            "[PARSE_SYNTAX_ERROR] near 'selec'. (line 1, pos 0)",
            "",
            id="a query",
        ),
        pytest.param(
            PySparkException("CHECK constraint c (x) violated by row with values:\n - x : a;\n - y : b"),
            "CHECK constraint c (x) violated by row with values:\n - x : a;\n - y : b",
            "",
            id="values of a row",
        ),
        pytest.param(
            JavaError("IllegalStateException", "it is late\n\tat org.apache.Spark"),
            "it is late",
            "IllegalStateException",
            id="a Java stack",
        ),
        pytest.param(
            JavaError("NoClassDefFoundError", "org/apache/Delta"),
            "java.lang.NoClassDefFoundError: org/apache/Delta",
            "NoClassDefFoundError",
            id="a missing class",
        ),
        pytest.param(Py4JError("no such method"), "no such method", "", id="py4j"),
    ],
)
def test_the_message_has_no_stack_and_no_query(error, text, condition):
    with pytest.raises(StatementError) as caught, translate_errors():
        raise error

    assert (str(caught.value), caught.value.condition) == (text, condition)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("error", "stack"),
    [
        (with_stack(AnalysisException("late"), "org.apache.Late\n\tat x"), "LATE\norg.apache.Late\n    at x"),
        (JavaError("IllegalStateException", "late"), "LATE\n    at org.apache.Spark"),
    ],
)
def test_the_stack_is_logged_for_whoever_asks_for_it(caplog, error, stack):
    for level in (logging.INFO, logging.DEBUG):
        caplog.set_level(level, JAVA_LOGGER)
        with pytest.raises(StatementError), translate_errors(lambda text: text.replace("late", "LATE")):
            raise error

    assert caplog.messages == [stack]


@pytest.mark.parametrize("kind", ["classic", "remote"])
def test_nothing_is_run_on_a_session_that_was_stopped(kind):
    classic = SimpleNamespace(sparkContext=SimpleNamespace(_jsc=None))

    with pytest.raises(StatementError) as caught, translate_errors(str, classic if kind == "classic" else Remote()):
        pytest.fail("was run")

    assert (str(caught.value), caught.value.condition) == (STOPPED, "SESSION_STOPPED")


class Remote:
    """A session of Spark Connect that was stopped."""

    __module__ = "pyspark.sql.connect.session"
    is_stopped = True
