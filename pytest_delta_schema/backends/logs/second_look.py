"""Read again before a fault is reported: files change while they are read, and listings of them are not atomic."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.backends.problems import is_doubtful

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_delta_schema.models.names import QualifiedName

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
