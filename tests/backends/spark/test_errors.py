"""Errors of Spark: the message alone, the Java stack for whoever asks for it, and statements that are stopped."""

from __future__ import annotations

import logging
import logging.handlers
import socketserver
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.clientserver import (
    SHUTDOWN_FINALIZER_WORKER,
    ClientServer,
    FinalizerWorker,
    JavaParameters,
    PythonParameters,
)
from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.logger import PySparkLogger

from pytest_delta_schema import SessionCatalog
from pytest_delta_schema.backends.databricks.connection import SparkConnection, WarehouseConnection
from pytest_delta_schema.backends.local.conversion import convert_folder
from pytest_delta_schema.backends.spark import errors
from pytest_delta_schema.backends.spark.errors import (
    LOGGERS,
    cancel_on_interrupt,
    stop_jobs,
    translate_errors,
    without_error_log,
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
    (
        JavaError("NoClassDefFoundError", "org/apache/Delta"),
        "java.lang.NoClassDefFoundError: org/apache/Delta",
        "NoClassDefFoundError",
    ),
    (Py4JError("no such method"), "no such method", ""),
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


@pytest.fixture(params=LOGGERS)
def logger(request):
    """A logger of pyspark with a handler that keeps its messages."""
    logger = PySparkLogger.getLogger(request.param)
    handler = logging.handlers.BufferingHandler(1000)
    logger.addHandler(handler)
    yield logger, handler.buffer
    logger.removeHandler(handler)


def messages(buffer):
    return [record.getMessage() for record in buffer]


def test_nothing_is_logged_for_statements_of_this_package(logger):
    log, buffer = logger

    def statement():
        log.error("not found", errorClass="TABLE_OR_VIEW_NOT_FOUND")
        raise AnalysisException("not found")

    with pytest.raises(StatementError), translate_errors():
        statement()
    log.error("of the user", errorClass="X")

    assert messages(buffer) == ["of the user"]


def test_other_threads_and_outer_blocks_are_kept_apart(logger):
    log, buffer = logger

    with without_error_log(), ThreadPoolExecutor() as pool:
        with without_error_log():
            log.error("inner")
        log.error("outer")
        pool.submit(log.error, "elsewhere").result()

    assert messages(buffer) == ["elsewhere"]


@pytest.fixture
def gateway():
    """The gateway of pyspark to a process that ends each connection when a command comes, as a JVM that is killed."""

    class Ended(socketserver.StreamRequestHandler):
        def handle(self):
            self.rfile.readline()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Ended) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        gateway = ClientServer(
            JavaParameters(port=server.server_address[1]),
            PythonParameters(port=0, eager_load=False),
        )
        yield gateway
        gateway.close(keep_callback_server=True)
        server.shutdown()


def running(gateway):
    return gateway.jvm.java.lang.System.nanoTime()


def failed(gateway):
    error = JavaObject("o1", gateway._gateway_client)
    raise Py4JJavaError("An error occurred while calling o0.sql.\n", error)


GONE = (
    "the JVM of Spark has ended, so nothing more can be read or run: it was killed, by the system if memory was"
    " short, or has crashed and left a file hs_err_pid*.log; run again"
)


@pytest.mark.parametrize("call", [running, failed], ids=["during a call", "before the message of an error is read"])
def test_a_jvm_that_ends_is_reported_without_the_traceback_of_py4j(gateway, caplog, call):
    caplog.set_level("INFO")

    with pytest.raises(StatementError) as caught, translate_errors():
        call(gateway)

    assert (str(caught.value), caught.value.condition) == (GONE, "JVM_GONE")
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


def test_a_jvm_that_has_ended_cannot_be_stopped(gateway, caplog):
    context = SimpleNamespace(_jsc=JavaObject("o1", gateway._gateway_client))

    with pytest.raises(Py4JError):
        stop_jobs(SimpleNamespace(sparkContext=context))

    assert caplog.messages == []


def test_an_object_that_is_released_after_the_jvm_has_ended_logs_nothing(gateway, caplog):
    with pytest.raises(Py4JError), without_error_log():
        running(gateway)
    worker = FinalizerWorker(deque([SHUTDOWN_FINALIZER_WORKER, (gateway._gateway_client, "o1")]))
    worker.start()
    worker.join()

    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


def test_other_calls_and_records_keep_their_tracebacks(gateway, caplog):
    with pytest.raises(Py4JError):
        running(gateway)
    with without_error_log():
        logging.error("of the project", exc_info=OSError("disk"))  # noqa: LOG015 - py4j uses the root logger, too

    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "Exception while sending command.",
        "of the project",
    ]


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


def test_nothing_is_stopped_twice_or_for_other_errors():
    for error in (StatementError("full"), StillRunning()):
        with pytest.raises(type(error)) as caught, cancel_on_interrupt(lambda: pytest.fail("stopped")):
            raise error

        assert caught.value is error


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
