"""Colours on a terminal, what -q leaves out, and a run that a signal ends."""

from __future__ import annotations

import os
import re
import signal
import sys
from io import StringIO
from queue import Queue
from threading import Event
from types import SimpleNamespace

import pytest
from _pytest._io import TerminalWriter

from pytest_delta_schema.backends.spark.errors import STOPPING
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.execute.interruption import READING
from pytest_delta_schema.plugin.compat import failure_at, show_lines_with
from pytest_delta_schema.plugin.interruption import LIMIT, Termination
from pytest_delta_schema.plugin.terminal import markup_of
from support.plugin_project import ORDERS

BEFORE = "MemoryCatalog([stored('dev.silver.orders', OLD, ColumnState('created_ts', 'timestamp', True, ''))])"
GREEN, RED, YELLOW = "\x1b[32m", "\x1b[31m", "\x1b[33m"


LINES = {
    "  + columns.a  (absent) -> int": {"green": True},
    "  - columns.a  int -> (absent)": {"red": True},
    "  ~ columns.a.type  int -> bigint": {"yellow": True},
    "    ~ columns.a.type  int -> bigint": {"yellow": True},
    "  ! dev.silver.orders: it is wrong": {"red": True},
    "  unused      the consent": {"red": True},
    "  note        a note": {},
    "  -- scan": {},
    "  ALTER TABLE `a`": {},
    "drift: 1 drifted": {},
    "  +": {},
    "": {},
}


def test_lines_and_every_status_have_their_colours():
    statuses = {
        f"  {status.value:<10}  dev.silver.orders": {
            "green" if status.passes else "red" if status.fails else "yellow": True
        }
        for status in Status
    }
    expected = {**LINES, **statuses}

    assert {line: markup_of(line) for line in expected} == expected


TEXTS = [
    *("  + a\n  - b\n", "  + a\n\n  - b", "  + `a\r\n::error::x`\n", "  + `a\r::error::x`\n"),
    *("  + `a\x85::error::x`\n", "  + `a\u2028::error::x\x0b`\n", ""),
]


def test_colours_add_no_line_end():
    for text in TEXTS:
        report = SimpleNamespace(longrepr=failure_at("shop/models.py", 3, "headline", text))
        plain, coloured = StringIO(), StringIO()
        writer = TerminalWriter(coloured)
        writer.hasmarkup = True

        report.longrepr.toterminal(TerminalWriter(plain))
        show_lines_with(report, markup_of)
        report.longrepr.toterminal(writer)

        assert ("\x1b[32m  + " in coloured.getvalue()) is bool(text), text
        assert re.sub("\x1b\\[\\d*m", "", coloured.getvalue()) == plain.getvalue(), text


@pytest.fixture
def drifted(project):
    project.models(ORDERS)
    project.catalog(BEFORE)
    return project


def test_a_terminal_shows_changes_with_colours_and_other_texts_have_none(drifted):
    coloured = drifted.run("--delta-drift", "-m", "delta_drift", "--color=yes", "--junitxml=junit.xml")
    plain = drifted.run("--delta-drift", "-m", "delta_drift", "--color=no")

    for start in (f"{GREEN}  + columns.", f"{YELLOW}  ~ columns.", f"{RED}  drifted     dev.silver.orders has drifted"):
        assert any(line.startswith(start) for line in coloured.outlines)
    assert "#x1B" not in (drifted.path / "junit.xml").read_text("utf-8")
    assert "\x1b" not in plain.stdout.str()
    assert "  + columns." in plain.stdout.str()


def test_a_quiet_run_leaves_out_sql_and_a_quiet_apply_changes(drifted):
    drift = drifted.run("--delta-drift", "-m", "delta_drift", "-q").stdout.str()
    apply = drifted.run("--delta-apply", "-m", "delta_apply", "-q")

    assert "  + columns." in drift
    assert "ALTER TABLE" not in drift
    assert "to align the catalog: pytest --delta-apply" in drift
    apply.stdout.fnmatch_lines(["  applied     dev.silver.orders, *"])
    assert "columns.amount" not in apply.stdout.str()


LONG = 300
"""Seconds that nothing here needs."""


@pytest.fixture(autouse=True)
def raised_again():
    """The signals that a handler from before the installation gets."""
    signals = []
    earlier = signal.signal(signal.SIGTERM, lambda signum, _frame: signals.append(signum))
    yield signals
    signal.signal(signal.SIGTERM, earlier)


def test_the_signal_is_raised_again_at_the_end(raised_again):
    termination = Termination(LONG, pytest.fail)
    termination.install()

    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)

    assert raised_again == []
    termination.end()
    assert raised_again == [signal.SIGTERM]


def test_more_signals_while_a_process_ends_are_ignored(raised_again, monkeypatch):
    errors: list[object] = []
    codes: Queue[int] = Queue()
    at_limit, release = Event(), Event()
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    monkeypatch.setattr(os, "_exit", codes.put)
    termination = Termination(0, lambda: (at_limit.set(), release.wait(LONG)))
    termination.install()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    assert at_limit.wait(LONG)

    signal.raise_signal(signal.SIGTERM)

    release.set()
    assert codes.get(timeout=LONG) == 128 + signal.SIGTERM
    assert errors == []
    termination.end()
    assert raised_again == [signal.SIGTERM]


def test_a_process_has_ended_five_seconds_after_sigterm():
    assert STOPPING + READING < LIMIT < 5
