"""Show log records of long work on the terminal while pytest captures everything else."""

from __future__ import annotations

import logging
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.diagnostics.escaping import printed
from pytest_delta_schema.plugin.compat.pytest_compat import (
    begin_result_line,
    end_last_line,
    end_line,
    leave_out_of_reports,
)
from pytest_delta_schema.plugin.compat.xdist_compat import is_distributed, is_worker
from pytest_delta_schema.plugin.output.worker_progress import WorkerHandler, WorkerRecords
from pytest_delta_schema.progress import LOGGER, PHASE, LogLines, fitted

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pytest_delta_schema.progress import Phase

_HANDLER = pytest.StashKey[logging.Handler]()
_WORKER_RECORDS = pytest.StashKey[WorkerRecords]()


class TerminalHandler(logging.Handler):
    """Writes log records as lines of pytest's terminal reporter, also while pytest captures output.

    A terminal shows how far a step is in one line that is rewritten. A file gets a line every few seconds, of long
    steps fewer, and so does a terminal when xdist runs, because results of other workers may follow at any moment.

    Attributes:
        has_written: Whether a line was written since the last result of a test.
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


def _uncaptured(config: pytest.Config) -> AbstractContextManager[None]:
    """Suspend the capture of pytest, which redirects output while a test runs, so a text reaches the terminal."""
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    return nullcontext() if capture is None else capture.global_and_fixture_disabled()


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


def handler_of(config: pytest.Config) -> logging.Handler:
    """Return what shows the log records of a process; they are left out of the reports of tests."""
    handler = config.stash.get(_HANDLER, None)
    if handler is None:
        handler = config.stash[_HANDLER] = WorkerHandler(config) if is_worker(config) else TerminalHandler(config)
        if isinstance(handler, TerminalHandler):
            config.pluginmanager.register(ResultLines(handler, config), "delta_schema_result_lines")
    leave_out_of_reports(config, LOGGER, logging.INFO)
    return handler


def show_progress_of(node: Any) -> None:
    """Show what a worker of xdist, which has not started yet, logs."""
    records = node.config.stash.setdefault(_WORKER_RECORDS, WorkerRecords(handler_of(node.config)))
    records.show_those_of(node)
