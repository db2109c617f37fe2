"""End a run on SIGTERM as on Ctrl-C, within a time limit, and show how far an interrupted apply came."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.plugin.options import APPLY
from pytest_delta_schema.plugin.terminal import write_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from pytest_delta_schema.plugin.run import ContractRun


class Termination:
    """Turns SIGTERM into a ``KeyboardInterrupt``, while it is installed.

    The process ends ``limit`` seconds after the signal, whatever it is doing, and ``at_limit`` is called first.
    It is called by another thread.
    """

    def __init__(self, limit: float, at_limit: Callable[[], None]) -> None:
        self.is_signalled = False
        self._limit = limit
        self._at_limit = at_limit
        self._over = threading.Event()
        self._earlier: Callable[[int, FrameType | None], object] | int | None = None

    def install(self) -> None:
        """Install the handler; not outside of the main thread, and not where the signal is ignored."""
        earlier = signal.getsignal(signal.SIGTERM)
        if threading.current_thread() is not threading.main_thread() or earlier in (None, signal.SIG_IGN):
            return
        self._earlier = earlier
        self._watched, self._waking = socket.socketpair()
        self._waking.settimeout(0)
        # The interpreter writes to the socket even while the main thread is stuck in a call that is not Python's.
        self._other_fd = signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        if self._other_fd != -1:
            signal.set_wakeup_fd(self._other_fd)
        threading.Thread(target=self._watch, name="pytest-delta-schema-watch", daemon=True).start()
        signal.signal(signal.SIGTERM, self._handle)

    def end(self) -> None:
        """Restore the earlier handler, and raise the signal again if it came."""
        if self._earlier is None:
            return
        earlier, self._earlier = self._earlier, None
        if signal.getsignal(signal.SIGTERM) == self._handle:
            signal.signal(signal.SIGTERM, earlier)
        if self._other_fd == -1:
            signal.set_wakeup_fd(-1)
        self._over.set()
        self._waking.close()
        if self.is_signalled:
            signal.raise_signal(signal.SIGTERM)

    def _handle(self, *_: object) -> None:
        if self.is_signalled:
            return  # the time limit ends the process, if nothing else does
        self.is_signalled = True
        with suppress(OSError):
            self._waking.send(bytes([signal.SIGTERM]))
        raise KeyboardInterrupt

    def _watch(self) -> None:
        # The socket stays open until the end: of a signal that cannot be written to it, the interpreter shows an error.
        with self._watched:
            signals = b""
            while signal.SIGTERM not in signals:
                signals = self._watched.recv(64)
                if not signals:
                    return
            if not self._over.wait(self._limit):
                try:
                    self._at_limit()
                finally:
                    os._exit(128 + signal.SIGTERM)


LIMIT = 4.8
"""Seconds from SIGTERM to the end of the process."""


class Interruption:
    """Handles SIGTERM, and shows how far each table of an interrupted apply came."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        self._config = config
        self._run = run
        self._is_apply = run.options.mode == APPLY
        self._termination = Termination(LIMIT, self._report_at_limit)
        self._is_interrupted = self._is_shown = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Install the handler of SIGTERM."""
        self._termination.install()

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Note the interruption of an apply."""
        # What pytest raises to stop a run, as for an error in the collection, are other classes.
        self._is_interrupted = self._is_apply and excinfo.type is KeyboardInterrupt

    def show(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show how far each table of an interrupted apply came, and which were not begun."""
        if self._is_interrupted:
            terminalreporter.ensure_newline()
            terminalreporter.section(self._title(), red=True, bold=True)
            for line in self._lines():
                terminalreporter.write_line(printed(line))
            self._is_shown = True

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Restore the handler of SIGTERM, and raise it again if it came.

        A second interruption skips the summary of pytest, so the report is shown here.
        """
        if self._is_interrupted and not self._is_shown:
            self._write_report(f"\n{self._title()}")
        with suppress(OSError, ValueError):
            write_lines(self._config, "")
            sys.stdout.flush()
        self._termination.end()

    def _title(self) -> str:
        return f"delta schema: {'ended by SIGTERM' if self._termination.is_signalled else 'interrupted'}"

    def _lines(self) -> list[str]:
        run = self._run
        lines = list(run.progress.texts()) or ["no table was being changed"]
        ended = set() if run.results is None else {outcome.table for outcome in run.results.outcomes().values()}
        selected = {
            str(run.declarations.bound(table).name) for table in run.selected if table.qualified_name not in ended
        }
        left = sorted(selected - set(run.progress.reached()))
        return [*lines, *([f"not begun: {', '.join(left)}"] if left else [])]

    def _report_at_limit(self) -> None:
        """Show what is known when the time limit is over, whatever the main thread is doing."""
        if self._is_apply and not self._is_shown:
            self._write_report(f"\n{self._title()}, which took too long")
        if self._run.results is not None:
            self._run.results.write_at_limit()

    def _write_report(self, title: str) -> None:
        write_lines(self._config, printed("\n".join([title, *self._lines()])))
        self._is_shown = True
