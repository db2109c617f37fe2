"""Records about long steps: how far they are while they run, how they ended, and nothing about short ones."""

from __future__ import annotations

import logging
import re
from threading import Event
from threading import enumerate as threads

import pytest

from pytest_delta_schema import progress
from pytest_delta_schema.progress import PHASE, fitted, step


@pytest.fixture
def steps(caplog, monkeypatch):
    """The records of this package, with short pauses between them."""
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    caplog.set_level(logging.INFO, "pytest_delta_schema")
    return caplog


def shown(caplog):
    """Return the different messages in order, with any number of seconds as N, and what they say about their step."""
    lines = [(re.sub(r"\d+ s", "N s", record.getMessage()), getattr(record, PHASE)) for record in caplog.records]
    return list(dict.fromkeys(lines))


def counting(event):
    """Return a function that counts how often it is called, and sets an event at the third call."""
    calls = []

    def done():
        calls.append(1)
        if len(calls) == 3:
            event.set()
        return f"{min(len(calls), 3)} of 7 MB"

    return done


@pytest.mark.parametrize("announced", [True, False])
def test_a_long_step_shows_how_far_it_is_and_that_it_is_done(steps, announced):
    event = Event()

    with step("downloading", counting(event), announced=announced):
        event.wait()

    assert shown(steps) == [
        *([("downloading", "start")] if announced else []),
        ("downloading: 1 of 7 MB", "running"),
        ("downloading: 2 of 7 MB", "running"),
        ("downloading: 3 of 7 MB", "running"),
        ("downloading: done after N s", "end"),
    ]


@pytest.mark.parametrize(
    ("announced", "expected"),
    [(True, ["starting", "starting: done after 0 s"]), (False, [])],
    ids=["announced", "not"],
)
def test_a_short_step_is_shown_only_if_it_is_announced(steps, monkeypatch, announced, expected):
    monkeypatch.setattr(progress, "INTERVAL", 60.0)

    with step("starting", announced=announced):
        pass

    assert steps.messages == expected


def test_a_step_that_fails_has_stopped(steps, monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 60.0)

    with pytest.raises(ZeroDivisionError), step("starting", announced=True):
        raise ZeroDivisionError

    assert steps.messages == ["starting", "starting: stopped after 0 s"]


def test_of_steps_inside_of_each_other_the_innermost_is_shown_by_one_thread(steps):
    inner, outer = Event(), Event()
    running = []

    with step("applying", counting(outer)):
        with step("statement 1", counting(inner)):
            inner.wait()
            running += [thread.name for thread in threads() if "progress" in thread.name]
        with step("statement 2"):
            pass
        outer.wait()

    assert running == ["pytest-delta-schema-progress"]
    assert shown(steps) == [
        ("statement 1: 1 of 7 MB", "running"),
        ("statement 1: 2 of 7 MB", "running"),
        ("statement 1: 3 of 7 MB", "running"),
        ("statement 1: done after N s", "end"),
        ("applying: 1 of 7 MB", "running"),
        ("applying: 2 of 7 MB", "running"),
        ("applying: 3 of 7 MB", "running"),
        ("applying: done after N s", "end"),
    ]


@pytest.mark.parametrize(
    ("phase", "text", "shown"),
    [
        pytest.param(
            "running",
            "downloading io.delta:delta-spark: 1 of 7 MB",
            "downloading ...: 1 of 7 MB",
            id="running",
        ),
        pytest.param("end", "downloading io.delta:delta-spark: done after 3 s", "downloa...: done after 3 s", id="end"),
        pytest.param("start", "downloading io.delta:delta-spark", "downloading io.delta:delta-spark", id="start"),
    ],
)
def test_a_line_that_is_rewritten_fits_the_terminal_and_keeps_its_amount(phase, text, shown):
    assert fitted(logging.makeLogRecord({PHASE: phase}), text, 26) == shown
