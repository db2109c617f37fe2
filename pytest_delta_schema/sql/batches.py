"""Batches: which changes of columns may stand in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class Placed(Protocol):
    """Something about a column or a part of one."""

    @property
    def path(self) -> tuple[str, ...]:
        """Where it stands."""
        ...


_P = TypeVar("_P", bound=Placed)


def batches(changes: Iterable[_P]) -> list[tuple[_P, ...]]:
    """Group changes so that no group has a column together with something below it.

    Spark refuses both in one ALTER COLUMN (``NOT_SUPPORTED_CHANGE_SAME_COLUMN``, run on the released jars).

    Args:
        changes: Each about another column or part of one.
    """
    by_path = {change.path: change for change in changes}
    return [tuple(by_path[path] for path in group) for group in batched_paths(by_path)]


def batched_paths(paths: Iterable[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    """Group paths like :func:`batches` groups changes: outer ones first, in their order."""
    known = list(paths)
    if all(len(path) == 1 for path in known):
        return [known] if known else []
    all_of_them = set(known)
    groups: dict[int, list[tuple[str, ...]]] = {}
    for path in known:
        above = sum(path[:length] in all_of_them for length in range(1, len(path)))
        groups.setdefault(above, []).append(path)
    return [groups[depth] for depth in sorted(groups)]
