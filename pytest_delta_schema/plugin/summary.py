"""The section at the end of a run, and the gate that does not pass when it saw nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.escaping import escaped
from pytest_delta_schema.plugin import report_properties as facts
from pytest_delta_schema.plugin.backend_choice import location
from pytest_delta_schema.plugin.options import APPLY, DRIFT, is_worker
from pytest_delta_schema.plugin.run import RUN

if TYPE_CHECKING:
    from pytest_delta_schema.plugin.options import Options


_REFUSED, _USELESS = "delta_schema_refused", "delta_schema_useless"
_REFUSED_HERE = pytest.StashKey[list[str]]()


def refuse(config: pytest.Config, items: list[pytest.Item], faults: list[str]) -> None:
    """Stop the run with a usage error if there are faults, also from within a worker of xdist, which can only report.

    Args:
        config: The run's configuration.
        items: Emptied in a worker, so that nothing runs.
        faults: What is wrong; empty if nothing is.

    Raises:
        pytest.UsageError: With all faults.
    """
    if not faults:
        return
    if not is_worker(config):
        raise pytest.UsageError("\n".join(map(escaped, faults)))
    items.clear()
    note_refusals(config, faults)


def note_refusals(config: pytest.Config, faults: list[str]) -> None:
    """Let the run end with a usage error, though it has begun; it has to be stopped besides.

    Args:
        config: The run's configuration.
        faults: What is wrong.
    """
    if is_worker(config):
        config.workeroutput[_REFUSED] = faults  # type: ignore[attr-defined]
    else:
        config.stash[_REFUSED_HERE] = faults


class Summary:
    """Collects the facts of all reports of a run with a catalog, also of the workers of xdist, and shows them.

    Args:
        config: The run's configuration.
        options: Its checked options.
    """

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self._config = config
        self._options = options
        self._ends: dict[str, dict[str, str]] = {}
        self._checked = 0
        self._found_nothing = False
        self._refused: list[str] = []
        self._useless: list[list[str]] = []
        self._unused: dict[str, None] = {}

    def ended(self) -> set[str]:
        """Return the names of the models whose check has ended."""
        return {end[facts.TABLE] for end in self._ends.values()}

    def pytest_report_header(self) -> str:
        """Say what the run is held against."""
        backend, mode = self._options.backend, self._options.mode
        where = location(self._config, self._options)
        place = f", {where}" if where else ""
        syncs = mode == DRIFT and self._options.unity.sync_on_read
        wrote = "; records of what is read are brought level with the logs first" if syncs else ""
        return escaped(f"delta schema: {mode} on {backend}{place}{wrote}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the facts of one report."""
        noted = facts.recorded(report)
        if noted.get(facts.CHECK) != self._options.mode:
            return
        self._checked += 1
        self._unused |= dict.fromkeys(
            str(value) for name, value in report.user_properties if name == facts.PREFIX + facts.UNUSED
        )
        if report.failed and facts.OUTCOME not in noted:
            broken = facts.UNREADABLE if report.when == "setup" else facts.FAILED
            noted = {**noted, facts.OUTCOME: broken, facts.SUMMARY: _crash(report)}
        if facts.OUTCOME in noted:
            self._ends[report.nodeid] = noted

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker of xdist refused, and what it had no use for."""
        output = getattr(node, "workeroutput", {})
        if output.get(_USELESS) is not None:
            self._useless.append(output[_USELESS])
        faults = output.get(_REFUSED, [])
        self._refused.extend(fault for fault in faults if fault not in self._refused)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a gate that found no table: green must mean that something was looked at."""
        here: list[str] = self._config.stash.get(_REFUSED_HERE, [])
        self._refused.extend(here)
        if self._refused:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
            return
        self._look_for_useless(session)
        green = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        looked = is_worker(self._config) or self._config.option.collectonly
        if green and not looked and not self._checked:
            self._found_nothing = True
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _look_for_useless(self, session: pytest.Session) -> None:
        """Fail a run that needed a consent of the project's file nowhere: what is done should not stay allowed."""
        useless = self._config.stash[RUN].useless_entries()
        if is_worker(self._config):
            self._config.workeroutput[_USELESS] = useless  # type: ignore[attr-defined]
        elif useless is not None:
            self._useless.append(useless)
        if self._in_vain() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _in_vain(self) -> list[str]:
        """Return the messages on which all processes agree that looked at every table."""
        first, *others = self._useless or [[]]
        return [message for message in first if all(message in other for other in others)]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show how the tables ended, and what to do next."""
        terminalreporter.ensure_newline()
        if self._refused or self._found_nothing:
            terminalreporter.section("delta schema", red=True, bold=True)
            for line in self._refused or [self._nothing()]:
                terminalreporter.write_line(escaped(line))
        elif self._ends:
            terminalreporter.section("delta schema")
            for line in self._lines():
                terminalreporter.write_line(escaped(line))

    def _lines(self) -> list[str]:
        counts = Counter(end[facts.OUTCOME] for end in self._ends.values())
        parts = [f"{counts[outcome]} {outcome}" for outcome in facts.OUTCOMES if counts[outcome]]
        ran = sum(int(end.get(facts.STATEMENTS, 0)) for end in self._ends.values())
        parts.append(f"{ran} statement{'' if ran == 1 else 's'} run")
        lines = [f"{self._options.mode}: {', '.join(parts)}"]
        for end in sorted(self._ends.values(), key=lambda end: end[facts.TABLE]):
            if end[facts.OUTCOME] not in facts.GOOD:
                lines.append(f"  {end[facts.OUTCOME]:<10}  {end.get(facts.SUMMARY) or end[facts.TABLE]}")
            if facts.NOTE in end:
                lines.append(f"  {'note':<10}  {end[facts.NOTE]}")
        lines += [f"  {'unused':<10}  {message}" for message in (*self._in_vain(), *self._unused)]
        if counts[facts.DRIFTED] and self._options.mode != APPLY:
            lines.append("to bring the catalog in line: pytest --delta-apply")
        if counts[facts.STALE]:
            lines.append("to bring records level with their logs: pytest --delta-sync-metadata")
        return lines

    def _nothing(self) -> str:
        places = ", ".join(self._config.args)
        patterns = " ".join(self._config.getini("python_files"))
        models = " ".join(self._options.models.values()) or "empty"
        return (
            f"--delta-{self._options.mode} found no table, so it can vouch for nothing. It looked in {places}:"
            f" in test files ({patterns}) and in the modules of delta_models ({models}), less what -k, -m or paths"
            " deselect. Name the modules that declare tables in the ini key delta_models, or list their tables in a"
            " test file: delta_tables = [...]"
        )


def _crash(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0] if lines else ""
