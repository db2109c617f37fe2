"""The Spark session of a run: start it, keep its JVM for the next run, and note which test stopped it."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.backends.local import kept_session, start
from pytest_delta_schema.backends.spark.compat import is_stopped
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.plugin.compat import is_distributed, is_overridden, is_worker
from pytest_delta_schema.plugin.failures import CatalogUnavailable
from pytest_delta_schema.plugin.options import SESSION_FIXTURES
from pytest_delta_schema.progress import LOGGER
from pytest_delta_schema.settings.table import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.local.kept_session import KeptSession
    from pytest_delta_schema.backends.local.start import LocalSession
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.plugin.run import ContractRun


def opened_session(
    request: pytest.FixtureRequest, run: ContractRun, conf: Mapping[str, str], warehouse: Path
) -> Iterator[SparkSession]:
    """Yield the session, which has a catalog for every declared table."""
    declared = sorted({run.declarations.bound(table).name.catalog for table in run.tables.values()})
    run.has_started_spark = True
    conf = {**start.catalog_conf(declared, warehouse), **conf}
    seconds, archive = keep_jvm_seconds(request, run.options), run.options.jvm_archive
    try:
        session: KeptSession | LocalSession | None = start.checked_active_session()
        if session is None and seconds is not None:
            session = kept_session.start_kept_session(warehouse, conf, seconds, archive=archive)
        if session is None:
            session = start.start_session(warehouse, conf, archive=archive)
    except BackendUnavailableError as error:
        raise CatalogUnavailable(str(error)) from None
    run.watch("delta_spark", session.spark)
    yield session.spark
    if request.session.exitstatus == pytest.ExitCode.INTERRUPTED:
        session.abort()
    elif session.archive is not None and session.archive.path is None and not is_worker(request.config):
        # The archive is written as the JVM stops, which takes longer than all tests: after the summary.
        request.config.add_cleanup(session.close)
    else:
        session.close()


_LOG = logging.getLogger(LOGGER)


def keep_jvm_seconds(request: pytest.FixtureRequest, options: Options) -> float | None:
    """Return for how long the JVM of a run may be idle afterwards; ``None``, with a warning if asked, to end it."""
    if options.keep_jvm is None:
        return None
    reason = why_jvm_is_not_reused(request.config)
    overridden = [name for name in SESSION_FIXTURES if is_overridden(request, [name])]
    if not reason and overridden:
        reason = f"the project overrides {' and '.join(overridden)}"
    if not reason and Path.cwd() != request.config.invocation_params.dir:
        # Relative paths of tests start there, in the JVM as well, and each folder would keep a JVM.
        reason = "the working folder was changed before the session was started"
    if reason:
        _LOG.warning("%s has no effect: %s", BY_NAME["keep_jvm"].option, reason)
        return None
    return options.keep_jvm


def why_jvm_is_not_reused(
    config: pytest.Config, environment: Mapping[str, str] = os.environ, system: str = os.name
) -> str:
    """Return why a run cannot keep a JVM; ``""`` if it can."""
    if system != "posix":
        return "it needs Linux or macOS"
    if environment.get("CI"):
        return "the variable CI is set, and a machine of CI must not keep processes"
    if is_distributed(config):
        return "xdist runs the tests in several processes, each with its own JVM"
    return ""


_PHASES = {"setup": "set-up", "call": "call", "teardown": "teardown"}


class SparkWatch:
    """Watches the Spark sessions on which fixtures of a run depend."""

    def __init__(self) -> None:
        self._sessions: dict[str, SparkSession] = {}
        self._stopped: dict[str, str] = {}

    def watch(self, fixture: str, spark: SparkSession) -> None:
        """Watch a session."""
        self._sessions[fixture] = spark
        self._stopped.pop(fixture, None)

    def look(self, report: pytest.TestReport) -> None:
        """Note for each session whether it was stopped in the phase of a test that has just ended."""
        for fixture, spark in self._sessions.items():
            if fixture not in self._stopped and is_stopped(spark):
                self._stopped[fixture] = f"in the {_PHASES[report.when or 'call']} of {escaped(report.nodeid)}"

    def fault(self, fixtures: Iterable[str]) -> str:
        """Return why a test cannot run, whose session was stopped; ``""`` if it can."""
        for fixture in fixtures:
            if fixture in self._stopped:
                return (
                    f"the Spark session of {fixture} was stopped {self._stopped[fixture]}, by that test or by a fixture"
                    " that ended with it, and is needed until the tests end; remove stop() there, or create the session"
                    " in one fixture of session scope, on which the override of delta_spark depends"
                )
        return ""
