"""Rows of the table of speed: work and a reference, measured in turn, and the highest ratio that is accepted.

A noisy or slow machine disturbs both alike, so a limit holds on any machine.
"""

from __future__ import annotations

import gc
import resource
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Unit = Literal["s", "KiB", "calls", "tasks"]

ROUNDS = 5
"""How often work and its reference are measured; the median counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A measured value and its reference, with the highest ratio that is accepted.

    Args:
        name: The work.
        reference_name: What it is compared with.
        pairs: Of each round, the value of the work and that of the reference, in ``unit``.
        limit: The highest ratio.
    """

    name: str
    reference_name: str
    pairs: Sequence[tuple[float, float]]
    limit: float
    unit: Unit = "s"

    @property
    def work(self) -> float:
        """The median of the work."""
        return statistics.median(work for work, _ in self.pairs)

    @property
    def reference(self) -> float:
        """The median of the reference."""
        return statistics.median(reference for _, reference in self.pairs)

    @property
    def ratio(self) -> float:
        """The median of the ratios of the rounds."""
        return statistics.median(work / reference for work, reference in self.pairs)

    @property
    def holds(self) -> bool:
        """Whether the ratio is within its limit."""
        return self.ratio <= self.limit

    def shown(self, value: float) -> str:
        """Return a value with its unit, with three digits."""
        if self.unit == "s":
            return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.3g} ms"
        return f"{value:,.1f} KiB" if self.unit == "KiB" else f"{value:,g} {self.unit}"

    def __str__(self) -> str:
        work, reference = self.shown(self.work), self.shown(self.reference)
        verdict = "ok" if self.holds else "MISSED"
        return f"{self.name:<75} {work:>11} {reference:>11} {self.ratio:8.3g} / {self.limit:<6} {verdict}"


def processor_time() -> float:
    """Return the processor time of this process, and of those that it started and that have ended.

    It does not grow with the time for which other programs run.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def seconds(work: Callable[[], object], clock: Callable[[], float] = processor_time) -> float:
    """Return the time of one call, with the collector run before and off during it."""
    gc.collect()
    gc.disable()
    try:
        start = clock()
        work()
        return clock() - start
    finally:
        gc.enable()


def in_turn(
    work: Callable[[], object], reference: Callable[[], object], clock: Callable[[], float] = processor_time
) -> list[tuple[float, float]]:
    """Return the times of both in each round."""
    return [(seconds(work, clock), seconds(reference, clock)) for _ in range(ROUNDS)]
