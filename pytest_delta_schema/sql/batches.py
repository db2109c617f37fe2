"""Group changes of columns by the statements that can make them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class HasPath(Protocol):
    """A change of a column or of a part of one."""

    @property
    def path(self) -> tuple[str, ...]:
        """The column and the parts below it."""
        ...


_P = TypeVar("_P", bound=HasPath)


def batches(changes: Iterable[_P]) -> list[tuple[_P, ...]]:
    """Group changes so that no group has a column together with something below it.

    Spark refuses both in one ALTER COLUMN (``NOT_SUPPORTED_CHANGE_SAME_COLUMN``, Spark 4.2.0).

    Args:
        changes: At most one for each column or part of a column.
    """
    by_path = {change.path: change for change in changes}
    return [tuple(by_path[path] for path in group) for group in batched_paths(by_path)]


def batched_paths(paths: Iterable[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    """Group paths like :func:`batches` groups changes: outer ones first, in their order."""
    ordered = list(paths)
    if all(len(path) == 1 for path in ordered):
        return [ordered] if ordered else []
    all_paths = set(ordered)
    groups: dict[int, list[tuple[str, ...]]] = {}
    for path in ordered:
        depth = sum(path[:length] in all_paths for length in range(1, len(path)))
        groups.setdefault(depth, []).append(path)
    return [groups[depth] for depth in sorted(groups)]
