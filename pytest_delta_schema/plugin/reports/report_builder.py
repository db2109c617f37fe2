"""Make the report of a run from the checks that have ended."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from pytest_delta_schema import __version__
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.redaction import without_hosts, without_known_hosts
from pytest_delta_schema.engine.outcomes.outcome import CheckKind
from pytest_delta_schema.models.binding import Binding
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plugin.options.backend import location
from pytest_delta_schema.plugin.options.option_values import AGAINST, WRITES_MODELS, Options
from pytest_delta_schema.plugin.run.stash_keys import COMPARISON, SUMMARY
from pytest_delta_schema.plugin.source_links.git_checkout import git_commit
from pytest_delta_schema.plugin.source_links.source_root import SourceRoot
from pytest_delta_schema.plugin.source_links.source_url import source_url
from pytest_delta_schema.report.redact import redact_report
from pytest_delta_schema.report.report_entries import Consents, Run
from pytest_delta_schema.report.run_report import RunReport
from pytest_delta_schema.report.table_reports import table_reports

if TYPE_CHECKING:
    from collections.abc import Collection

    import pytest

    from pytest_delta_schema.plugin.outcomes.check_results import CheckResults
    from pytest_delta_schema.plugin.summary.terminal_summary import Summary
    from pytest_delta_schema.report.report_entries import ReportMode


def report_of_run(
    config: pytest.Config, options: Options, checks: CheckResults, used_consents: Collection[str], started: float
) -> RunReport:
    """Return the report of a run."""
    commit = git_commit(config.rootpath)
    mode: ReportMode = "check" if options.mode in {None, *WRITES_MODELS} else cast("ReportMode", options.mode)
    backend = options.backend if options.mode not in {None, AGAINST} else ""
    target = _digest(location(config, options)) if backend else ""
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
                bound=lambda name: _bound(name, options),
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
        uri, environment = options.unity.uri, os.environ.get
        addresses = ["" if uri is None else uri.reveal(), environment("DATABRICKS_HOST", "")]
        hosts = (urlsplit(address if "://" in address else f"//{address}").hostname for address in addresses)
        self._hosts = [host for host in hosts if host]
        self._full_hosts = [host for host in self._hosts if "." in host]
        tokens = (environment(options.unity.token_variable), environment("DATABRICKS_TOKEN"))
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


def _digest(text: str) -> str:
    """Return a text that is the same for equal texts, and tells nothing about them; ``""`` for none."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16] if text else ""


def _bound(name: str, options: Options) -> str:
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
