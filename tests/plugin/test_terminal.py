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


@pytest.mark.parametrize(
    ("line", "markup"),
    [
        ("  + columns.a  (absent) -> int", {"green": True}),
        ("  - columns.a  int -> (absent)", {"red": True}),
        ("  ~ columns.a.type  int -> bigint", {"yellow": True}),
        ("    ~ columns.a.type  int -> bigint", {"yellow": True}),
        ("  ! dev.silver.orders: it is wrong", {"red": True}),
        ("  drifted     dev.silver.orders has drifted", {"red": True}),
        ("  unreadable  dev.silver.orders: no log", {"red": True}),
        ("  applied     dev.silver.orders, 1 change", {"green": True}),
        ("  unused      the consent", {"red": True}),
        ("  note        a note", {}),
        ("  -- scan", {}),
        ("  ALTER TABLE `a`", {}),
        ("drift: 1 drifted", {}),
        ("  +", {}),
        ("", {}),
    ],
)
def test_lines(line, markup):
    assert markup_of(line) == markup


@pytest.mark.parametrize("status", Status, ids=str)
def test_every_status_has_a_colour(status):
    colour = "green" if status.passes else "red" if status.fails else "yellow"
    assert markup_of(f"  {status.value:<10}  dev.silver.orders") == {colour: True}


@pytest.mark.parametrize(
    "text",
    [
        "  + a\n  - b\n",
        "  + a\n\n  - b",
        "  + `a\r\n::error::x`\n",
        "  + `a\r::error::x`\n",
        "  + `a\x85::error::x`\n",
        "  + `a\u2028::error::x\x0b`\n",
        "",
    ],
)
def test_colours_add_no_line_end(text):
    report = SimpleNamespace(longrepr=failure_at("shop/models.py", 3, "headline", text))
    plain, coloured = StringIO(), StringIO()
    writer = TerminalWriter(coloured)
    writer.hasmarkup = True

    report.longrepr.toterminal(TerminalWriter(plain))
    show_lines_with(report, markup_of)
    report.longrepr.toterminal(writer)

    assert ("\x1b[32m  + " in coloured.getvalue()) is bool(text)
    assert re.sub("\x1b\\[\\d*m", "", coloured.getvalue()) == plain.getvalue()


@pytest.fixture
def drifted(project):
    project.models(ORDERS)
    project.catalog(BEFORE)
    return project


def test_a_terminal_shows_changes_with_colours(drifted):
    result = drifted.run("--delta-drift", "-m", "delta_drift", "--color=yes")

    lines = result.stdout.str().splitlines()
    assert any(line.startswith(f"{GREEN}  + columns.") for line in lines)
    assert any(line.startswith(f"{YELLOW}  ~ columns.") for line in lines)
    assert any(line.startswith(f"{RED}  drifted     dev.silver.orders has drifted") for line in lines)


@pytest.mark.parametrize("option", ["--color=no", "--junitxml=junit.xml"])
def test_other_texts_have_none(drifted, option):
    result = drifted.run("--delta-drift", "-m", "delta_drift", option)

    assert "\x1b" not in result.stdout.str()
    assert "  + columns." in result.stdout.str()
    junit = drifted.path / "junit.xml"
    assert option == "--color=no" or "#x1B" not in junit.read_text("utf-8")


def test_a_quiet_run_leaves_out_sql(drifted):
    result = drifted.run("--delta-drift", "-m", "delta_drift", "-q")

    shown = result.stdout.str()
    assert "  + columns." in shown
    assert "ALTER TABLE" not in shown
    assert "to align the catalog: pytest --delta-apply" in shown


def test_a_quiet_apply_lists_tables_without_their_changes(drifted):
    result = drifted.run("--delta-apply", "-m", "delta_apply", "-q")

    result.stdout.fnmatch_lines(["  applied     dev.silver.orders, *"])
    assert "columns.amount" not in result.stdout.str()


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
