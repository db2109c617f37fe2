"""Work on several tables in threads, and read tables again that writers change meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.backends.problems import is_doubtful
from pytest_delta_schema.progress import reading_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pytest_delta_schema.models.names import QualifiedName


_T = TypeVar("_T")


def map_concurrently(
    read: Callable[[QualifiedName], _T],
    names: Sequence[QualifiedName],
    threads: int,
    progress: Callable[[int, Callable[[], int]], AbstractContextManager[None]] = reading_tables,
    cancel: Callable[[], object] = lambda: None,
) -> dict[QualifiedName, _T]:
    """Read tables in several threads, and return the results in the order of the names.

    An interruption begins no further read, and waits for those that run.

    Args:
        read: Reads one table.
        names: The tables.
        threads: The largest number of threads, at least 1.
        progress: Logs how many of them are done.
        cancel: Ends the reads that run, when they are interrupted.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - the local backend reads without threads

    results: dict[QualifiedName, _T] = {}
    with (
        progress(len(names), lambda: len(results)),
        ThreadPoolExecutor(max_workers=threads) as pool,
    ):
        try:
            results.update(zip(names, pool.map(read, names), strict=True))
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            cancel()
            raise
    return results


PAUSES = (0.01, 0.05, 0.2)
"""Seconds before each further read, in which what another process is doing may end."""


def read_until_settled(read: Callable[[], _T], is_fault: Callable[[_T], bool]) -> list[_T]:
    """Read until there is no fault, or two reads in a row have equal results; at most three times more."""
    results = [read()]
    for pause in PAUSES:
        if not is_fault(results[-1]) or results[-2:-1] == results[-1:]:
            break
        time.sleep(pause)
        results.append(read())
    return results


def read_all_until_settled(
    names: Iterable[QualifiedName],
    read: Callable[[Sequence[QualifiedName]], None],
    results: Mapping[QualifiedName, object],
) -> None:
    """Read several tables together, and those with a problem again, until it is gone or the same twice.

    A writer may change files while they are read, and listings and queries about a schema are not of one moment.

    Args:
        names: The tables.
        read: Reads tables, and puts the state or the problem of each into ``results``.
        results: What was read, by table; problems that concern the whole run are not read again.
    """
    doubtful = list(names)

    def read_doubtful() -> dict[QualifiedName, object]:
        nonlocal doubtful
        read(doubtful)
        doubtful = [name for name in doubtful if is_doubtful(results[name])]
        return {name: results[name] for name in doubtful}

    read_until_settled(read_doubtful, bool)
