"""The history of a table: which commits added columns, and which columns older versions have."""

from __future__ import annotations

import json
from bisect import bisect_right
from datetime import datetime, timezone
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.backends.logs.files import content_of
from pytest_delta_schema.delta.log_files import LogListing, commit_name
from pytest_delta_schema.sql.data_check_queries import select_rows
from pytest_delta_schema.sql.renderers import describe_history, select_all
from pytest_delta_schema.state.delta_log import LogFacts
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.states import IntroducedBy
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState


class History(NamedTuple):
    """The versions of a table."""

    commits: Mapping[int, Any]
    """By version what ``DESCRIBE HISTORY`` shows: ``timestamp``, ``operation``, ``operationParameters`` and
    ``userMetadata``."""
    columns_at: Callable[[int], tuple[ColumnState, ...]]
    """Returns the columns of a version."""


def history_by_sql(sql: Callable[[str], Any], table: QualifiedName) -> History:
    """Return the history that a session shows of a table."""

    @cache
    def columns_at(version: int) -> tuple[ColumnState, ...]:
        return canonical_fields(sql(select_all(select_rows(table, version=version))).schema.fields)

    return History({row["version"]: row for row in sql(describe_history(table)).collect()}, columns_at)


_IN_COMMIT_TIMESTAMP = "inCommitTimestamp"
"""The key of commits whose time is not that of their file."""


def history_of(files: LogFiles) -> History | None:
    """Return the history of a table; ``None`` if the log lacks a commit, or Spark shows times from elsewhere.

    The time of a commit is that of its file; if that is not later than the commit before it, a millisecond after it
    (Delta 4.4.0).
    """
    listing = LogListing.of(files.names())
    if not listing.has_all_commits:
        # Listings are not atomic.
        listing = LogListing.of(files.names())
    if listing.misnamed or not listing.commits or not listing.has_all_commits:
        return None
    newest = commit_name(listing.newest)
    before = files.stamp(newest)
    commits: dict[int, Mapping[str, Any] | None] = {}
    columns: dict[int, tuple[ColumnState, ...]] = {}
    milliseconds = 0
    for version in range(listing.newest + 1):
        content = content_of(files, commit_name(version))
        milliseconds = max(files.stamp(commit_name(version)).modified // 1_000_000, milliseconds + 1)
        # Most lines of a commit are about its files.
        lines = [line for line in content.splitlines() if b'"commitInfo"' in line or b'"metaData"' in line]
        for action in map(json.loads, lines):
            if "commitInfo" in action:
                commits[version] = _commit_shown(action["commitInfo"], milliseconds)
            if "metaData" in action:
                columns[version] = LogFacts(action["metaData"], {}).columns
    shown = {version: commit for version, commit in commits.items() if commit is not None}
    is_replaced = files.stamp(newest) != before
    if is_replaced or len(shown) <= listing.newest or 0 not in columns:
        return None
    changed = sorted(columns)
    return History(shown, lambda version: columns[changed[bisect_right(changed, version) - 1]])


def _commit_shown(info: Mapping[str, Any], milliseconds: int) -> Mapping[str, Any] | None:
    """Return what ``DESCRIBE HISTORY`` shows of a commit; ``None`` if its time differs."""
    if info.get(_IN_COMMIT_TIMESTAMP) is not None:
        return None
    return {
        "timestamp": datetime.fromtimestamp(milliseconds / 1000, timezone.utc),
        "operation": info["operation"],
        "operationParameters": info.get("operationParameters"),
        "userMetadata": info.get("userMetadata"),
    }


def introductions(history: History, paths: Iterable[ColumnPath]) -> Iterator[IntroducedBy]:
    """Yield the commits that added columns; a column that is older than the history is left out."""
    commits, columns_at = history
    versions = sorted(commits)
    for path in paths:
        version = _first_version(versions, lambda version, path=path: find(columns_at(version), path) is not None)  # type: ignore[misc]
        if version is not None:
            commit = commits[version]
            time = commit["timestamp"].astimezone(timezone.utc)
            message = commit["userMetadata"] or ""
            yield IntroducedBy(
                path=path,
                version=version,
                operation=commit["operation"],
                time=f"{time:%Y-%m-%d %H:%M:%S}",
                user_metadata=message,
            )


KEEPS_COLUMNS = frozenset(
    {
        "ADD COLUMNS",
        "ADD CONSTRAINT",
        "CLUSTER BY",
        "COMPUTE STATS",
        "DELETE",
        "DROP CONSTRAINT",
        "MERGE",
        "OPTIMIZE",
        "REORG",
        "SET TBLPROPERTIES",
        "UNSET TBLPROPERTIES",
        "UPDATE",
        "UPDATE COLUMN METADATA",
        "UPGRADE PROTOCOL",
        "VACUUM END",
        "VACUUM START",
    }
)
"""Operations of the history that drop no column (source: ``DeltaOperations`` of Delta 4.4.0)."""


def dropped_columns(history: History, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
    """Return the columns that an older version has and the newest lacks; newer versions are read first."""
    commits, columns_at = history
    # The last version that has a column is the one before the commit that dropped it.
    versions = sorted((version - 1 for version, commit in commits.items() if not _keeps_columns(commit)), reverse=True)
    missing, present = set(paths), set()
    for version in versions:
        if not missing:
            break
        if version in commits:
            columns = columns_at(version)
            present |= {path for path in missing if find(columns, path) is not None}
            missing -= present
    return frozenset(present)


def _keeps_columns(commit: Any) -> bool:
    parameters = commit["operationParameters"] or {}
    appends = "Append" in (parameters.get("mode"), parameters.get("outputMode"))
    return appends or commit["operation"] in KEEPS_COLUMNS


def _first_version(versions: list[int], has: Callable[[int], bool]) -> int | None:
    """Return the first version that has something, by bisection; ``None`` if it is older than the history."""
    without, with_it = -1, len(versions) - 1
    while with_it - without > 1:
        middle = (without + with_it) // 2
        if has(versions[middle]):
            with_it = middle
        else:
            without = middle
    return None if without < 0 and versions[with_it] > 0 else versions[with_it]
