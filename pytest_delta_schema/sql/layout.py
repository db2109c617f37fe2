"""Say the layout: partitions, clustering, and the order of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import ClusteringChange, ColumnMove, LayoutRewrite
from pytest_delta_schema.sql.quoting import dotted, identifier, listed, literal, path_sql
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName


def layout_clauses(partitioning: Sequence[str], clustering: Iterable[Sequence[str]]) -> list[str]:
    """Say the layout of a new table, a clause a line."""
    if partitioning:
        return [f"PARTITIONED BY ({listed(partitioning)})"]
    return [f"CLUSTER BY ({_paths(clustering)})"] if clustering else []


def change_clustering(table: QualifiedName, changes: Sequence[ClusteringChange]) -> Iterator[Statement]:
    """Say the new clustering, or that there is none."""
    for change in changes:
        said = f"({_paths(change.after)})" if change.after else "NONE"
        sql = f"ALTER TABLE {dotted(table)} CLUSTER BY {said}"
        yield Statement(table=table, kind=StatementKind.CLUSTER, sql=sql, changes=(change,))


def rewrite_layout(table: QualifiedName, changes: Sequence[LayoutRewrite]) -> Iterator[Statement]:
    """Say that the table is replaced by its own rows in another layout."""
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
    """Say each move; several in one statement end in another order than they say (run on the released jars)."""
    for change in changes:
        place = "FIRST" if change.after is None else f"AFTER {identifier(change.after)}"
        sql = f"ALTER TABLE {dotted(table)} ALTER COLUMN {identifier(change.name)} {place}"
        yield Statement(table=table, kind=StatementKind.MOVE_COLUMN, sql=sql, changes=(change,))


def texts_without_zone(columns: Iterable[str]) -> str:
    """Return an expression over the files of a log: whether one writes a timestamp without its zone.

    Args:
        columns: Of the partitions, by their physical names; at least one.
    """
    texts = [f"partitionValues[{literal(name)}] NOT RLIKE '(Z|[+-][0-9][0-9]:?[0-9][0-9])$'" for name in columns]
    return f"coalesce(bool_or({' OR '.join(texts)}), false)"


def _paths(paths: Iterable[Sequence[str]]) -> str:
    return ", ".join(map(path_sql, paths))


RENDERERS: Renderers = {ClusteringChange: change_clustering, LayoutRewrite: rewrite_layout, ColumnMove: move_columns}
