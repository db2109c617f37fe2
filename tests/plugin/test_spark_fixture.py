"""Projects with a Spark session of their own: one without Delta, and one that somebody stops."""

from __future__ import annotations

SESSION = """
import pytest
from types import SimpleNamespace
from pytest_delta_schema import MemoryCatalog

class Spark:
    def __init__(self):
        self.sparkContext = SimpleNamespace(_jsc="alive")
    def stop(self):
        self.sparkContext._jsc = None

SPARK = Spark()

@pytest.fixture(scope="session")
def delta_spark(pytestconfig):
    from pytest_delta_schema.plugin.run import contract_run
    contract_run(pytestconfig).watch("delta_spark", SPARK)
    return SPARK
"""
TEXT = (
    "the Spark session of {} was stopped in the {} of test_x.py::test_{}, by that test or by a fixture that ended with it,"
    " and is needed until the tests end; remove stop() there, or create the session in one fixture of session scope, on"
    " which the override of delta_spark depends"
)


STOPS = {
    "call": "def test_first(delta_spark): delta_spark.stop()\n",
    "teardown": (
        "@pytest.fixture\ndef spark(delta_spark):\n    yield\n    delta_spark.stop()\ndef test_first(spark): pass\n"
    ),
}


def test_a_session_that_a_test_stops_is_named_once(project):
    project.settings()
    project.pytester.makeconftest(SESSION)
    for phase, test in STOPS.items():
        project.pytester.makepyfile(
            test_x=f"import pytest\n{test}def test_next(delta_spark): pass\ndef test_last(delta_spark): pass\n"
            "def test_other(): pass\n",
        )

        result = project.run("test_x.py")

        result.assert_outcomes(passed=2, errors=1, skipped=1)
        assert TEXT.format("delta_spark", phase, "first") in result.outlines
