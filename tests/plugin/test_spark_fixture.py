"""Projects with a Spark session of their own: one without Delta, and one that somebody stops."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from pytest_delta_schema.backends.local.launch import ARCHIVE_VARIABLE
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from support.plugin_project import ORDERS

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
CATALOG = """
@pytest.fixture(scope="session")
def delta_catalog(request):
    from pytest_delta_schema.plugin.catalogs import FixtureContext
    from pytest_delta_schema.plugin.run import contract_run
    contract_run(request.config)
    FixtureContext(request, None).spark()
    return MemoryCatalog()
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


def test_tables_whose_session_was_stopped_are_not_checked(project):
    project.pytester.makeconftest(SESSION + CATALOG)
    project.models(ORDERS)
    project.pytester.makepyfile(
        test_x="def test_a(delta_catalog): pass\n"
        "def test_b(delta_catalog, delta_spark): delta_spark.stop()\n"
        "def test_c(make_delta_table): pass\n",
    )

    result = project.run_all("--delta-drift", "--snapshot-update")

    result.assert_outcomes(passed=4, failed=1, errors=1)
    assert TEXT.format("delta_catalog", "call", "b") in result.outlines


def refuse(*_, **__):
    msg = "the Spark session x has no Delta Lake; add where it is created:\n    one\n    two"
    raise BackendUnavailableError(msg)


def test_the_lines_to_add_are_shown_as_lines(project, monkeypatch):
    monkeypatch.setattr("pytest_delta_schema.backends.local.start.start_session", refuse)
    project.models(ORDERS)

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["the Spark session x has no Delta Lake; add where it is created:", "    one", "    two"],
        consecutive=True,
    )
    result.stdout.fnmatch_lines(
        [
            "  unreadable  the Spark session x has no Delta Lake; add where it is created:",
            "ERROR models.py::dev.silver.orders::apply - the Spark session x has no Delta ...",
        ],
    )


STACK = """
import logging
from pytest_delta_schema.progress import JAVA_LOGGER

def test_it():
    logging.getLogger(JAVA_LOGGER).debug("at org.apache.Spark")
    assert False
"""


def test_a_very_verbose_run_shows_java_stacks(project):
    project.settings()
    project.pytester.makepyfile(test_x=STACK)

    shown = [
        any("at org.apache.Spark" in line and "DEBUG" in line for line in project.run(option).outlines)
        for option in ("-v", "-vv")
    ]

    assert shown == [False, True]


@pytest.mark.parametrize(
    ("archive", "is_late"),
    [(SimpleNamespace(path=None), True), (SimpleNamespace(path="a.jsa"), False)],
    ids=["an archive to write", "an archive that is there"],
)
def test_an_archive_of_classes_is_written_after_the_summary(project, monkeypatch, archive, is_late):
    def close():
        sys.stdout.write("Spark is stopped\n")

    session = SimpleNamespace(spark=SimpleNamespace(), archive=archive, close=close)
    monkeypatch.setattr("pytest_delta_schema.backends.local.start.checked_active_session", lambda: None)
    monkeypatch.setattr("pytest_delta_schema.backends.local.start.start_session", lambda *_, **__: session)
    project.models(ORDERS)
    project.pytester.makepyfile("def test_it(delta_spark):\n    pass\n")

    result = project.run("-s", "-k", "test_it")

    lines = [line for line in result.outlines if "1 passed" in line or line.endswith("Spark is stopped")]
    assert ["1 passed" in line for line in lines] == ([True, False] if is_late else [False, True])


@pytest.mark.parametrize(("value", "is_kept"), [(None, True), ("off", False)])
def test_the_archive_of_classes_can_be_turned_off_by_the_environment(project, monkeypatch, value, is_kept):
    asked = []

    def start(*_, archive):
        asked.append(archive)
        refuse()

    monkeypatch.setattr("pytest_delta_schema.backends.local.start.checked_active_session", lambda: None)
    monkeypatch.setattr("pytest_delta_schema.backends.local.start.start_session", start)
    monkeypatch.delenv(ARCHIVE_VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(ARCHIVE_VARIABLE, value)
    project.pytester.makepyfile("def test_it(delta_spark):\n    pass\n")
    project.settings()

    project.run().assert_outcomes(errors=1)

    assert asked == [is_kept]
