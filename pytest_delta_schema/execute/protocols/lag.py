"""Wait until a catalog shows what statements have changed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

_LONGEST_PAUSE = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """How long reads of a catalog may miss what its statements have changed.

    Args:
        seconds: The time after which a difference is one; 0 if reads are never behind.
        clock: Returns a time in seconds.
        wait: Waits for a number of seconds.
    """

    seconds: float = 0.0
    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep


NO_LAG = Lag()
"""That of catalogs that show each change at once."""


def when_shown(read: Callable[[], _T], is_shown: Callable[[_T], bool], lag: Lag) -> _T:
    """Return what a catalog shows, and read it again while it may be behind."""
    if not lag.seconds:
        return read()
    end, pause = lag.clock() + lag.seconds, 1.0
    with step("reading what was applied, which the catalog may show late"):
        while not is_shown(shown := read()) and (left := end - lag.clock()) > 0:
            lag.wait(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)
    return shown
