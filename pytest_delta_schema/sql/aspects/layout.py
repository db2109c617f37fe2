"""Render the layout as SQL: partitioning, clustering, and the order of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.plan.changes import ClusteringChange, ColumnMove, LayoutRewrite
from pytest_delta_schema.sql.quoting import dotted, listed, literal, path_sql
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName


def layout_clauses(partitioning: Sequence[str], clustering: Iterable[ColumnPath]) -> list[str]:
    """Render the layout clauses of a new table."""
    if partitioning:
        return [f"PARTITIONED BY ({listed(partitioning)})"]
    return [f"CLUSTER BY ({_paths(clustering)})"] if clustering else []


def change_clustering(table: QualifiedName, changes: Sequence[ClusteringChange]) -> Iterator[Statement]:
    """Render CLUSTER BY, or CLUSTER BY NONE."""
    for change in changes:
        clause = f"({_paths(change.after)})" if change.after else "NONE"
        sql = f"ALTER TABLE {dotted(table)} CLUSTER BY {clause}"
        yield Statement(table=table, kind=StatementKind.CLUSTER, sql=sql, changes=(change,))


def rewrite_layout(table: QualifiedName, changes: Sequence[LayoutRewrite]) -> Iterator[Statement]:
    """Render the replacement of the table by its own rows in another layout."""
    for change in changes:
        name = dotted(table)
        lines = [
            f"CREATE OR REPLACE TABLE {name}",
            "USING DELTA",
            *layout_clauses(change.partitioning, change.clustering),
            f"AS SELECT * FROM {name}",  # noqa: S608 - quoted right here
        ]
        yield Statement(table=table, kind=StatementKind.REWRITE_LAYOUT, sql="\n".join(lines), changes=(change,))


def move_columns(table: QualifiedName, changes: Sequence[ColumnMove]) -> Iterator[Statement]:
    """Render each move as one statement; Delta applies several in one statement in another order (Delta 4.4.0)."""
    for change in changes:
        position = "FIRST" if change.after is None else f"AFTER {identifier(change.after)}"
        sql = f"ALTER TABLE {dotted(table)} ALTER COLUMN {identifier(change.name)} {position}"
        yield Statement(table=table, kind=StatementKind.MOVE_COLUMN, sql=sql, changes=(change,))


def texts_without_zone(columns: Iterable[str]) -> str:
    """Return an expression over the files of a log: whether a partition value is a timestamp without a time zone.

    The columns are physical names of at least one partition column.
    """
    texts = [f"partitionValues[{literal(name)}] NOT RLIKE '(Z|[+-][0-9][0-9]:?[0-9][0-9])$'" for name in columns]
    return f"coalesce(bool_or({' OR '.join(texts)}), false)"


def _paths(paths: Iterable[ColumnPath]) -> str:
    return ", ".join(map(path_sql, paths))


RENDERERS: Renderers = {ClusteringChange: change_clustering, LayoutRewrite: rewrite_layout, ColumnMove: move_columns}
