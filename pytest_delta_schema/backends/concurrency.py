"""Read or write for several tables in threads, where each of them takes a round trip."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.progress import reading_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from pytest_delta_schema.models.names import QualifiedName

_T = TypeVar("_T")


def map_concurrently(
    read: Callable[[QualifiedName], _T],
    names: Sequence[QualifiedName],
    threads: int,
    progress: Callable[[int, Callable[[], int]], AbstractContextManager[None]] = reading_tables,
) -> dict[QualifiedName, _T]:
    """Read tables in several threads, and return the results in the order of the names.

    Args:
        read: Reads one table.
        names: The tables.
        threads: The largest number of threads, at least 1.
        progress: Logs how many of them are done.
    """
    results: dict[QualifiedName, _T] = {}
    with (
        progress(len(names), lambda: len(results)),
        ThreadPoolExecutor(max_workers=threads) as pool,
    ):
        results.update(zip(names, pool.map(read, names), strict=True))
    return results
