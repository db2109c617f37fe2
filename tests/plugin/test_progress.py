"""Long steps on the terminal: not captured, in one line or in several, beside pytest's progress."""

from __future__ import annotations

import re

import pytest

CONFTEST = """
import pytest
from pytest_delta_schema import progress

progress.INTERVAL = 0.01

def pytest_sessionstart(session):
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None:
        reporter.isatty = type(reporter.isatty)({isatty})
"""
TESTS = """
from threading import Event
from pytest_delta_schema.progress import step

def test_before():
    pass

def test_long():
    event, amounts = Event(), ["1 of 7 MB", "2 of 7 MB", "3 of 7 MB"]

    def done():
        amount = amounts.pop(0)
        if not amounts:
            event.set()
            amounts.append(amount)
        return amount

    with step(TEXT, done):
        event.wait()
    print("CAPTURED")
    assert FAILS

def test_after():
    pass
"""


@pytest.fixture
def start(project):
    """Run the tests, on a terminal or not."""
    project.settings()

    def run(*args, isatty=False, fails=False, text="downloading"):
        project.pytester.makeconftest(CONFTEST.replace("{isatty}", str(isatty)))
        project.pytester.makepyfile(test_x=f"FAILS = {not fails}\nTEXT = {text!r}\n{TESTS}")
        return project.run(*args, subprocess=True)

    return run


def test_a_log_of_ci_has_a_line_every_few_seconds_that_no_report_repeats(start):
    result = start(fails=True)

    result.assert_outcomes(passed=2, failed=1)
    lines = result.outlines[: next(at for at, line in enumerate(result.outlines) if "FAILURES" in line)]
    shown = [re.sub(r"\d s", "N s", line) for line in lines if "delta schema" in line or "test_x" in line]
    assert [re.sub(r" {2,}", "  ", line) for line in shown] == [
        "test_x.py .",
        "delta schema: downloading: 1 of 7 MB",
        "delta schema: downloading: done after N s",
        "test_x.py F.  [100%]",
    ]
    result.stdout.fnmatch_lines(["*Captured stdout call*", "CAPTURED"])
    result.stdout.no_fnmatch_line("*Captured log*")
    assert result.stdout.str().count("1 of 7 MB") == 1 + TESTS.count("1 of 7 MB")


def test_what_a_worker_of_xdist_does_is_shown_between_the_results(start):
    result = start("-n2", "--dist=loadfile", isatty=True)

    result.assert_outcomes(passed=3)
    assert "delta schema" not in result.stderr.str()
    result.stdout.no_fnmatch_line("*CAPTURED*")
    shown = [re.sub(r"\d s", "N s", line) for line in result.outlines if "downloading" in line]
    assert shown == ["delta schema: downloading: 1 of 7 MB", "delta schema: downloading: done after N s"]
    dots = [line for line in result.outlines if re.fullmatch(r"\.+( +\[ *\d+%\])?", line)]
    assert sum(line.count(".") for line in dots) == 3
