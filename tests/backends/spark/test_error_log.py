"""What pyspark and py4j log about errors: nothing of it for calls of this package, all of it for others."""

from __future__ import annotations

import logging.handlers
import socketserver
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from py4j.clientserver import ClientServer, JavaParameters, PythonParameters
from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.logger import PySparkLogger

from pytest_delta_schema.backends.spark.errors import LOGGERS, stop_jobs, translate_errors, without_error_log
from pytest_delta_schema.diagnostics.errors import StatementError


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
            JavaParameters(port=server.server_address[1]), PythonParameters(port=0, eager_load=False)
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


def test_other_calls_and_records_keep_their_tracebacks(gateway, caplog):
    with pytest.raises(Py4JError):
        running(gateway)
    with without_error_log():
        logging.error("of the project", exc_info=OSError("disk"))  # noqa: LOG015 - py4j uses the root logger, too

    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "Exception while sending command.",
        "of the project",
    ]
