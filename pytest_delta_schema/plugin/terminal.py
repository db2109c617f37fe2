"""Show lines and log records on the terminal, also those of the workers of xdist, and give them colours."""

from __future__ import annotations

import logging
import os
import re
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.diagnostics.text import printed, printed_line
from pytest_delta_schema.plugin.compat import (
    begin_result_line,
    end_last_line,
    end_line,
    is_distributed,
    is_worker,
    leave_out_of_reports,
)
from pytest_delta_schema.progress import LOGGER, PHASE, SECONDS, STEP, LogLines, fitted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from pytest_delta_schema.progress import Phase


_HANDLER = pytest.StashKey[logging.Handler]()


def handler_of(config: pytest.Config) -> logging.Handler:
    """Return what shows the log records of a process; they are left out of the reports of tests."""
    handler = config.stash.get(_HANDLER, None)
    if handler is None:
        handler = config.stash[_HANDLER] = WorkerHandler(config) if is_worker(config) else TerminalHandler(config)
        if isinstance(handler, TerminalHandler):
            config.pluginmanager.register(ResultLines(handler, config), "delta_schema_result_lines")
    leave_out_of_reports(config, LOGGER, logging.INFO)
    return handler


class TerminalHandler(logging.Handler):
    """Writes log records as lines of pytest's terminal reporter, also while pytest captures output.

    A terminal shows how far a step is in one line that is rewritten. A file gets a line every few seconds, of long
    steps fewer, and so does a terminal when xdist runs, because results of other workers may follow at any moment.
    """

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(logging.INFO)
        self.has_written = False
        self._config = config
        self._is_rewriting = False
        self._log_lines = LogLines()

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record at once."""
        text = printed(f"delta schema: {record.getMessage()}")
        phase: Phase = getattr(record, PHASE, "end")
        reporter = _reporter(self._config)
        if reporter is None:
            return
        rewrites = bool(reporter.isatty) and not is_distributed(self._config)
        if not rewrites and not self._log_lines.shows(record):
            return
        with _uncaptured(self._config):
            width = self._config.get_terminal_writer().fullwidth - 1
            self._write(reporter, fitted(record, text, width) if rewrites else text, phase, rewrites=rewrites)

    def _write(self, reporter: Any, text: str, phase: Phase, *, rewrites: bool) -> None:
        self.has_written = True
        if not self._is_rewriting:
            reporter.ensure_newline()
            # With xdist, the reporter does not know that it has written to a line.
            if self._config.get_terminal_writer().width_of_current_line:
                reporter.write("\n")
        if rewrites:
            reporter.rewrite(text, erase=True)
        else:
            reporter.write(text)
        self._is_rewriting = rewrites and phase == "running"
        if phase == "end":
            end_line(reporter)
        elif not self._is_rewriting:
            reporter.write("\n")
        reporter.flush()


def _uncaptured(config: pytest.Config) -> AbstractContextManager[None]:
    """Suspend the capture of pytest, which redirects output while a test runs, so a text reaches the terminal."""
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    return nullcontext() if capture is None else capture.global_and_fixture_disabled()


class ResultLines:
    """Keeps the results of tests apart from the lines of a handler."""

    def __init__(self, handler: TerminalHandler, config: pytest.Config) -> None:
        self._handler = handler
        self._config = config
        session: Any = config.pluginmanager.getplugin("session")
        items: list[pytest.Item] = getattr(session, "items", [])
        # The first record may arrive in the middle of a test.
        self._is_last = bool(items) and os.environ.get("PYTEST_CURRENT_TEST", "").startswith(f"{items[-1].nodeid} (")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, nextitem: pytest.Item | None) -> None:
        """Note whether a test is the last one."""
        self._is_last = nextitem is None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Begin a line before a result is shown."""
        if self._handler.has_written and (report.when == "call" or not report.passed):
            begin_result_line(_reporter(self._config), report.nodeid)
            self._handler.has_written = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logfinish(self) -> None:
        """End the line of a last step, because no result follows it."""
        if self._handler.has_written and self._is_last:
            end_last_line(_reporter(self._config))


