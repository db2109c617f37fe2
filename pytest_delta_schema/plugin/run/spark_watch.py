"""Note which test ended with the Spark session of a fixture stopped, and say so to the tests that need it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.spark.compat.pyspark_compat import is_stopped
from pytest_delta_schema.diagnostics.escaping import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest
    from pyspark.sql import SparkSession

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
