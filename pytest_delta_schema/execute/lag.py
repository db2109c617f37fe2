"""Wait until a catalog shows what statements have changed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.diagnostics.errors import CatalogReadError, ConvergenceError
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


def when_shown(prove: Callable[[], _T], lag: Lag) -> _T:
    """Return what a proof returns, and repeat it while the catalog may be behind.

    Args:
        prove: Reads the catalog, and raises an error if it does not show what was applied.
        lag: How long to repeat it.

    Raises:
        CatalogReadError: If the catalog cannot be read.
        ConvergenceError: If the catalog still differs.
    """
    if not lag.seconds:
        return prove()
    end, pause = lag.clock() + lag.seconds, 1.0
    with step("reading what was applied, which the catalog may show late"):
        while True:
            try:
                return prove()
            except (CatalogReadError, ConvergenceError):
                left = end - lag.clock()
                if left <= 0:
                    raise
            lag.wait(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)
