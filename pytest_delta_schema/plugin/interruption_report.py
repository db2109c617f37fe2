"""Report how far an apply came when Ctrl-C or SIGTERM ends it, also in the workers of xdist."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.plugin.every_run import RUN
from pytest_delta_schema.plugin.terminal import write_lines
from pytest_delta_schema.plugin.termination import Termination
from pytest_delta_schema.plugin.workers import is_worker, worker_id

if TYPE_CHECKING:
    from pytest_delta_schema.plugin.summary import Summary

LIMIT, WORKER_LIMIT = 4.8, 4.0
"""Seconds from SIGTERM to the end of a process; workers end before the controller, which shows their reports."""

_FOLDER = "delta_schema_interrupted"


class Interrupted:
    """Shows how far each table came, and handles SIGTERM.

    A worker of xdist loses its channel when the controller is interrupted, so that it writes its report to a file.
    Workers on other machines have no such folder; nothing is shown of them.

    Args:
        config: The run's configuration.
        summary: Knows which tables have ended.
    """

    def __init__(self, config: pytest.Config, summary: Summary) -> None:
        self._config = config
        self._summary = summary
        self._termination = Termination(WORKER_LIMIT if is_worker(config) else LIMIT, self._report_at_limit)
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
        spec = node.gateway.spec
        if spec.popen and not spec.via:
            self._folder = self._folder or tempfile.mkdtemp(prefix="pytest-delta-schema-")
            node.workerinput[_FOLDER] = self._folder

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Forget the process of a worker that has ended."""
        if self._folder is not None:
            Path(self._folder, f"{node.gateway.id}.pid").unlink(missing_ok=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Note the interruption; a worker writes its report, the controller passes SIGTERM on."""
        # What pytest and xdist raise to stop a run, as for an error in the collection, are classes of their own.
        self._is_interrupted = excinfo.type is KeyboardInterrupt
        if is_worker(self._config) and self._is_interrupted:
            self._save()
        elif self._termination.is_signalled:
            for path in self._files("pid"):
                with suppress(ProcessLookupError):
                    os.kill(int(path.read_text("utf-8")), signal.SIGTERM)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show how far each table came, and which were not begun."""
        if self._is_interrupted or self._files("json"):
            terminalreporter.ensure_newline()
            terminalreporter.section(self._title(), red=True, bold=True)
            for line in self._lines():
                terminalreporter.write_line(line)
            self._is_shown = True

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Restore the handler of SIGTERM, and raise it again if it came."""
        if self._folder is not None and not is_worker(self._config):
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._termination.is_signalled:
            with suppress(OSError, ValueError):
                write_lines(self._config, "")
                sys.stdout.flush()
        self._termination.end()

    def _title(self) -> str:
        return f"delta schema: {'ended by SIGTERM' if self._termination.is_signalled else 'interrupted'}"

    def _own(self) -> dict[str, Any]:
        run = self._config.stash[RUN]
        selected = {table.qualified_name: str(run.bound(table).name) for table in run.selected}
        return {"texts": run.progress.texts(), "reached": sorted(run.progress.reached()), "selected": selected}

    def _lines(self) -> list[str]:
        known = {"": self._own(), **{path.stem: json.loads(path.read_text("utf-8")) for path in self._files("json")}}
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

    def _save(self) -> None:
        if self._folder is not None:
            self._write("json", json.dumps(self._own()))

    def _write(self, kind: str, text: str) -> None:
        """Write a file of this worker in one step, because other processes read it meanwhile."""
        path = Path(str(self._folder), f"{worker_id(self._config)}.{kind}")
        draft = path.with_suffix(".draft")
        draft.write_text(text, "utf-8")
        draft.replace(path)

    def _files(self, kind: str) -> list[Path]:
        return [] if self._folder is None else sorted(Path(self._folder).glob(f"*.{kind}"))

    def _report_at_limit(self) -> None:
        """Show what is known when the time limit is over, whatever the main thread is doing."""
        if is_worker(self._config):
            self._save()
        elif not self._is_shown:
            write_lines(self._config, "\n".join([f"\n{self._title()}, which took too long", *self._lines()]))
