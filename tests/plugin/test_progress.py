"""Long steps on the terminal: not captured, in one line or in several, beside pytest's progress."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from support.plugin_project import ALONE

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
    project.ini("")

    def run(*args, isatty=False, fails=False, text="downloading"):
        project.pytester.makeconftest(CONFTEST.replace("{isatty}", str(isatty)))
        project.pytester.makepyfile(test_x=f"FAILS = {not fails}\nTEXT = {text!r}\n{TESTS}")
        return project.run(*args, subprocess=True)

    return run


def test_a_log_of_ci_has_a_line_every_few_seconds(start):
    result = start()

    result.assert_outcomes(passed=3)
    shown = [re.sub(r"\d s", "N s", line) for line in result.outlines if "delta schema" in line or "test_x" in line]
    assert [re.sub(r" {2,}", "  ", line) for line in shown] == [
        "test_x.py .",
        "delta schema: downloading: 1 of 7 MB",
        "delta schema: downloading: done after N s",
        "test_x.py ..  [100%]",
    ]


def test_a_terminal_has_one_line_that_is_rewritten(project, start):
    start(isatty=True, text=f"downloading {'x' * 99}")

    # pytester turns carriage returns into line ends.
    command = [sys.executable, "-m", "pytest", *ALONE]
    text = subprocess.run(command, cwd=project.path, capture_output=True, check=True).stdout.decode()
    (line,) = [line for line in text.split("\n") if "downloading" in line]
    steps = [re.sub(r"\d s", "N s", part.rstrip()) for part in line.split("\r")[1:]]
    assert list(dict.fromkeys(steps)) == [
        f"delta schema: downloading {'x' * 39}...: 1 of 7 MB",
        f"delta schema: downloading {'x' * 39}...: 2 of 7 MB",
        f"delta schema: downloading {'x' * 39}...: 3 of 7 MB",
        f"delta schema: downloading {'x' * 34}...: done after N s",
    ]
    assert {len(part) for part in line.split("\r")[1:]} == {79}
    assert re.search(r"\ntest_x.py \.\n\rdelta schema: .*\ntest_x.py \.\. +\[100%\]\n", text)


def test_a_verbose_run_shows_each_result_behind_its_name(start):
    result = start("-v")

    result.stdout.fnmatch_lines(
        [
            "test_x.py::test_before PASSED *",
            "test_x.py::test_long*",
            "delta schema: downloading: 1 of 7 MB",
            "test_x.py::test_long PASSED *",
            "test_x.py::test_after PASSED *",
        ]
    )


def test_reports_do_not_repeat_what_the_terminal_has_shown(start):
    result = start(fails=True)

    result.stdout.fnmatch_lines(["*Captured stdout call*", "CAPTURED"])
    result.stdout.no_fnmatch_line("*Captured log*")
    assert result.stdout.str().count("1 of 7 MB") == 1 + TESTS.count("1 of 7 MB")


def test_the_first_worker_of_xdist_writes_to_standard_error(start):
    result = start("-n2", "--dist=each")

    result.assert_outcomes(passed=6)
    lines = [line for line in result.stderr.lines if "delta schema" in line]
    assert [re.sub(r"\d s", "N s", line) for line in lines] == [
        "delta schema: downloading: 1 of 7 MB",
        "delta schema: downloading: done after N s",
    ]
