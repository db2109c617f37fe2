"""Errors of Spark: the message alone, the Java stack for whoever asks for it, and statements that are stopped."""

from __future__ import annotations

import logging
import logging.handlers
import threading
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException

from pytest_delta_schema import SessionCatalog
from pytest_delta_schema.backends.databricks.connection import SparkConnection, WarehouseConnection
from pytest_delta_schema.backends.local.conversion import convert_folder
from pytest_delta_schema.backends.spark import errors
from pytest_delta_schema.backends.spark.errors import (
    cancel_on_interrupt,
    translate_errors,
)
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import StillRunning
from pytest_delta_schema.plan import ConvertTable
from pytest_delta_schema.progress import JAVA_LOGGER
from pytest_delta_schema.sql import Statement, StatementKind
from pytest_delta_schema.state import SourceState
from support.models import NAME

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


MESSAGES: list[tuple[Exception, str, str]] = [
    (
        AnalysisException("[UNRESOLVED_COLUMN] nope. SQLSTATE: 42703; line 1 pos 7;\n'Project ['nope]\n+- Relation"),
        "[UNRESOLVED_COLUMN] nope. SQLSTATE: 42703; line 1 pos 7",
        "UNRESOLVED_COLUMN",
    ),
    (
        AnalysisException("\n[PARSE_SYNTAX_ERROR] near 'selec'. (line 1, pos 0)\n\n== SQL ==\nselec\n^^^\n"),
        "[PARSE_SYNTAX_ERROR] near 'selec'. (line 1, pos 0)",
        "",
    ),
    (
        PySparkException("CHECK constraint c (x) violated by row with values:\n - x : a;\n - y : b"),
        "CHECK constraint c (x) violated by row with values:\n - x : a;\n - y : b",
        "",
    ),
    (JavaError("IllegalStateException", "it is late\n\tat org.apache.Spark"), "it is late", "IllegalStateException"),
]


def test_the_message_has_no_stack_and_no_query():
    for error, text, condition in MESSAGES:
        with pytest.raises(StatementError) as caught, translate_errors():
            raise error

        assert (str(caught.value), caught.value.condition) == (text, condition)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__


def test_the_stack_is_logged_for_whoever_asks_for_it(caplog):
    of_python: Any = AnalysisException("late")
    of_python._stackTrace = "org.apache.Late\n\tat x"
    for error, stack in (
        (of_python, "LATE\norg.apache.Late\n    at x"),
        (JavaError("IllegalStateException", "late"), "LATE\n    at org.apache.Spark"),
    ):
        caplog.clear()
        for level in (logging.INFO, logging.DEBUG):
            caplog.set_level(level, JAVA_LOGGER)
            with pytest.raises(StatementError), translate_errors(lambda text: text.replace("late", "LATE")):
                raise error

        assert caplog.messages == [stack]


def test_nothing_is_run_on_a_session_that_was_stopped():
    classic = SimpleNamespace(sparkContext=SimpleNamespace(_jsc=None))
    for session in (classic, Remote()):
        with pytest.raises(StatementError) as caught, translate_errors(str, session):
            pytest.fail("was run")

        assert (str(caught.value), caught.value.condition) == (STOPPED, "SESSION_STOPPED")


class Remote:
    """A session of Spark Connect that was stopped."""

    __module__ = "pyspark.sql.connect.session"
    is_stopped = True


def test_what_an_interruption_becomes(monkeypatch):
    monkeypatch.setattr(errors, "STOPPING", 0.05)
    first, broken = [StatementError("no answer")], StatementError("no route")

    def fails(*errors):
        if errors:
            raise errors[0]
        return True

    for stop, expected in (
        (lambda: True, KeyboardInterrupt),
        (lambda: False, StillRunning),
        (lambda: fails(broken), StillRunning),
        (lambda: fails(*[first.pop()] if first else []), KeyboardInterrupt),
        (threading.Event().wait, StillRunning),
    ):
        with pytest.raises(KeyboardInterrupt) as caught, cancel_on_interrupt(stop):
            raise KeyboardInterrupt

        assert caught.type is expected


class InterruptedRemote:
    """A session of Spark Connect whose statements are interrupted."""

    __module__ = "pyspark.sql.connect.session"

    def __init__(self):
        self.asked = []

    def sql(self, text):
        self.asked.append(text)
        raise KeyboardInterrupt

    def interruptAll(self):  # noqa: N802 - pyspark's name
        self.asked.append("interrupt")


COMMENT = Statement(table=NAME, kind=StatementKind.COMMENT_TABLE, sql="COMMENT")


@pytest.mark.parametrize(
    "run",
    [lambda spark: SparkConnection(spark).rows("COMMENT"), lambda spark: SessionCatalog(spark).run(COMMENT)],
    ids=["databricks", "session"],
)
def test_spark_connect_is_interrupted(run):
    spark = InterruptedRemote()

    with pytest.raises(StillRunning):
        run(spark)

    assert spark.asked == ["COMMENT", "interrupt"]


def test_a_statement_of_a_warehouse_is_cancelled():
    calls: list[str] = []

    class Cursor(AbstractContextManager):  # type: ignore[type-arg]  # the interface of PEP 249
        def __exit__(self, *_):
            calls.append("closed")

        def execute(self, sql):
            calls.append(sql)
            raise KeyboardInterrupt

        def cancel(self):
            calls.append("cancel")

    with pytest.raises(StillRunning):
        WarehouseConnection(SimpleNamespace(cursor=Cursor)).rows("COMMENT")

    assert calls == ["COMMENT", "cancel", "closed"]


@pytest.mark.parametrize(("error", "is_left"), [(KeyboardInterrupt, False), (StillRunning, True)])
def test_an_interrupted_conversion_leaves_no_log_unless_it_may_still_commit(tmp_path, error, is_left):
    source = SourceState(provider="parquet", path=str(tmp_path), files=1)
    statement = Statement(table=NAME, kind=StatementKind.CONVERT_TABLE, sql="", changes=(ConvertTable(source=source),))

    def sql(_):
        (tmp_path / "_delta_log" / "_staged_commits").mkdir(parents=True)
        raise error

    with pytest.raises(error):
        convert_folder(SimpleNamespace(), statement, sql)

    assert (tmp_path / "_delta_log").exists() is is_left
