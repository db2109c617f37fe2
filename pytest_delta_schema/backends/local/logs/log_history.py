"""The history of a table from the commits of its log, as ``DESCRIBE HISTORY`` shows it."""

from __future__ import annotations

import json
from bisect import bisect_right
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.history import History
from pytest_delta_schema.delta.logs.log_listing import LogListing, commit_name
from pytest_delta_schema.state.delta_log import columns_of_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.backends.logs.local_log import LocalLog
    from pytest_delta_schema.state.types import ColumnState

_IN_COMMIT_TIMESTAMP = "inCommitTimestamp"
"""The key of commits whose time is not that of their file."""


def history_of(log: LocalLog) -> History | None:
    """Return the history of a table; ``None`` if the log lacks a commit, or Spark shows times from elsewhere.

    The time of a commit is that of its file; if that is not later than the commit before it, a millisecond after it
    (Delta 4.4.0).

    Raises:
        KeyError: If a commit is malformed, or another error of this kind.
    """
    listing = LogListing.of(log.names())
    if not listing.has_all_commits:
        # Listings are not atomic.
        listing = LogListing.of(log.names())
    if listing.misnamed or not listing.commits or not listing.has_all_commits:
        return None
    newest = commit_name(listing.newest)
    before = log.identity(newest)
    commits: dict[int, Mapping[str, Any] | None] = {}
    columns: dict[int, tuple[ColumnState, ...]] = {}
    milliseconds = 0
    for version in range(listing.newest + 1):
        content = log.read(commit_name(version))
        milliseconds = max(log.modified(commit_name(version)), milliseconds + 1)
        # Most lines of a commit are about its files.
        lines = [line for line in content.splitlines() if b'"commitInfo"' in line or b'"metaData"' in line]
        for action in map(json.loads, lines):
            if "commitInfo" in action:
                commits[version] = _shown(action["commitInfo"], milliseconds)
            if "metaData" in action:
                columns[version] = columns_of_schema(json.loads(action["metaData"]["schemaString"]))
    shown = {version: commit for version, commit in commits.items() if commit is not None}
    is_replaced = log.identity(newest) != before
    if is_replaced or len(shown) <= listing.newest or 0 not in columns:
        return None
    changed = sorted(columns)

    def columns_at(version: int) -> tuple[ColumnState, ...]:
        return columns[changed[bisect_right(changed, version) - 1]]

    return History(shown, columns_at)


def _shown(info: Mapping[str, Any], milliseconds: int) -> Mapping[str, Any] | None:
    """Return what ``DESCRIBE HISTORY`` shows of a commit; ``None`` if its time differs."""
    if info.get(_IN_COMMIT_TIMESTAMP) is not None:
        return None
    return {
        "timestamp": datetime.fromtimestamp(milliseconds / 1000, timezone.utc),
        "operation": info["operation"],
        "operationParameters": info.get("operationParameters"),
        "userMetadata": info.get("userMetadata"),
    }
