"""Keep pyspark and py4j from logging the errors of calls of this package, which reports them itself.

pyspark 4.0 to 4.2 logs each error of a SQL statement as one line of JSON with its whole stack. A table that does not
exist is such an error, and its line has about 12 KB. If the JVM ends or Ctrl-C comes during a call, py4j logs its own
traceback, to the root logger (py4j 0.10.9.7 to 0.10.9.9).
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Drops the tracebacks of py4j in threads inside of :func:`without_error_log`."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (_INSIDE.depth and record.exc_info and Path(record.pathname).parent.name == "py4j")


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
