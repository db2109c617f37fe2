"""Signals are noted by another thread, and SIGTERM ends a process within a time limit."""

from __future__ import annotations

import os
import signal
import sys
from queue import Queue
from threading import Event

import pytest

from pytest_delta_schema.backends.spark.errors import STOPPING
from pytest_delta_schema.execute.interruption import READING
from pytest_delta_schema.plugin.interruption import LIMIT, WORKER_LIMIT, Termination

LONG = 300
"""Seconds that nothing here needs."""


@pytest.fixture(autouse=True)
def raised_again():
    """The signals that a handler from before the installation gets."""
    signals = []
    earlier = signal.signal(signal.SIGTERM, lambda signum, _frame: signals.append(signum))
    yield signals
    signal.signal(signal.SIGTERM, earlier)


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_another_thread_notes_a_signal(raised_again, signum):
    noted: Queue[int] = Queue()
    termination = Termination(LONG, noted.put, pytest.fail)
    termination.install()

    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signum)

    assert noted.get(timeout=LONG) == signum
    assert raised_again == []
    termination.end()
    assert raised_again == [signum] * (signum == signal.SIGTERM)


def test_more_signals_while_a_process_ends_are_ignored(raised_again, monkeypatch):
    errors: list[object] = []
    codes: Queue[int] = Queue()
    at_limit, release = Event(), Event()
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    monkeypatch.setattr(os, "_exit", codes.put)
    termination = Termination(0, lambda _: None, lambda: (at_limit.set(), release.wait(LONG)))
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
    assert STOPPING + READING < WORKER_LIMIT < LIMIT < 5
