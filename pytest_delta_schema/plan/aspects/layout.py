"""Compare the layout: partitioning, clustering, and the order of columns if the model asks for it."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap, same_names
from pytest_delta_schema.models.modes import IGNORE
from pytest_delta_schema.plan.changes import Change, ClusteringChange, ColumnMove, LayoutRewrite
from pytest_delta_schema.plan.renames import new_names, with_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.plan.difference import Difference


def layout_changes(difference: Difference) -> Sequence[Change]:
    """Return the changes of partitioning and clustering, and the columns to move.

    Clustering changes in place. Files stay in the folders of their partitions, so other partitions, or clustering
    instead of partitions, require a rewrite of all data.
    """
    changes: list[Change] = []
    desired, observed = difference.desired, difference.observed
    if desired.partitioning or desired.clustering or observed.partitioning or observed.clustering:
        names = new_names(difference.renames.done)
        partitioning = tuple(names.get(ColumnPath(name), name) for name in observed.partitioning)
        clustering = tuple(with_names(path, names) for path in observed.clustering)
        if not same_names(desired.partitioning, partitioning):
            changes.append(LayoutRewrite(partitioning=desired.partitioning, clustering=desired.clustering))
        elif desired.clustering != clustering:
            changes.append(ClusteringChange(before=clustering, after=desired.clustering))
    if desired.column_order != IGNORE:
        changes += _moves(difference)
    return changes


def _moves(difference: Difference) -> Iterator[Change]:
    """Yield the fewest moves after which all declared columns are in order."""
    wanted = [column.name for column in difference.desired.columns]
    positions = NameMap((name, position) for position, name in enumerate(wanted))
    columns = (
        *difference.renames.columns,
        *(placed.column for placed in difference.added if not placed.path.is_nested),
    )
    stored = NameMap.of(columns)
    final = [column.name for column in columns if column.name in positions]
    staying = _longest_increasing([positions[name] for name in final])
    for position, name in enumerate(wanted):
        if position not in staying:
            above = wanted[position - 1] if position else None
            yield ColumnMove(name=stored[name].name, after=above and stored[above].name)


def _longest_increasing(numbers: Sequence[int]) -> set[int]:
    """Return the members of a longest increasing subsequence."""
    ends: list[int] = []
    at: list[int] = []
    before: dict[int, int | None] = {}
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before[index] = at[length - 1] if length else None
        ends[length : length + 1] = [number]
        at[length : length + 1] = [index]
    members: set[int] = set()
    here: int | None = at[-1] if at else None
    while here is not None:
        members.add(numbers[here])
        here = before[here]
    return members
