"""End a run on SIGTERM as on Ctrl-C, within a time limit, and show how far an interrupted apply came."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.plugin.compat import is_worker, share_folder, worker_id
from pytest_delta_schema.plugin.registration import REPORTS, RUN
from pytest_delta_schema.plugin.terminal import write_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from pytest_delta_schema.plugin.summary import Summary


_HANDLED = frozenset({signal.SIGINT, signal.SIGTERM})


class Termination:
    """Turns SIGTERM into a ``KeyboardInterrupt``, while it is installed.

    The process ends ``limit`` seconds after the signal, whatever it is doing, and ``at_limit`` is called first.
    ``on_signal`` is called at once with each SIGINT and SIGTERM, and must not raise. Both are called by another thread.
    """

    def __init__(self, limit: float, on_signal: Callable[[int], None], at_limit: Callable[[], None]) -> None:
        self.is_signalled = False
        self._limit = limit
        self._on_signal = on_signal
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
                for signum in _HANDLED.intersection(signals):
                    self._on_signal(signum)
            if not self._over.wait(self._limit):
                try:
                    self._at_limit()
                finally:
                    os._exit(128 + signal.SIGTERM)


LIMIT, WORKER_LIMIT = 4.8, 4.0
"""Seconds from SIGTERM to the end of a process; workers end before the controller, which shows their reports."""

_FOLDER = "delta_schema_interrupted"
_AT_SIGNAL, _WHOLE = "at-signal.json", "report.json"
"""The kinds of reports of a worker: what it was doing when a signal came, and the one that replaces it."""


class Interrupted:
    """Shows how far each table came, and handles SIGTERM.

    A worker of xdist loses its channel when the controller is interrupted, so it writes its report to a file. It
    may be killed before it has read the table again, so it writes what it knows as soon as the signal comes.
    Workers on other machines have no such folder; nothing is shown of them.
    """

    def __init__(self, config: pytest.Config, summary: Summary) -> None:
        self._config = config
        self._summary = summary
        self._run = config.stash[RUN]
        self._progress = self._run.progress
        limit = WORKER_LIMIT if is_worker(config) else LIMIT
        self._termination = Termination(limit, self._note_signal, self._report_at_limit)
        self._folder = getattr(config, "workerinput", {}).get(_FOLDER)
        self._is_interrupted = self._is_shown = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Install the handler of SIGTERM; a worker writes its process id for the controller."""
        self._termination.install()
        if is_worker(self._config) and self._folder is not None:
            self._write("pid", str(os.getpid()))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give a worker on this machine the folder for its report."""
        self._folder = share_folder(node, _FOLDER, self._folder)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Forget the process of a worker that has ended."""
        if self._folder is not None:
            Path(self._folder, f"{node.gateway.id}.pid").unlink(missing_ok=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Note the interruption; a worker writes its report."""
        # What pytest and xdist raise to stop a run, as for an error in the collection, are classes of their own.
        self._is_interrupted = excinfo.type is KeyboardInterrupt
        if is_worker(self._config) and self._is_interrupted:
            self._save(_WHOLE)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show how far each table came, and which were not begun."""
        if self._has_report():
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
        if self._has_report() and not self._is_shown:
            self._write_report(f"\n{self._title()}")
        self._remove_folder()
        if self._termination.is_signalled:
            with suppress(OSError, ValueError):
                write_lines(self._config, "")
                sys.stdout.flush()
        self._termination.end()

    def _title(self) -> str:
        return f"delta schema: {'ended by SIGTERM' if self._termination.is_signalled else 'interrupted'}"

    def _has_report(self) -> bool:
        return self._is_interrupted or bool(self._files(_WHOLE))

    def _own(self) -> dict[str, Any]:
        selected = {table.qualified_name: str(self._run.declarations.bound(table).name) for table in self._run.selected}
        return {"texts": self._progress.texts(), "reached": sorted(self._progress.reached()), "selected": selected}

    def _lines(self) -> list[str]:
        known = {"": self._own()}
        for path in (*self._files(_AT_SIGNAL), *self._files(_WHOLE)):
            known[path.name.partition(".")[0]] = json.loads(path.read_text("utf-8"))
        lines = [f"[{name}] {text}" if name else text for name, report in known.items() for text in report["texts"]]
        ended = self._summary.ended()
        reached = {table for report in known.values() for table in report["reached"]}
        selected = {
            table for report in known.values() for model, table in report["selected"].items() if model not in ended
        }
        left = sorted(selected - reached)
        if not lines:
            lines.append("no table was being changed")
        if left:
            lines.append(f"not begun: {', '.join(left)}")
        return lines

    def _save(self, kind: str) -> None:
        if self._folder is not None:
            self._write(kind, json.dumps(self._own()))

    def _write(self, kind: str, text: str) -> None:
        """Write a file of this worker in one step, because other processes read it meanwhile."""
        path = Path(str(self._folder), f"{worker_id(self._config)}.{kind}")
        draft = Path(f"{path}.{threading.get_ident()}.draft")
        draft.write_text(text, "utf-8")
        draft.replace(path)

    def _files(self, kind: str) -> list[Path]:
        return [] if self._folder is None else sorted(Path(self._folder).glob(f"*.{kind}"))

    def _note_signal(self, signum: int) -> None:
        """Write what a worker is doing when a signal comes; the controller passes SIGTERM on."""
        if is_worker(self._config):
            # The folder is removed when the controller ends.
            with suppress(OSError):
                if self._progress.texts():
                    self._save(_AT_SIGNAL)
        elif signum == signal.SIGTERM:
            for path in self._files("pid"):
                with suppress(FileNotFoundError, ProcessLookupError):
                    os.kill(int(path.read_text("utf-8")), signal.SIGTERM)

    def _report_at_limit(self) -> None:
        """Show what is known when the time limit is over, whatever the main thread is doing."""
        if is_worker(self._config):
            self._save(_WHOLE)
        else:
            if not self._is_shown:
                self._write_report(f"\n{self._title()}, which took too long")
            reports: Any = self._config.pluginmanager.getplugin(REPORTS)
            if reports is not None:
                reports.write_at_limit()
            self._remove_folder()

    def _write_report(self, title: str) -> None:
        write_lines(self._config, printed("\n".join([title, *self._lines()])))
        self._is_shown = True

    def _remove_folder(self) -> None:
        if self._folder is not None and not is_worker(self._config):
            shutil.rmtree(self._folder, ignore_errors=True)
