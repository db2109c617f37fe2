"""Measure ratios: both sides in turn, in one process, so that a noisy machine disturbs both alike."""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


ROUNDS = 5
"""How often a ratio is measured; the median counts."""


class Ratio(NamedTuple):
    """A measured ratio and its bound, which are dimensionless: seconds of the work by seconds of a reference."""

    name: str
    seconds: float
    yardstick: float
    ratio: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the ratio is within its bound."""
        return self.ratio <= self.bound

    @property
    def has_room(self) -> bool:
        """Whether the ratio is so far within its bound that a busy hour does not break it."""
        return self.ratio <= 0.85 * self.bound

    def __str__(self) -> str:
        verdict = ("ok" if self.has_room else "tight") if self.holds else "MISSED"
        return (
            f"{self.name:<58} {self.seconds * 1000:9.1f} ms {self.yardstick * 1000:9.1f} ms"
            f" {self.ratio:7.3f} / {self.bound:<6.3f} {verdict}"
        )


def seconds(work: Callable[[], object]) -> float:
    """Time one call, with the collector run before and off during it."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    finally:
        gc.enable()


def ratio(
    name: str, work: Callable[[], object], yardstick: Callable[[], object], *, bound: float, rounds: int = ROUNDS
) -> Ratio:
    """Measure ``work`` against ``yardstick``, A B A B; the median of the ratios pair by pair counts."""
    pairs = [(seconds(work), seconds(yardstick)) for _ in range(rounds)]
    return Ratio(
        name,
        statistics.median(pair[0] for pair in pairs),
        statistics.median(pair[1] for pair in pairs),
        statistics.median(first / second for first, second in pairs),
        bound,
    )
