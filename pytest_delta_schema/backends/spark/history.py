"""Find the commits that brought columns, and columns that are gone, in schemas of older versions."""

from __future__ import annotations

from datetime import timezone
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.sql.data_check_queries import rows_of
from pytest_delta_schema.sql.schemas_and_restores import describe_history, select_all
from pytest_delta_schema.state.introduced_by import IntroducedBy
from pytest_delta_schema.state.types import canonical_fields, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState


def introduced_by(
    sql: Callable[[str], Any], table: QualifiedName, paths: Iterable[tuple[str, ...]]
) -> Iterator[IntroducedBy]:
    """Yield where columns came from; one that is older than the history is left out.

    A column that went and came again is told by one of its comings.

    Args:
        sql: Runs a query.
        table: Where.
        paths: Of the columns, which the table has.
    """
    commits = {row["version"]: row for row in sql(describe_history(table)).collect()}
    versions = sorted(commits)

    @cache
    def columns_at(version: int) -> tuple[ColumnState, ...]:
        return canonical_fields(sql(select_all(rows_of(table, version=version))).schema.fields)

    for path in paths:
        version = _first(versions, lambda version, path=path: find(columns_at(version), path) is not None)  # type: ignore[misc]
        if version is not None:
            commit = commits[version]
            time = commit["timestamp"].astimezone(timezone.utc)
            said = commit["userMetadata"] or ""
            yield IntroducedBy(path, version, commit["operation"], f"{time:%Y-%m-%d %H:%M:%S}", said)


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
"""What the history calls commits that take no column away (source: the names in Delta's ``DeltaOperations``)."""


def past_columns(
    sql: Callable[[str], Any], table: QualifiedName, paths: Iterable[tuple[str, ...]]
) -> frozenset[tuple[str, ...]]:
    """Return those of some columns, which the table lacks, that an older version has; the newest ones are read first.

    Args:
        sql: Runs a query.
        table: Where.
        paths: Of the columns.
    """
    commits = sql(describe_history(table)).collect()
    known = {row["version"] for row in commits}
    # A column is gone since the commit after the last version that has it.
    versions = sorted((row["version"] - 1 for row in commits if not _keeps_columns(row)), reverse=True)
    missing, found = set(paths), set()
    for version in versions:
        if not missing:
            break
        if version in known:
            columns = canonical_fields(sql(select_all(rows_of(table, version=version))).schema.fields)
            found |= {path for path in missing if find(columns, path) is not None}
            missing -= found
    return frozenset(found)


def _keeps_columns(commit: Any) -> bool:
    said = commit["operationParameters"] or {}
    appends = "Append" in (said.get("mode"), said.get("outputMode"))
    return appends or commit["operation"] in KEEPS_COLUMNS


def _first(versions: list[int], has: Callable[[int], bool]) -> int | None:
    """Return the version from which on something is there; ``None`` if it is older than all of them."""
    missing, there = -1, len(versions) - 1
    while there - missing > 1:
        middle = (missing + there) // 2
        if has(versions[middle]):
            there = middle
        else:
            missing = middle
    return None if missing < 0 and versions[there] > 0 else versions[there]
