"""Group changes of columns by the statements that can make them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.delta.names.column_path import ColumnPath


class HasPath(Protocol):
    """A change of a column or of a part of one."""

    @property
    def path(self) -> ColumnPath:
        """The column and the parts below it."""
        ...


_P = TypeVar("_P", bound=HasPath)


def batches(changes: Iterable[_P]) -> list[tuple[_P, ...]]:
    """Group changes so that no group has a column together with something below it.

    Spark refuses both in one ALTER COLUMN (``NOT_SUPPORTED_CHANGE_SAME_COLUMN``, Spark 4.2.0).

    There is at most one change for each column or part of a column.
    """
    together = tuple(changes)
    if len(together) <= 1:
        return [together] if together else []
    paths = [change.path for change in together]
    if not any(path.is_nested for path in paths):
        return [together]
    by_path = dict(zip(paths, together, strict=True))
    return [tuple(by_path[path] for path in group) for group in batched_paths(paths)]


def batched_paths(paths: Iterable[ColumnPath]) -> list[list[ColumnPath]]:
    """Group paths like :func:`batches` groups changes: outer ones first, in their order."""
    ordered = list(paths)
    if len(ordered) <= 1 or not any(path.is_nested for path in ordered):
        return [ordered] if ordered else []
    all_paths = set(ordered)
    groups: dict[int, list[ColumnPath]] = {}
    for path in ordered:
        depth = sum(prefix in all_paths for prefix in path.parent.prefixes())
        groups.setdefault(depth, []).append(path)
    return [groups[depth] for depth in sorted(groups)]