def _reporter(config: pytest.Config) -> Any:
    return config.pluginmanager.getplugin("terminalreporter")


def write_lines(config: pytest.Config, text: str) -> None:
    """Write a text on the terminal at once, as separate lines; nothing where there is no reporter.

    An empty text only flushes.
    """
    reporter = _reporter(config)
    if reporter is not None:
        if text:
            end_last_line(reporter)
            reporter.write_line(text)
        reporter.flush()


def show_section(reporter: pytest.TerminalReporter, lines: Sequence[str]) -> None:
    """Show lines below the heading of this package at the end of a run; nothing without lines."""
    if lines:
        reporter.ensure_newline()
        reporter.section("delta schema")
        for line in lines:
            reporter.write_line(printed_line(line))


_INPUT = "delta_schema_progress"
"""The name of the channel in the input of workers."""


class WorkerHandler(logging.Handler):
    """Sends log records to the process that controls the workers."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(logging.INFO)
        self._channel: Any = config.workerinput[_INPUT]  # type: ignore[attr-defined]

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record at once, unless the controlling process has ended."""
        about_step = {name: getattr(record, name) for name in (PHASE, STEP, SECONDS) if hasattr(record, name)}
        # A record that cannot be sent must not replace the interruption during which it is logged.
        with suppress(OSError):
            self._channel.send({"levelno": record.levelno, "msg": record.getMessage(), **about_step})


class WorkerRecords:
    """Shows the log records of workers.

    Several workers may start Spark, or read the same tables, at the same time. Of such steps one worker is shown.
    """

    def __init__(self, handler: logging.Handler) -> None:
        self._handler = handler
        self._shown: dict[str, str] = {}

    def show_those_of(self, node: Any) -> None:
        """Show the records of a worker, which has not started yet."""
        worker = str(node.gateway.id)
        channel = node.gateway.newchannel()
        channel.setcallback(lambda values: self._show(worker, logging.makeLogRecord(values)))
        node.workerinput[_INPUT] = channel

    def _show(self, worker: str, record: logging.LogRecord) -> None:
        """Show a record of a worker, unless another record is shown for its step."""
        text = getattr(record, STEP, None)
        if text is not None:
            ends = getattr(record, PHASE) == "end"
            shown = self._shown.get(text) if ends else self._shown.setdefault(text, worker)
            if shown != worker:
                return
            if ends:
                del self._shown[text]
        self._handler.handle(record)


_WORKER_RECORDS = pytest.StashKey[WorkerRecords]()


def show_progress_of(node: Any) -> None:
    """Show what a worker of xdist, which has not started yet, logs."""
    records = node.config.stash.setdefault(_WORKER_RECORDS, WorkerRecords(handler_of(node.config)))
    records.show_those_of(node)


_COLOURS: Mapping[str, str] = {
    "+": "green",
    "-": "red",
    "~": "yellow",
    "!": "red",
    "valid": "green",
    "enforced": "green",
    "compatible": "green",
    "in sync": "green",
    "applied": "green",
    "metadata synced": "green",
    "not proven": "yellow",
    "not judged": "yellow",
    "drifted": "red",
    "incompatible": "red",
    "blocked": "red",
    "stale metadata": "red",
    "not enforced": "red",
    "failed": "red",
    "unreadable": "red",
    "unused": "red",
}
"""The colours of lines that begin so: the marks of changes, and the words of the summary.

They are written out, because this module is loaded also where pyspark is not installed; a test holds that no status is
missing."""

_BEGINNING = rf" {{2,6}}({'|'.join(map(re.escape, _COLOURS))}) +\S"


def markup_of(line: str) -> dict[str, bool]:
    """Return how a line is shown: changes, reasons that block a plan, and tables of the summary have colours.

    It returns the arguments for pytest's terminal writer, which uses them on a terminal only; empty for other lines.
    """
    match = re.match(_BEGINNING, line)
    return {} if match is None else {_COLOURS[match[1]]: True}
