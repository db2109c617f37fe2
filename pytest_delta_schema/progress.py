"""Log long steps while they run, so that no command is silent for more than a few seconds."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOGGER = "pytest_delta_schema"
"""The logger of this package."""

INTERVAL = 2.0
"""Seconds between two records of a step; a terminal that cannot rewrite a line shows fewer of them."""

Phase = Literal["start", "running", "end"]
"""What a record says about its step; the next record of a running step replaces the one before."""

PHASE = "delta_schema_phase"
"""The attribute of records that holds it; records without it are about no step."""

_LOG = logging.getLogger(LOGGER)


@contextmanager
def step(text: str, done: Callable[[], str] | None = None, *, announced: bool = False) -> Iterator[None]:
    """Log the progress of a step every few seconds, and its end; nothing about a short one that is not announced.

    Args:
        text: What is done, such as ``starting Spark``.
        done: Returns how much is done, such as ``3.1 of 7.1 MB``; by default the seconds so far are logged. It is
            called in another thread, and must not raise.
        announced: Whether the start is logged as well; for steps that a machine does once.
    """
    started, ended, shown = time.monotonic(), Event(), Event()

    def show_until_the_end() -> None:
        while not ended.wait(INTERVAL):
            shown.set()
            amount = done() if done is not None else ""
            _LOG.info("%s: %s", text, amount or f"{_seconds(started)} so far", extra={PHASE: "running"})

    if announced:
        _LOG.info("%s", text, extra={PHASE: "start"})
    thread = Thread(target=show_until_the_end, name="pytest-delta-schema-progress", daemon=True)
    thread.start()
    end = "stopped"
    try:
        yield
        end = "done"
    finally:
        ended.set()
        thread.join()
        if announced or shown.is_set():
            _LOG.info("%s: %s after %s", text, end, _seconds(started), extra={PHASE: "end"})


def fitted(record: logging.LogRecord, text: str, width: int) -> str:
    """Return the text of a record for a terminal, on which one line shows how far a step is.

    Of a longer line the middle is left out, so that the amount at its end is shown. Records that no other one replaces
    keep their whole text.

    Args:
        record: The record.
        text: Its text, as it is shown.
        width: The number of characters that fit in a line.
    """
    if len(text) <= width or getattr(record, PHASE, "start") == "start":
        return text
    head, separator, amount = text.rpartition(": ")
    kept = width - len(f"...{separator}{amount}")
    return f"{head[:kept]}...{separator}{amount}" if kept > 0 else f"{text[: width - 3]}..."


def _seconds(start: float) -> str:
    return f"{time.monotonic() - start:.0f} s"
