"""Write the reports of a run, and give them to the hook of the project."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.diagnostics.escaping import printed
from pytest_delta_schema.plugin.compat.xdist_compat import is_worker
from pytest_delta_schema.plugin.options.option_values import APPLY
from pytest_delta_schema.plugin.outcomes.check_results import CheckResults
from pytest_delta_schema.plugin.output.terminal import write_lines
from pytest_delta_schema.plugin.reports.report_builder import report_of_run
from pytest_delta_schema.plugin.run.stash_keys import RUN
from pytest_delta_schema.plugin.summary.interruption_report import LIMIT
from pytest_delta_schema.plugin.summary.termination import Termination
from pytest_delta_schema.report.report_file import write_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.configuration.report_targets import ReportFile
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome
    from pytest_delta_schema.report.run_report import RunReport

_USED = "delta_schema_used_consents"
_ANNOTATES = "pytest_github_actions_annotate_failures"


class ReportWriter:
    """Collects how the checks of a run end, and writes its reports at the end.

    A worker of xdist only says which consents it needed.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._results = CheckResults(config)
        self._started = time.monotonic()
        self._used: set[str] = set()
        self._lines: list[str] = []
        self._is_written = False
        self._termination: Termination | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """End the run on SIGTERM as on Ctrl-C, so its reports are written; an apply does that by itself."""
        is_apply = self._config.stash[RUN].options.mode == APPLY
        if not (is_apply or is_worker(self._config) or self._config.option.collectonly):
            self._termination = Termination(LIMIT, lambda _: None, self.write_at_limit)
            self._termination.install()

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Restore the handler of SIGTERM, and raise it again if it came."""
        if self._termination is not None:
            with suppress(OSError, ValueError):
                write_lines(self._config, "")
                sys.stdout.flush()
            self._termination.end()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which checks are going to run."""
        self._results.select(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Note which checks the workers are going to run."""
        self._results.select(ids)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note that a module could not be collected."""
        if report.failed:
            self._results.cut()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect what a check has shown."""
        if not is_worker(self._config):
            self._results.add(report)

    def note_unreported(self, node_id: str, outcome: TableOutcome) -> None:
        """Note the outcome of a change that was made before its item, which may not run any more."""
        self._results.note_unreported(node_id, outcome)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Collect the consents that a worker needed, or note that it crashed."""
        self._used.update(getattr(node, "workeroutput", {}).get(_USED, ()))
        if error:
            self._results.cut()

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the reports; a run of which one cannot be written fails.

        xdist ends its workers after this, which takes longer than a service waits that has sent SIGTERM.
        """
        self._used.update(map(str, self._config.stash[RUN].used_consents()))
        if is_worker(self._config):
            self._config.workeroutput[_USED] = sorted(self._used)  # type: ignore[attr-defined]
            return
        if exitstatus == pytest.ExitCode.INTERNAL_ERROR:
            self._results.cut()
        if not self._write_all():
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def write_at_limit(self) -> None:
        """Write the reports when the time limit after SIGTERM is over, whatever the main thread is doing."""
        self._write_all()
        write_lines(self._config, "\n".join(self._lines))
        self._lines.clear()

    def _write_all(self) -> bool:
        """Write the reports of what has ended, once, and return whether that was possible."""
        if self._is_written or not self._results:
            return True
        self._is_written = True
        options = self._config.stash[RUN].options
        report = report_of_run(self._config, options, self._results, self._used, self._started)
        are_written = [self._write(target, report) for target in options.reports]
        hook = self._config.hook.pytest_delta_schema_report
        if hook.get_hookimpls():
            from pytest_delta_schema.report.run_report_json import report_json

            hook(config=self._config, report=report_json(report))
        return all(are_written)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show which files were written, and the reports that are lines of the terminal."""
        terminalreporter.ensure_newline()
        for line in self._lines:
            terminalreporter.write_line(line)
        self._lines.clear()

    def _write(self, target: ReportFile, report: RunReport) -> bool:
        """Write one report, and return whether that was possible."""
        annotated = _not_annotated(report, self._config) if target.type == "github" else report
        written = write_report(target, report, self._config.invocation_params.dir, annotated)
        self._lines += written.lines
        self._lines += [printed(f"delta schema: {text}") for text in (written.message, written.fault) if text]
        return not written.fault


def _not_annotated(report: RunReport, config: pytest.Config) -> RunReport:
    """Return a report with errors in set-up only, where pytest-github-actions-annotate-failures shows the rest."""
    plugins = config.pluginmanager.list_name_plugin()
    if not any(name.startswith(_ANNOTATES) and plugin is not None for name, plugin in plugins):
        return report
    tables = [table for table in report.tables if not any(check.outcome == "failed" for check in table.checks)]
    return replace(report, tables=tuple(tables), unmanaged=())
