"""pyspark's own log of failed statements: nothing of it for statements of this package, all of it for others."""

from __future__ import annotations

import logging.handlers
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.errors import AnalysisException
from pyspark.logger import PySparkLogger

from pytest_delta_schema.backends.spark.query_log import LOGGERS, without_query_log
from pytest_delta_schema.backends.spark.spark_errors import in_users_names
from pytest_delta_schema.errors import StatementError


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

    with pytest.raises(StatementError), in_users_names():
        statement()
    log.error("of the user", errorClass="X")

    assert messages(buffer) == ["of the user"]


def test_other_threads_and_outer_blocks_are_kept_apart(logger):
    log, buffer = logger

    with without_query_log(), ThreadPoolExecutor() as pool:
        with without_query_log():
            log.error("inner")
        log.error("outer")
        pool.submit(log.error, "elsewhere").result()

    assert messages(buffer) == ["elsewhere"]
