"""Read again before a fault is reported: files change while they are read, and listings of them are not atomic."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

K = TypeVar("K")
T = TypeVar("T")

PAUSES = (0.01, 0.05, 0.2)
"""Seconds before each further read, in which what another process is doing may end."""


def read_until_settled(read: Callable[[], T], is_fault: Callable[[T], bool]) -> list[T]:
    """Read until there is no fault, or two reads in a row have equal results; at most three times more.

    Everything that a read concludes comes from files that it lists itself. A fault is what a later read could explain.
    Of the results, all of which are returned, the last one is the one to use.
    """
    results = [read()]
    for pause in PAUSES:
        if not is_fault(results[-1]) or results[-2:-1] == results[-1:]:
            break
        time.sleep(pause)
        results.append(read())
    return results


def read_all_until_settled(
    keys: Iterable[K], read: Callable[[Sequence[K]], None], results: Mapping[K, T], is_fault: Callable[[T], bool]
) -> None:
    """Read several things together, and those with a fault again; see :func:`read_until_settled`."""
    doubtful = list(keys)

    def read_doubtful() -> dict[K, T]:
        nonlocal doubtful
        read(doubtful)
        doubtful = [key for key in doubtful if is_fault(results[key])]
        return {key: results[key] for key in doubtful}

    read_until_settled(read_doubtful, bool)
