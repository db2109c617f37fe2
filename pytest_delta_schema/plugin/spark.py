"""The Spark session of a run: start it, and note which test stopped it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.backends.local import start
from pytest_delta_schema.backends.local.launch import ARCHIVE_VARIABLE
from pytest_delta_schema.backends.spark.compat import is_stopped
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.plugin.compat import is_worker
from pytest_delta_schema.plugin.failures import CatalogUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.plugin.run import ContractRun


def opened_session(
    request: pytest.FixtureRequest, run: ContractRun, conf: Mapping[str, str], warehouse: Path
) -> Iterator[SparkSession]:
    """Yield the session, which has a catalog for every declared table."""
    declared = sorted({run.declarations.bound(table).name.catalog for table in run.tables.values()})
    run.has_started_spark = True
    conf = {**start.catalog_conf(declared, warehouse), **conf}
    try:
        session = start.checked_active_session() or start.start_session(
            warehouse, conf, archive=os.environ.get(ARCHIVE_VARIABLE) != "off"
        )
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
