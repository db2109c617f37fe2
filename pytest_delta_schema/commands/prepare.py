"""``python -m pytest_delta_schema prepare``: fill the cache of a machine."""

from __future__ import annotations

import logging
import shutil
import sys
from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lacks_pyspark
from pytest_delta_schema.backends.local.launch import version_fault
from pytest_delta_schema.commands.failure import failed
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.progress import LOGGER, PHASE, LogLines, fitted

if TYPE_CHECKING:
    import argparse

SUMMARY = (
    "download the jars of Delta Lake, compile the classes of this package, and write the archive of the JVM's classes,"
    " so the first run of pytest finds them in the cache"
)


class LineHandler(logging.Handler):
    """Writes log records to standard error, and those about a running step in one line if that is a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self._log_lines = LogLines()

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record at once."""
        text = printed(record.getMessage())
        if sys.stderr.isatty():
            end = "" if getattr(record, PHASE, "end") == "running" else "\n"
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r{fitted(record, text, width):<{width}}{end}")
        elif self._log_lines.shows(record):
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command, which has none."""


def run(_arguments: argparse.Namespace) -> int:
    """Fill the cache, report the steps on standard error, and return the exit code."""
    logger, handler = logging.getLogger(LOGGER), LineHandler()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        return _prepare()
    finally:
        logger.removeHandler(handler)


def _prepare() -> int:
    try:
        from pytest_delta_schema.engine.prepare import prepare  # noqa: PLC0415 - it needs pyspark

        folder = prepare()
    except ModuleNotFoundError as error:
        if not lacks_pyspark(error):
            raise
        return failed(version_fault({}))
    except DeltaSchemaError as error:
        return failed(error)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    sys.stdout.write(f"ready: {printed(folder)} has all that the local backend needs ({size:.0f} MB)\n")
    return 0
