"""Log long steps while they run, so no command is silent for more than a few seconds."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Literal

from pytest_delta_schema.diagnostics.text import printed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

LOGGER = "pytest_delta_schema"
"""The logger of this package."""

JAVA_LOGGER = f"{LOGGER}.java"
"""The logger to which each exception of Spark is logged with its Java stack, with the level DEBUG."""

INTERVAL = 2.0
"""Seconds between two records of a step; a log shows fewer of them."""

SHORTEST_PAUSE, LONGEST_PAUSE = 3.5, 60.0
"""The limits, in seconds, for the time between two lines of a log about running steps."""

Phase = Literal["start", "running", "end"]
"""What a record says about its step; the next record of a running step replaces the one before."""

PHASE = "delta_schema_phase"
"""The attribute of records that holds it; records without it are about no step."""

STEP = "delta_schema_step"
"""The attribute of records that holds the text of their step."""

SECONDS = "delta_schema_seconds"
"""The attribute of records that holds how long their step has run."""

_LOG = logging.getLogger(LOGGER)


class _Printed(logging.Filter):
    """Escapes the text of each record, which handlers of other programs show, too."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Escape a record, and keep it."""
        record.msg, record.args = printed(record.getMessage().expandtabs(4)), None
        return True


for _name in (LOGGER, JAVA_LOGGER):
    logging.getLogger(_name).addFilter(_Printed())


@contextmanager
def step(
    text: str, done: Callable[[], str] | None = None, *, announced: bool = False, covers: bool = False
) -> Iterator[None]:
    """Log the progress of a step every few seconds, and its end; nothing about a short one that is not announced.

    Steps nest: of those that run, only the innermost is logged, and a step inside another step starts no thread.

    Args:
        text: What is done, such as ``starting Spark``; names that users choose are escaped by the caller.
        done: Returns how much is done, such as ``3.1 of 7.1 MB``; by default the seconds so far are logged. It is
            called in another thread, and must not raise.
        announced: Whether the start is logged as well; for steps that a machine does once.
        covers: Whether steps inside of it are hidden, such as writes that have to fail.
    """
    current = _Step(text, done, covers=covers)
    if announced:
        current.log("start")
    end = "stopped"
    try:
        _RUNNING.begin(current)
        yield
        end = "done"
    finally:
        is_outermost = _RUNNING.finish(current)
        # Of an inner step only a long one is worth a second line.
        if announced or (current.is_shown and (is_outermost or current.seconds >= INTERVAL)):
            current.log("end", f": {end} after {current.seconds:.0f} s")


def reading_tables(number: int, done: Callable[[], int]) -> AbstractContextManager[None]:
    """Log the progress of reading tables, as :func:`step` does."""
    return step(f"reading {number:,} {'table' if number == 1 else 'tables'}", lambda: f"{done():,} of {number:,}")


def syncing_entries(number: int, done: Callable[[], int]) -> AbstractContextManager[None]:
    """Log the progress of synchronising catalog entries, as :func:`step` does."""
    entries = "catalog entry" if number == 1 else "catalog entries"
    return step(f"synchronising {number:,} {entries}", lambda: f"{done():,} of {number:,}")


def fitted(record: logging.LogRecord, text: str, width: int) -> str:
    """Return the text of a record for a terminal, on which one line shows how far a step is."""
    if len(text) <= width or getattr(record, PHASE, "start") == "start":
        return text
    head, separator, amount = text.rpartition(": ")
    kept = width - len(f"...{separator}{amount}")
    return f"{head[:kept]}...{separator}{amount}" if kept > 0 else f"{text[: width - 3]}..."


class LogLines:
    """Chooses the records that a log shows, in which no line can be rewritten."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = float("-inf")

    def shows(self, record: logging.LogRecord) -> bool:
        """Return whether a record is shown; the next ones then wait."""
        if getattr(record, PHASE, "end") != "running":
            return True
        pause = min(max(SHORTEST_PAUSE, getattr(record, SECONDS, 0.0) / 15), LONGEST_PAUSE)
        now = self._clock()
        if now - self._last < pause:
            return False
        self._last = now
        return True


class _Step:
    """A step that runs, and whether it was logged, or one inside of it."""

    def __init__(self, text: str, done: Callable[[], str] | None, *, covers: bool) -> None:
        self.is_shown = False
        self.covers = covers
        self._text = text
        self._done = done
        self._start = time.monotonic()
        self._has_ended = False
        self._lock = Lock()

    @property
    def seconds(self) -> float:
        """The seconds since its start."""
        return time.monotonic() - self._start

    def log(self, phase: Phase, rest: str = "") -> None:
        """Log a record."""
        about = {PHASE: phase, STEP: self._text, SECONDS: self.seconds}
        _LOG.info("%s%s", self._text, rest, extra=about)

    def log_amount(self, outer: Sequence[_Step]) -> None:
        """Log how much is done, unless the step has ended."""
        with self._lock:
            if self._has_ended:
                return
            for shown in (self, *outer):
                shown.is_shown = True
            amount = self._done() if self._done is not None else ""
            self.log("running", f": {amount or f'{self.seconds:.0f} s so far'}")

    def finish(self) -> None:
        """Log no amount from now on."""
        with self._lock:
            self._has_ended = True


class _Running:
    """The steps that run in this process, the innermost last, and the thread that logs it; without steps, none."""

    def __init__(self) -> None:
        self._steps: list[_Step] = []
        self._ended = Event()
        self._lock = Lock()

    def begin(self, new: _Step) -> None:
        """Add a step."""
        with self._lock:
            self._steps.append(new)
            if len(self._steps) == 1:
                self._ended = Event()
                thread = Thread(target=self._log, args=(self._ended,), name="pytest-delta-schema-progress", daemon=True)
                thread.start()

    def finish(self, ended: _Step) -> bool:
        """Remove a step, and return whether no other one runs."""
        with self._lock:
            self._steps = [other for other in self._steps if other is not ended]
            is_last = not self._steps
            if is_last:
                self._ended.set()
        ended.finish()
        return is_last

    def _log(self, ended: Event) -> None:
        while not ended.wait(INTERVAL):
            with self._lock:
                last = next((number for number, running in enumerate(self._steps, 1) if running.covers), None)
                *outer, current = self._steps[:last] or (None,)
            if current is not None:
                current.log_amount(outer)


_RUNNING = _Running()
