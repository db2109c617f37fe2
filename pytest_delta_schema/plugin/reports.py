"""Collect how the checks of a run end, and write its reports."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import urlsplit

from pytest_delta_schema import __version__
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import diagnostic_of
from pytest_delta_schema.diagnostics.redaction import without_hosts, without_known_hosts
from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.engine.outcomes import CheckKind
from pytest_delta_schema.engine.sources import SourceRoot, git_commit, source_url
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.models.sets import Binding
from pytest_delta_schema.plugin.options import AGAINST, WRITES_MODELS, Options, location
from pytest_delta_schema.report.json_report import report_json, write_report
from pytest_delta_schema.report.redact import redact_report
from pytest_delta_schema.report.run_report import Consents, Run, RunReport, table_reports

if TYPE_CHECKING:
    import pytest

    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.plugin.results import RunResults
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.report.run_report import ReportMode


_ANNOTATES = "pytest_github_actions_annotate_failures"


class WrittenReports(NamedTuple):
    """What is said about the reports of a run, and whether each could be written."""

    lines: list[str]
    is_whole: bool


def write_reports(config: pytest.Config, run: ContractRun, results: RunResults) -> WrittenReports:
    """Write the reports of a run, and give its report to the hooks of the project."""
    report = report_of_run(config, run, results)
    lines: list[str] = []
    is_whole = True
    for target in run.options.reports:
        annotated = _not_annotated(report, config) if target.type == "github" else report
        written = write_report(target, report, config.invocation_params.dir, annotated)
        lines += written.lines
        lines += [printed(f"delta schema: {text}") for text in (written.message, written.fault) if text]
        is_whole &= not written.fault
    hook = config.hook.pytest_delta_schema_report
    if hook.get_hookimpls():
        hook(config=config, report=report_json(report))
    return WrittenReports(lines, is_whole)


def _not_annotated(report: RunReport, config: pytest.Config) -> RunReport:
    """Return a report with errors in set-up only, where pytest-github-actions-annotate-failures shows the rest."""
    plugins = config.pluginmanager.list_name_plugin()
    if not any(name.startswith(_ANNOTATES) and plugin is not None for name, plugin in plugins):
        return report
    tables = [table for table in report.tables if not any(check.outcome == "failed" for check in table.checks)]
    return replace(report, tables=tuple(tables), unmanaged=())


def report_of_run(config: pytest.Config, run: ContractRun, checks: RunResults) -> RunReport:
    """Return the report of a run."""
    options = run.options
    commit = git_commit(config.rootpath)
    mode: ReportMode = "check" if options.mode in {None, *WRITES_MODELS} else cast("ReportMode", options.mode)
    backend = options.backend if options.mode not in {None, AGAINST} else ""
    target = _location_digest(location(config, options)) if backend else ""
    known = dict.fromkeys(map(str, options.settings.consents))
    results = sorted(checks.results(), key=lambda result: result.node_id)
    header = Run(
        mode=mode,
        backend=backend,
        against=() if run.comparing is None else run.comparing.labels,
        bindings=tuple((".".join(prefix), ".".join(target)) for prefix, target in options.settings.bindings),
        commit=commit,
        source_url=source_url(config.rootpath, commit),
        created=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(time.monotonic() - checks.started, 3),
        is_complete=checks.is_complete,
        tool_version=__version__,
        plan=run.plan_name(),
    )
    schemas = [result.result for result in results if result.check is CheckKind.UNMANAGED and result.result is not None]
    report = RunReport(
        runs=(header,),
        tables=tuple(
            replace(table, target=target, created=header.created)
            for table in table_reports(
                (result for result in results if result.check is not CheckKind.UNMANAGED),
                mode=mode,
                backend=backend,
                bound=lambda name: _bound_name(name, options),
            )
        ),
        unmanaged=tuple(diagnostic for schema in schemas for diagnostic in (*schema.diagnostics, *schema.notes)),
        faults=tuple(diagnostic_of(checks.faults[cause], "", cause) for cause in sorted(checks.faults)),
        consents=Consents(
            used=tuple(text for text in known if text in checks.used_consents),
            unused=tuple(map(str, checks.unused_consents() if run.has_summary else ())),
            expired=options.expired_consents,
        ),
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
