"""Records about long steps: how far they are while they run, how they ended, and nothing about short ones."""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from threading import Event
from threading import enumerate as threads

import pytest

from pytest_delta_schema import progress
from pytest_delta_schema.progress import PHASE, SECONDS, LogLines, fitted, reading_tables, step, syncing_entries


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
    ("progress", "number", "text"),
    [
        (reading_tables, 1, "reading 1 table: 0 of 1"),
        (reading_tables, 1200, "reading 1,200 tables: 1,100 of 1,200"),
        (syncing_entries, 1, "synchronising 1 catalog entry: 0 of 1"),
        (syncing_entries, 1200, "synchronising 1,200 catalog entries: 1,100 of 1,200"),
    ],
)
def test_work_on_tables_shows_how_many_are_done(steps, progress, number, text):
    event = Event()

    def done():
        event.set()
        return max(0, number - 100)

    with progress(number, done):
        event.wait()

    assert shown(steps)[0] == (text, "running")


def test_a_step_without_an_amount_shows_its_seconds(steps):
    event = Event()

    def nothing():
        event.set()
        return ""

    with step("starting", nothing):
        event.wait()

    assert shown(steps) == [("starting: N s so far", "running"), ("starting: done after N s", "end")]


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


def test_a_step_that_covers_others_hides_them(steps):
    event = Event()

    with step("outer"), step("trying", counting(event), covers=True):
        for _ in range(2):
            with suppress(ZeroDivisionError), step("writing", lambda: "nothing"):
                event.wait()
                raise ZeroDivisionError

    assert shown(steps)[:3] == [(f"trying: {number} of 7 MB", "running") for number in (1, 2, 3)]
    assert {message.partition(":")[0] for message, _ in shown(steps)} == {"trying", "outer"}


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


def test_a_short_step_inside_of_a_long_one_has_no_line_about_its_end(steps, monkeypatch):
    event = Event()

    with step("applying"), step("statement 1", counting(event)):
        event.wait()
        monkeypatch.setattr(progress, "INTERVAL", 60.0)

    ends = [text for text, phase in shown(steps) if phase == "end"]
    assert ends == ["applying: done after N s"]


@pytest.mark.parametrize(
    ("phase", "text", "shown"),
    [
        pytest.param("running", "downloading: 1 of 7 MB", "downloading: 1 of 7 MB", id="fits"),
        pytest.param(
            "running",
            "downloading io.delta:delta-spark: 1 of 7 MB",
            "downloading ...: 1 of 7 MB",
            id="running",
        ),
        pytest.param("end", "downloading io.delta:delta-spark: done after 3 s", "downloa...: done after 3 s", id="end"),
        pytest.param(
            "running",
            "downloading from a host: delta-spark-4.4.0.jar",
            "downloading from a host...",
            id="amount",
        ),
        pytest.param("running", "downloading io.delta:delta-spark", "downloading io.delta:de...", id="no amount"),
        pytest.param("start", "downloading io.delta:delta-spark", "downloading io.delta:delta-spark", id="start"),
        pytest.param(
            None,
            "the jar is damaged; set XDG_CACHE_HOME",
            "the jar is damaged; set XDG_CACHE_HOME",
            id="no step",
        ),
    ],
)
def test_a_line_that_is_rewritten_fits_the_terminal_and_keeps_its_amount(phase, text, shown):
    record = logging.makeLogRecord({} if phase is None else {PHASE: phase})

    assert fitted(record, text, 26) == shown


def test_a_log_has_fewer_lines_about_a_step_the_longer_it_runs():
    seconds = 0.0
    lines = LogLines(lambda: seconds)
    shown = []

    while seconds < 1800:
        seconds += 2
        if lines.shows(logging.makeLogRecord({PHASE: "running", SECONDS: seconds})):
            shown.append(int(seconds))

    assert shown[:17] == [2, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50, 54, 58, 64, 70]
    assert shown[-3:] == [1674, 1734, 1794]
    assert len(shown) == 67


@pytest.mark.parametrize("phase", ["start", "end", None])
def test_a_log_has_every_line_about_the_start_and_the_end_of_a_step(phase):
    lines = LogLines(lambda: 0.0)
    record = logging.makeLogRecord({} if phase is None else {PHASE: phase, SECONDS: 0.0})

    assert [lines.shows(record) for _ in range(3)] == [True, True, True]


def test_the_first_line_about_the_next_step_does_not_wait_for_that_of_a_long_one():
    seconds = 1800.0
    lines = LogLines(lambda: seconds)
    before = lines.shows(logging.makeLogRecord({PHASE: "running", SECONDS: seconds}))
    seconds += 4

    assert (before, lines.shows(logging.makeLogRecord({PHASE: "running", SECONDS: 2.0}))) == (True, True)
