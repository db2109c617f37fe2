"""Keep pyspark from logging the errors of statements of this package, which reports them itself.

pyspark 4.0 to 4.2 logs each error of a SQL statement as one line of JSON with its whole stack. A table that does not
exist is such an error, and its line has about 12 KB.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""The loggers of pyspark for errors of statements and of frames."""


class _ThreadFilter(logging.Filter):
    """Drops the records of threads inside of :func:`without_query_log`."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = threading.local()

    def filter(self, _: logging.LogRecord) -> bool:
        return not getattr(self.inside, "depth", 0)


@contextmanager
def without_query_log() -> Iterator[None]:
    """Drop what pyspark logs about errors inside the block, in this thread."""
    inside = _installed_filter().inside
    inside.depth = getattr(inside, "depth", 0) + 1
    try:
        yield
    finally:
        inside.depth -= 1


@cache
def _installed_filter() -> _ThreadFilter:
    installed = _ThreadFilter()
    if find_spec("pyspark.logger") is not None:  # came with pyspark 4.0
        from pyspark.logger import PySparkLogger

        for name in LOGGERS:
            # pyspark needs its own class of loggers under these names.
            PySparkLogger.getLogger(name).addFilter(installed)
    return installed
