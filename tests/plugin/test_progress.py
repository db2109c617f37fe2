"""Long steps on the terminal: not captured, in one line or in several, beside pytest's progress."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from pytest_delta_schema.plugin.terminal import WorkerRecords
from pytest_delta_schema.progress import PHASE, STEP
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


SEVERAL = """
import logging

import pytest
from pytest_delta_schema.progress import step

@pytest.fixture(scope="module")
def catalog():
    with step("downloading", announced=True):
        pass
    logging.getLogger("pytest_delta_schema").info("downloaded 7 MB")
    yield
    with step("writing", announced=True):
        pass

def test_first(catalog):
    pass

def test_second(catalog):
    pass
"""
BETWEEN = [
    "delta schema: downloading",
    "delta schema: downloading: done after N s",
    "delta schema: downloaded 7 MB",
]
AFTER = ["delta schema: writing", "delta schema: writing: done after N s"]


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        ([], ["test_x.py", *BETWEEN, "test_x.py ..", *AFTER, "[100%]"]),
        (
            ["-v"],
            [
                "test_x.py::test_first",
                *BETWEEN,
                "test_x.py::test_first PASSED [ 50%]",
                "test_x.py::test_second PASSED [100%]",
                *AFTER,
            ],
        ),
    ],
    ids=["default", "verbose"],
)
def test_lines_of_several_steps_follow_each_other_and_results_begin_a_line(project, args, lines):
    project.settings()
    project.pytester.makepyfile(test_x=SEVERAL)

    text = project.run(*args, subprocess=True).stdout.str()

    _, _, between = text.rpartition("collected 2 items\n")
    shown = [" ".join(line.split()) for line in between.partition("\n===")[0].splitlines()]
    assert [re.sub(r"[\d.]+ ?s$", "N s", line) for line in shown if line] == lines


def test_what_a_worker_of_xdist_does_is_shown_between_the_results(start):
    result = start("-n2", "--dist=loadfile", isatty=True)

    result.assert_outcomes(passed=3)
    assert "delta schema" not in result.stderr.str()
    result.stdout.no_fnmatch_line("*CAPTURED*")
    shown = [re.sub(r"\d s", "N s", line) for line in result.outlines if "downloading" in line]
    assert shown == ["delta schema: downloading: 1 of 7 MB", "delta schema: downloading: done after N s"]
    dots = [line for line in result.outlines if re.fullmatch(r"\.+( +\[ *\d+%\])?", line)]
    assert sum(line.count(".") for line in dots) == 3


class Shown(logging.Handler):
    """Keeps the messages of all records."""

    def __init__(self):
        super().__init__()
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


class Channel:
    """The channel to a worker, which sends what the test wants."""

    def setcallback(self, send):
        self.send = send


def test_of_a_step_that_several_workers_do_at_once_one_worker_is_shown():
    shown = Shown()
    records = WorkerRecords(shown)
    workers = {}
    for name in ("gw0", "gw1"):
        gateway = SimpleNamespace(id=name, newchannel=Channel)
        node = SimpleNamespace(gateway=gateway, workerinput={})
        records.show_those_of(node)
        (workers[name],) = node.workerinput.values()

    def log(worker, text, phase=None):
        about = {} if phase is None else {PHASE: phase, STEP: text.partition(":")[0]}
        workers[worker].send({"levelno": logging.INFO, "msg": text, **about})

    log("gw1", "Spark: 2 s", "running")
    log("gw0", "Spark: 3 s", "running")
    log("gw0", "orders: 1 s", "running")
    log("gw1", "a warning")
    log("gw0", "a warning")
    log("gw0", "Spark: done", "end")
    log("gw1", "Spark: done after 5 s", "end")
    log("gw0", "orders: done", "end")
    log("gw0", "Spark: 6 s", "running")

    assert shown.messages == [
        "Spark: 2 s",
        "orders: 1 s",
        "a warning",
        "a warning",
        "Spark: done after 5 s",
        "orders: done",
        "Spark: 6 s",
    ]
