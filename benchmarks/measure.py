"""Measure ratios: both sides in turn, in one process, so a noisy machine disturbs both alike."""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Unit = Literal["s", "KiB", "%"]

ROUNDS = 5
"""How often a ratio is measured; the median counts."""

ROOM = 0.85
"""The part of a bound that a ratio may take, so a busy hour does not break it."""


class Ratio(NamedTuple):
    """A measured ratio and its bound.

    Args:
        name: What is measured.
        reference_name: What it is compared with; empty if that is a fixed limit.
        work: The measured value, in ``unit``.
        reference: The value of the reference, in ``unit``.
        ratio: The first by the second.
        bound: The highest ratio that is accepted.
        unit: Of both values.
    """

    name: str
    reference_name: str
    work: float
    reference: float
    ratio: float
    bound: float
    unit: Unit = "s"

    @property
    def holds(self) -> bool:
        """Whether the ratio is within its bound."""
        return self.ratio <= self.bound

    @property
    def has_room(self) -> bool:
        """Whether the ratio is so far within its bound that a busy hour does not break it."""
        return self.ratio <= ROOM * self.bound

    def __str__(self) -> str:
        verdict = ("ok" if self.has_room else "tight") if self.holds else "MISSED"
        work, reference = shown(self.work, self.unit), shown(self.reference, self.unit)
        return f"{self.name:<70} {work:>9} {reference:>9} {self.ratio:8.4f} / {self.bound:<6} {verdict}"


def shown(value: float, unit: Unit) -> str:
    """Return a value with its unit, with three digits."""
    if unit == "%":
        return f"{value:.0%}"
    if unit == "KiB":
        return f"{value:.1f} KiB"
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.3g} ms"


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call, with the collector run before and off during it.

    It does not grow with the time for which other programs run.
    """
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()


def ratio(
    name: str, reference_name: str, work: Callable[[], object], reference: Callable[[], object], *, bound: float
) -> Ratio:
    """Measure ``work`` against ``reference``, A B A B."""
    return of_pairs(name, reference_name, [(seconds(work), seconds(reference)) for _ in range(ROUNDS)], bound)


def of_pairs(name: str, reference_name: str, pairs: Sequence[tuple[float, float]], bound: float) -> Ratio:
    """Return the median of ratios, pair by pair."""
    return Ratio(
        name,
        reference_name,
        statistics.median(pair[0] for pair in pairs),
        statistics.median(pair[1] for pair in pairs),
        statistics.median(first / second for first, second in pairs),
        bound,
    )


def of_limit(name: str, work: float, limit: float, unit: Unit = "s") -> Ratio:
    """Return the ratio of a value and a fixed limit."""
    return Ratio(name, "", work, limit, work / limit, 1.0, unit)
