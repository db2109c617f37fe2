"""Count the rows that commits add, remove and update, from their metrics and files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_delta_schema.state.commits import Commit, DataFile

_WRITTEN, _COPIED, _DELETED = "numOutputRows", "numCopiedRows", "numDeletedRows"
_ADDED = "numAddedRows"
"""Written by delta-rs, which does not count copied rows here."""

_UPDATED = "numUpdatedRows"
_COPIED_BY_MERGE = "numTargetRowsCopied"
_MERGE = {"added": "numTargetRowsInserted", "removed": "numTargetRowsDeleted", "updated": "numTargetRowsUpdated"}
_MERGE_OPERATION, _UPDATE_OPERATION = "MERGE", "UPDATE"
_UNDERSCORE = re.compile(r"_(\w)")
_ONLY_REMOVE = frozenset({"DELETE", "TRUNCATE"})


class ChangedRows(NamedTuple):
    """The numbers of rows that a commit changes."""

    added: int = 0
    removed: int = 0
    updated: int = 0
    """Rows with other values, of which none counts as added or removed."""


def counts_in_log(commit: Commit, file_rows: Callable[[], Mapping[str, int]]) -> ChangedRows | None:
    """Return the counts of a commit from its log; ``None`` if rows have to be compared.

    The metrics of Delta 4.4.0 and of delta-rs 1.6 have them for writes, MERGE, UPDATE and DELETE; rows that
    an overwrite replaces follow from the rows of the files.

    ``file_rows`` returns the rows of the files of the table before the commit, by path, where they are known.
    """
    metrics = _metrics(commit)
    if not commit.changes_rows:
        return ChangedRows()
    if commit.operation == _MERGE_OPERATION and metrics.keys() >= set(_MERGE.values()):
        return ChangedRows(**{count: metrics[metric] for count, metric in _MERGE.items()})
    if commit.operation == _UPDATE_OPERATION and _UPDATED in metrics:
        return ChangedRows(updated=metrics[_UPDATED])
    added = _added(commit)
    if added is None:
        return None
    if _DELETED in metrics or not commit.removed:
        return ChangedRows(added=added, removed=metrics.get(_DELETED, 0))
    growth = _growth(commit, file_rows)
    return None if growth is None else ChangedRows(added=added, removed=added - growth)


def _added(commit: Commit) -> int | None:
    """Return how many rows a commit adds that were not in the table; ``None`` if its log does not have it."""
    if commit.operation in _ONLY_REMOVE or not commit.added:
        return 0
    metrics = _metrics(commit)
    if _WRITTEN in metrics:
        return metrics[_WRITTEN] - metrics.get(_COPIED, 0)
    if _ADDED in metrics:
        return metrics[_ADDED]
    return None if commit.removed else _sum(commit.added, {})


def rewritten_files(commit: Commit) -> int:
    """Return the number of files whose rows a commit has copied to new files."""
    kept = {file.path for file in commit.added}
    replaced = {file.path for file in commit.removed} - kept
    copies = _copied(commit)
    rewrites = copies or not commit.changes_rows or commit.operation in {_MERGE_OPERATION, _UPDATE_OPERATION}
    has_new_files = bool(kept - {file.path for file in commit.removed})
    return len(replaced) if rewrites and has_new_files else 0


def _copied(commit: Commit) -> int:
    """Return how many rows a commit has copied, if its log says so."""
    metrics = _metrics(commit)
    if _ADDED in metrics and _COPIED not in metrics:
        return (_sum(commit.added, {}) or metrics[_ADDED]) - metrics[_ADDED]
    return metrics.get(_COPIED, 0) or metrics.get(_COPIED_BY_MERGE, 0)


def _metrics(commit: Commit) -> Mapping[str, int]:
    """Return the metrics by the names of Spark: delta-rs writes ``num_copied_rows`` for ``numCopiedRows``."""
    return {_UNDERSCORE.sub(lambda match: match[1].upper(), name): value for name, value in commit.metrics.items()}


def rows_by_file(commits: Iterable[Commit]) -> dict[str, int]:
    """Return the rows of the files after some commits, by path, where the commits have statistics."""
    rows: dict[str, int] = {}
    for commit in commits:
        for file in commit.removed:
            rows.pop(file.path, None)
        rows.update({file.path: file.rows for file in commit.added if file.rows is not None})
    return rows


def _growth(commit: Commit, file_rows: Callable[[], Mapping[str, int]]) -> int | None:
    """Return by how many rows the table grows; ``None`` if a file has no statistics."""
    known = {} if all(file.rows is not None for file in commit.removed) else file_rows()
    added, removed = _sum(commit.added, {}), _sum(commit.removed, known)
    return None if added is None or removed is None else added - removed


def _sum(files: Iterable[DataFile], known: Mapping[str, int]) -> int | None:
    rows = [known.get(file.path) if file.rows is None else file.rows for file in files]
    return None if None in rows else sum(number for number in rows if number is not None)
