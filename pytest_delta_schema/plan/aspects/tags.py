"""Compare tags: only the declared keys, with regard to case."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.models.tags import NO_DECLARED_TAGS
from pytest_delta_schema.plan.changes import Change, SetTags, UnsetTags
from pytest_delta_schema.plan.renames import old_names
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


def tag_changes(difference: Difference) -> Sequence[Change]:
    """Return the tags to set and to remove.

    It is not documented whether tags stay on a renamed column. So unwanted tags are removed before the rename, and all
    others are set again after it, which changes nothing if they stayed.
    """
    if not difference.desired.tags:
        return ()
    changes: list[Change] = []
    olds = old_names(difference.renames.done)
    columns = (
        *difference.observed.columns,
        *(placed.column for placed in difference.added if not placed.path.is_nested),
    )
    for path, wanted in difference.desired.tags.items():
        paths = _paths(path, olds, columns)
        if paths is None:
            continue  # a column that the contract does not add
        here, before = paths
        there = difference.observed.tags.get(before, NO_DECLARED_TAGS)
        absent = tuple(key for key, value in wanted.items() if value is None and key in there)
        if absent:
            changes.append(UnsetTags(path=before, keys=absent))
        changes += _set(here, wanted, there if here == before else NO_DECLARED_TAGS)
    return changes


def _paths(
    path: ColumnPath, olds: Mapping[ColumnPath, str], columns: tuple[ColumnState, ...]
) -> tuple[ColumnPath, ColumnPath] | None:
    """Return the paths of a column after and before the plan; ``None`` if there will be no such column."""
    if not path:
        return TABLE, TABLE
    old = olds.get(path)
    if old is not None:
        return path, ColumnPath(old)
    column = find(columns, path)
    return None if column is None else (ColumnPath(column.name), ColumnPath(column.name))


def _set(path: ColumnPath, wanted: Mapping[str, str | None], there: Mapping[str, str | None]) -> Iterator[SetTags]:
    values = {key: value for key, value in wanted.items() if value is not None and there.get(key) != value}
    if values:
        yield SetTags(path=path, tags=MappingProxyType(values))


def first_tags(desired: TableState) -> tuple[SetTags, ...]:
    """Return the tags of a new table and of its columns."""
    return tuple(change for path, wanted in desired.tags.items() for change in _set(path, wanted, NO_DECLARED_TAGS))


def has_tags(desired: TableState, observed: TableState) -> bool:
    """Whether all wanted tags are stored exactly."""
    return not desired.tags or all(
        observed.tags.get(path, NO_DECLARED_TAGS).get(key) == value
        for path, tags in desired.tags.items()
        for key, value in tags.items()
    )
