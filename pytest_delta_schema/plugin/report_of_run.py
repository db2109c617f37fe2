"""Make the report of a run from the checks that have ended."""

from __future__ import annotations

import os
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_delta_schema import __version__
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.delta.folded_names import folded
from pytest_delta_schema.engine.outcome import Check
from pytest_delta_schema.models.binding import Binding
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plugin.git_checkout import git_commit
from pytest_delta_schema.plugin.source_root import SourceRoot
from pytest_delta_schema.plugin.source_url import source_url
from pytest_delta_schema.redaction import without_hosts
from pytest_delta_schema.report.published import published
from pytest_delta_schema.report.run_report import Consents, Run, RunReport
from pytest_delta_schema.report.table_reports import table_reports

if TYPE_CHECKING:
    from collections.abc import Collection

    import pytest

    from pytest_delta_schema.plugin.check_results import CheckResults
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.plugin.summary import Summary


def report_of_run(
    config: pytest.Config, options: Options, checks: CheckResults, used_consents: Collection[str], started: float
) -> RunReport:
    """Return the report of a run.

    Args:
        config: The run's configuration.
        options: Its options.
        checks: How its checks have ended so far.
        used_consents: The consents that the plans of all processes needed.
        started: When it began, on the monotonic clock.
    """
    commit = git_commit(config.rootpath)
    mode, backend = options.mode or "check", options.backend if options.mode else ""
    results = sorted(checks.results(), key=lambda result: result.node_id)
    run = Run(
        mode=mode,
        backend=backend,
        bindings=tuple((".".join(prefix), ".".join(target)) for prefix, target in options.settings.bindings),
        commit=commit,
        source_url=source_url(config.rootpath, commit),
        created=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(time.monotonic() - started, 3),
        is_complete=checks.is_complete,
        tool_version=__version__,
    )
    schemas = [result.result for result in results if result.check is Check.UNMANAGED and result.result is not None]
    report = RunReport(
        runs=(run,),
        tables=table_reports(
            (result for result in results if result.check is not Check.UNMANAGED),
            mode=mode,
            backend=backend,
            bound=lambda name: _bound(name, options),
        ),
        unmanaged=tuple(diagnostic for schema in schemas for diagnostic in (*schema.diagnostics, *schema.notes)),
        faults=checks.faults(),
        consents=_consents(config, options, used_consents),
    )
    return published(
        report,
        hide=_Hidden(options),
        relative=SourceRoot(config.rootpath).relative,
        with_samples=options.report_samples,
    )


class _Hidden:
    """Removes hosts and tokens from messages.

    Args:
        options: The options of the run.
    """

    def __init__(self, options: Options) -> None:
        uri, environment = options.unity.uri, os.environ.get
        addresses = ["" if uri is None else uri.reveal(), environment("DATABRICKS_HOST", "")]
        hosts = (urlsplit(address if "://" in address else f"//{address}").hostname for address in addresses)
        self._hosts = [host for host in hosts if host]
        tokens = (environment(options.unity.token_variable), environment("DATABRICKS_TOKEN"))
        self._secrets = [Secret(token) for token in tokens if token]

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = secret.scrub(text)
        return without_hosts(text, self._hosts)


def _bound(name: str, options: Options) -> str:
    """Return the name in the catalog of a model of which nothing but the name is known."""
    parts = name.split(".")
    if len(parts) != len(QualifiedName._fields):
        return name
    return str(Binding(options.settings.bindings).name(QualifiedName(*map(folded, parts))))


def _consents(config: pytest.Config, options: Options, used: Collection[str]) -> Consents:
    summary: Any = config.pluginmanager.getplugin("delta_schema_summary")
    shown: Summary | None = summary
    unused = [] if shown is None else shown.unused_consents()
    known = dict.fromkeys(map(str, options.settings.consents))
    return Consents(
        used=tuple(text for text in known if text in used),
        unused=tuple(map(str, unused)),
        expired=options.expired_consents,
    )
