"""Collect how the checks of a run end, and write its reports."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit

import pytest

from pytest_delta_schema import __version__
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import diagnostic_of
from pytest_delta_schema.diagnostics.faults import FailedCheck
from pytest_delta_schema.diagnostics.redaction import without_hosts, without_known_hosts
from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.engine.outcomes import CheckKind, Status, TableOutcome
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.models.sets import Binding
from pytest_delta_schema.plugin.compat import is_worker
from pytest_delta_schema.plugin.failures import TABLE, cause_of, fault_of, properties_of
from pytest_delta_schema.plugin.interruption import LIMIT, Termination
from pytest_delta_schema.plugin.options import AGAINST, APPLY, WRITES_MODELS, Options, location
from pytest_delta_schema.plugin.outcomes import TableStates, error_outcome, outcome_of, states_of
from pytest_delta_schema.plugin.registration import COMPARISON, RUN, SUMMARY
from pytest_delta_schema.plugin.sources import SourceRoot, git_commit, source_url
from pytest_delta_schema.plugin.terminal import write_lines
from pytest_delta_schema.report.json_report import report_json, write_report
from pytest_delta_schema.report.redact import redact_report
from pytest_delta_schema.report.run_report import CheckResult, Consents, Run, RunReport, table_reports

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pytest_delta_schema.configuration.report_targets import ReportFile
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.plugin.summary import Summary
    from pytest_delta_schema.report.run_report import CheckOutcome, ReportMode


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


_CRASH = "???"
"""The phase in the report of an item during which a worker of xdist has crashed (xdist 3.8)."""


class _Item:
    """One item, with what its reports have shown so far."""

    def __init__(self, node_id: str, created: TableOutcome | None = None) -> None:
        self.node_id = node_id
        self.table = "" if created is None else created.table
        self.outcome: CheckOutcome | None = None
        self.result = created
        self.states = TableStates()
        self.has_ended = False


class CheckResults:
    """The checks of a run, by their node ids."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._selected: set[str] = set()
        self._items: dict[str, _Item] = {}
        self._unreported: dict[str, TableOutcome] = {}
        self._causes: dict[str, type[HasCode]] = {}
        self._is_cut = False

    @property
    def is_complete(self) -> bool:
        """Whether every selected check has ended, and nothing has crashed."""
        ended = {node_id for node_id, item in self._items.items() if item.has_ended}
        return not self._is_cut and self._selected <= ended

    def __bool__(self) -> bool:
        return bool(self._items or self._unreported)

    def select(self, node_ids: Iterable[str]) -> None:
        """Note the items that are going to run; those of others are left out."""
        self._selected.update(node_id for node_id in node_ids if check_of(node_id) is not None)

    def cut(self) -> None:
        """Note that checks were lost: a module could not be collected, or a worker has crashed."""
        self._is_cut = True

    def note_unreported(self, node_id: str, outcome: TableOutcome) -> None:
        """Note the outcome of a change that was made before its item, which may not run any more."""
        self._unreported[node_id] = outcome

    def add(self, report: pytest.TestReport) -> None:
        """Add the report of one phase of an item; those of other tests are left out."""
        check = check_of(report.nodeid)
        if check is None:
            return
        if report.when == _CRASH:
            self._add_crash(report, check)
        elif TABLE in properties_of(report):
            if report.when == "setup" or report.nodeid not in self._items:
                # Where another plugin runs an item again, the last attempt counts.
                self._items[report.nodeid] = _Item(report.nodeid, self._unreported.get(report.nodeid))
            self._add_phase(self._items[report.nodeid], report)

    def results(self) -> Iterator[CheckResult]:
        """Yield how each check ended; one that did not end is left out, unless its table was created before."""
        items = {**{node_id: _Item(node_id, outcome) for node_id, outcome in self._unreported.items()}, **self._items}
        for item in items.values():
            check = check_of(item.node_id)
            outcome = item.outcome
            if outcome is None and item.node_id in self._unreported:
                outcome = "passed" if self._unreported[item.node_id].status.passes else "failed"
            if outcome is not None and check is not None:
                yield CheckResult(
                    node_id=item.node_id,
                    table=item.table,
                    check=check,
                    outcome=outcome,
                    result=item.result,
                    declared=item.states.declared,
                    observed=item.states.observed,
                )

    def faults(self) -> tuple[Diagnostic, ...]:
        """Return the faults of the whole run, each once."""
        return tuple(diagnostic_of(self._causes[cause], "", cause) for cause in sorted(self._causes))

    def _add_phase(self, item: _Item, report: pytest.TestReport) -> None:
        cause = cause_of(report)
        item.has_ended |= report.when == "teardown"
        item.table = item.table or properties_of(report)[TABLE]
        if report.outcome not in {"passed", "failed", "skipped"}:
            return  # the item runs again
        if cause or (report.failed and report.when != "call"):
            item.outcome = "error"
        elif item.outcome is None and (report.when == "call" or not report.passed):
            item.outcome = report.outcome
        result = None if cause else outcome_of(report)
        if result is None and (cause or item.result is None):
            error = error_outcome(self._config, report)
            if error is not None:
                # The fault of the whole run is reported once, and the text of any other error is its diagnostic.
                result = replace(error, failure="", diagnostics=() if cause else error.diagnostics)
        if cause:
            self._causes[cause] = fault_of(report)
        if result is not None:
            item.table, item.result, item.states = result.table, result, states_of(report)

    def _add_crash(self, report: pytest.TestReport, check: CheckKind) -> None:
        self.cut()
        item = self._items[report.nodeid] = _Item(report.nodeid)
        node = report.nodeid.rpartition("::")[0]
        names = (other.table for other in self._items.values() if other.node_id.rpartition("::")[0] == node)
        item.table = next(filter(None, names), unquote(node.rpartition("::")[2]))
        item.outcome = "error"
        item.result = TableOutcome(
            table=item.table,
            check=check,
            status=Status.FAILED,
            diagnostics=(
                diagnostic_of(
                    FailedCheck,
                    item.table,
                    "the worker of xdist that ran this check has crashed",
                    remedy="run it again without -n to see the error",
                ),
            ),
        )


