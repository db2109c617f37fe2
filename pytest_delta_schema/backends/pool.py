"""Reads that take a round trip each, several at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_delta_schema.models.names import QualifiedName

_T = TypeVar("_T")


def at_once(
    read: Callable[[QualifiedName], _T], names: Sequence[QualifiedName], threads: int
) -> dict[QualifiedName, _T]:
    """Read tables in as many threads as are allowed, and return what came of each, in their order."""
    with ThreadPoolExecutor(max_workers=threads) as pool:
        return dict(zip(names, pool.map(read, names), strict=True))
