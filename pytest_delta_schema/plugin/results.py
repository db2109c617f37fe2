"""Collect what the checks of a run show, also those of the workers of xdist, and show and write it at the end."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from pytest_delta_schema.diagnostics.errors import diagnostic_of
from pytest_delta_schema.diagnostics.faults import FailedCheck
from pytest_delta_schema.engine.outcomes import CheckKind, CheckResult, Status, TableOutcome
from pytest_delta_schema.plugin.compat import is_worker
from pytest_delta_schema.plugin.failures import cause_of, fault_of
from pytest_delta_schema.plugin.outcomes import error_outcome, result_of
from pytest_delta_schema.plugin.terminal import write_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.engine.outcomes import CheckOutcome
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.rules.consent import Consent


_OUTPUT = "delta_schema"
"""The name of what a worker tells about its part of the run, in its output."""

_CRASH = "???"
"""The phase in the report of an item during which a worker of xdist has crashed (xdist 3.8)."""

_WITHOUT_CATALOG = (CheckKind.RULES, CheckKind.DDL, CheckKind.ODCS)
"""The checks of every run, which its summary leaves to pytest."""


class RunResults:
    """The results of the checks of a run, by their node ids; summary and reports are made of them."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        self.items: dict[str, CheckResult] = {}
        self.errors: dict[str, str] = {}
        """The items that an error has ended, each with the fault of the whole run, or ``""``."""
        self.unreported: dict[str, TableOutcome] = {}
        """The changes that were made before their items, which may not run any more."""
        self.faults: dict[str, type[HasCode]] = {}
        """The faults of the whole run."""
        self.deselected = 0
        self.other_tests = 0
        self.used_consents: set[str] = set()
        self.found_nothing = False
        self.started = time.monotonic()
        self._config = config
        self._is_worker = is_worker(config)
        self._run = run
        self._selected: set[str] = set()
        self._ended: set[str] = set()
        self._is_cut = False
        self._unused_consents: list[list[str]] = []
        self._is_written = False
        self._written: list[str] = []

    @property
    def is_complete(self) -> bool:
        """Whether every selected check has ended, and nothing has crashed."""
        return not self._is_cut and self._selected <= self._ended

    def outcomes(self) -> dict[str, TableOutcome]:
        """Return the outcomes of the checks that look at more than declarations, by their node ids."""
        known = {**self.unreported, **{name: item.result for name, item in self.items.items() if item.result}}
        return {name: outcome for name, outcome in known.items() if _is_summarised(name)}

    def results(self) -> Iterator[CheckResult]:
        """Yield how each check ended, for reports; one that did not end is left out, unless its change was made before.

        The fault of the whole run is reported once, and the text of any other error is its diagnostic.
        """
        for node_id, outcome in self.unreported.items():
            ended = self.items.get(node_id)
            if ended is None or ended.outcome is None:
                check = check_of(node_id) or outcome.check
                state: CheckOutcome = "passed" if outcome.status.passes else "failed"
                yield CheckResult(node_id=node_id, table=outcome.table, check=check, outcome=state, result=outcome)
        for node_id, item in self.items.items():
            if item.outcome is None:
                continue
            cause = self.errors.get(node_id)
            if cause is not None and item.result is not None:
                diagnostics = () if cause else item.result.diagnostics
                yield replace(item, result=replace(item.result, failure="", diagnostics=diagnostics))
            else:
                yield item

    def unused_consents(self) -> list[Consent]:
        """Return the consents that were not needed, on which all processes agree that read every table."""
        texts = self._unused_consents or [[]]
        consents = self._run.options.settings.project_consents
        return [consent for consent in consents if all(str(consent) in unused for unused in texts)]

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Count the checks that do not run."""
        self.deselected += sum(_is_summarised(item.nodeid) for item in items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Note which checks the workers are going to run."""
        self.select(ids)

    def select(self, node_ids: Iterable[str]) -> None:
        """Note which checks are going to run."""
        self._selected.update(node_id for node_id in node_ids if check_of(node_id) is not None)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note that a module could not be collected."""
        self._is_cut |= report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect what one phase of a check has shown."""
        result = None if self._is_worker else result_of(report)
        if report.when == _CRASH:
            self._add_crash(report)
        elif result is not None:
            self._add(report, result)

    def _add(self, report: pytest.TestReport, shown: CheckResult) -> None:
        node_id = report.nodeid
        if report.when == "setup" or node_id not in self.items:
            # Where another plugin runs an item again, the last attempt counts.
            self.items[node_id] = replace(shown, result=self.unreported.get(node_id))
            self.errors.pop(node_id, None)
        known, cause = self.items[node_id], cause_of(report)
        if report.when == "teardown":
            self._ended.add(node_id)
        if report.outcome not in {"passed", "failed", "skipped"}:
            return  # the item runs again
        outcome, result = known.outcome, None if cause else shown.result
        if cause or (report.failed and report.when != "call"):
            outcome = "error"
        elif outcome is None and (report.when == "call" or not report.passed):
            outcome = report.outcome
        if result is None and (cause or (report.failed and known.result is None)):
            result = error_outcome(self._config, report, shown)
            self.errors[node_id] = cause
        if cause:
            self.faults[cause] = fault_of(report)
        # A phase without a result, such as the teardown, leaves what an earlier one has shown.
        parts = known if shown.result is None else shown
        self.items[node_id] = replace(parts, outcome=outcome, result=known.result if result is None else result)

    def _add_crash(self, report: pytest.TestReport) -> None:
        check = check_of(report.nodeid)
        if check is None:
            return
        self._is_cut = True
        node = report.nodeid.rpartition("::")[0]
        names = (other.table for name, other in self.items.items() if name.rpartition("::")[0] == node)
        table = next(names, unquote(node.rpartition("::")[2]))
        message = "the worker of xdist that ran this check has crashed"
        fault = diagnostic_of(FailedCheck, table, message, remedy="run it again without -n to see the error")
        outcome = TableOutcome(table=table, check=check, status=Status.FAILED, diagnostics=(fault,))
        self.items[report.nodeid] = CheckResult(
            node_id=report.nodeid, table=table, check=check, outcome="error", result=outcome
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Collect what a worker of xdist tells about its part of the run; one that has crashed tells nothing."""
        self._is_cut |= bool(error)
        output = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if output is None:
            return
        self.deselected = max(self.deselected, output["deselected"])
        self.other_tests = max(self.other_tests, output["other_tests"])
        self.used_consents.update(output["used"])
        if output["unused"] is not None:
            self._unused_consents.append(output["unused"])
        self._run.notes |= dict.fromkeys(output["notes"])
        self._run.refuse(output["refused"])
        self._run.unneeded_breaks |= output["breaks"]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a gate that checked nothing, or has consents that nothing needed; write the reports.

        xdist ends its workers after this, which takes longer than a service waits that has sent SIGTERM.
        """
        run = self._run
        self.used_consents.update(map(str, run.used_consents()))
        self.deselected += sum(name not in _WITHOUT_CATALOG for name in run.left_out)
        self.other_tests = max(self.other_tests, run.other_tests)
        unused = run.unused_consents()
        texts = None if unused is None else list(map(str, unused))
        if self._is_worker:
            output = {
                "deselected": self.deselected,
                "other_tests": self.other_tests,
                "used": sorted(self.used_consents),
                "unused": texts,
                "notes": list(run.notes),
                "refused": run.refusals,
                "breaks": run.unneeded_breaks,
            }
            self._config.workeroutput[_OUTPUT] = output  # type: ignore[attr-defined]
            return
        self._unused_consents += [] if texts is None else [texts]
        if run.has_summary:
            self._judge(session, exitstatus)
        self._is_cut |= exitstatus == pytest.ExitCode.INTERNAL_ERROR
        is_planned = run.planning is None or run.planning.write(self, self._written)
        if not (self._write() and is_planned):
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def _judge(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a run that refused its consents, found nothing to check, or has consents that nothing needed."""
        if self._run.refusals:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
            return
        if self.unused_consents() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        green = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        has_checked = any(map(_is_summarised, self.items))
        if green and not (has_checked or self._config.option.collectonly):
            self.found_nothing = True
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _write(self) -> bool:
        """Write the reports of what has ended, once, and return whether that was possible."""
        if self._is_written or not self._run.has_reports or not (self.items or self.unreported):
            return True
        self._is_written = True
        from pytest_delta_schema.plugin.reports import write_reports

        written = write_reports(self._config, self._run, self)
        self._written += written.lines
        return written.is_whole

    def write_at_limit(self) -> None:
        """Write the reports when the time limit after SIGTERM is over, whatever the main thread is doing."""
        self._write()
        write_lines(self._config, "\n".join(self._written))
        self._written.clear()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show what was interrupted, the summary, which files were written, and the reports that are lines."""
        if self._run.interruption is not None:
            self._run.interruption.show(terminalreporter)
        if self._run.has_summary:
            from pytest_delta_schema.plugin.summary import show_summary

            show_summary(self._config, self._run, self)
        if self._written:
            terminalreporter.ensure_newline()
            for line in self._written:
                terminalreporter.write_line(line)
            self._written.clear()


_CHECKS = frozenset(check.value for check in CheckKind)


def check_of(node_id: str) -> CheckKind | None:
    """Return the check that a node id selects; ``None`` for a test of others, whose classes have no dots."""
    _, *names = node_id.split("::")
    check = names[-1].partition("[")[0] if names else ""
    return CheckKind(check) if len(names) == 2 and "." in names[0] and check in _CHECKS else None  # noqa: PLR2004


def _is_summarised(node_id: str) -> bool:
    return check_of(node_id) not in {None, *_WITHOUT_CATALOG}
