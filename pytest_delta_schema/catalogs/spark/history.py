"""Find the commits that brought columns: by a bisection over the schemas of older versions, without reading a row."""

from __future__ import annotations

from datetime import timezone
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.sql.demands import rows_of
from pytest_delta_schema.sql.queries import describe_history, select_all
from pytest_delta_schema.state.history import ColumnOrigin
from pytest_delta_schema.state.types import canonical_fields, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState


def column_origins(
    sql: Callable[[str], Any], table: QualifiedName, paths: Iterable[tuple[str, ...]]
) -> Iterator[ColumnOrigin]:
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
            yield ColumnOrigin(path, version, commit["operation"], f"{time:%Y-%m-%d %H:%M:%S}", said)


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