_CHECKS = frozenset(check.value for check in CheckKind)


def check_of(node_id: str) -> CheckKind | None:
    """Return the check that a node id selects; ``None`` for a test of others, whose classes have no dots."""
    _, *names = node_id.split("::")
    check = names[-1].partition("[")[0] if names else ""
    return CheckKind(check) if len(names) == 2 and "." in names[0] and check in _CHECKS else None  # noqa: PLR2004


def report_of_run(
    config: pytest.Config, options: Options, checks: CheckResults, used_consents: Collection[str], started: float
) -> RunReport:
    """Return the report of a run."""
    commit = git_commit(config.rootpath)
    mode: ReportMode = "check" if options.mode in {None, *WRITES_MODELS} else cast("ReportMode", options.mode)
    backend = options.backend if options.mode not in {None, AGAINST} else ""
    target = _location_digest(location(config, options)) if backend else ""
    hooks: Any = config.pluginmanager.getplugin(COMPARISON)
    results = sorted(checks.results(), key=lambda result: result.node_id)
    run = Run(
        mode=mode,
        backend=backend,
        against=() if hooks is None else hooks.labels,
        bindings=tuple((".".join(prefix), ".".join(target)) for prefix, target in options.settings.bindings),
        commit=commit,
        source_url=source_url(config.rootpath, commit),
        created=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(time.monotonic() - started, 3),
        is_complete=checks.is_complete,
        tool_version=__version__,
    )
    schemas = [result.result for result in results if result.check is CheckKind.UNMANAGED and result.result is not None]
    report = RunReport(
        runs=(run,),
        tables=tuple(
            replace(table, target=target, created=run.created)
            for table in table_reports(
                (result for result in results if result.check is not CheckKind.UNMANAGED),
                mode=mode,
                backend=backend,
                bound=lambda name: _bound_name(name, options),
            )
        ),
        unmanaged=tuple(diagnostic for schema in schemas for diagnostic in (*schema.diagnostics, *schema.notes)),
        faults=checks.faults(),
        consents=_consents(config, options, used_consents),
    )
    return redact_report(
        report,
        redaction=_Redaction(options),
        relative=SourceRoot(config.rootpath).relative,
        with_samples=options.report_samples,
    )


class _Redaction:
    """Removes hosts and tokens from messages and values."""

    def __init__(self, options: Options) -> None:
        uri, environment = options.values["unity_uri"], os.environ.get
        addresses = ["" if uri is None else uri.reveal(), environment("DATABRICKS_HOST", "")]
        hosts = (urlsplit(address if "://" in address else f"//{address}").hostname for address in addresses)
        self._hosts = [host for host in hosts if host]
        self._full_hosts = [host for host in self._hosts if "." in host]
        tokens = (environment(options.values["unity_token_variable"]), environment("DATABRICKS_TOKEN"))
        self._secrets = [Secret(token) for token in tokens if token]

    def message(self, text: str) -> str:
        """Return a message, or a location of files, without tokens and without the hosts of servers."""
        return without_hosts(self._without_secrets(text), self._hosts)

    def value(self, text: str) -> str:
        """Return what users have written, or SQL, without the tokens and the host of the server of the run.

        URIs of others stay, and so do hosts without a dot, which may be any word.
        """
        return without_known_hosts(self._without_secrets(text), self._full_hosts)

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            if secret.may_be_in(text.encode(errors="replace")):
                text = secret.scrub(text)
        return text


def _location_digest(text: str) -> str:
    """Return a text that is the same for equal texts, and tells nothing about them; ``""`` for none."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16] if text else ""


def _bound_name(name: str, options: Options) -> str:
    """Return the name in the catalog of a model of which nothing but the name is known."""
    parts = name.split(".")
    if len(parts) != len(QualifiedName._fields):
        return name
    return str(Binding(options.settings.bindings).name(QualifiedName(*map(folded, parts))))


def _consents(config: pytest.Config, options: Options, used: Collection[str]) -> Consents:
    summary: Any = config.pluginmanager.getplugin(SUMMARY)
    shown: Summary | None = summary
    unused = [] if shown is None else shown.unused_consents()
    known = dict.fromkeys(map(str, options.settings.consents))
    return Consents(
        used=tuple(text for text in known if text in used),
        unused=tuple(map(str, unused)),
        expired=options.expired_consents,
    )
