"""Changes of the layout: partitioning, clustering and the order of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.features import CLUSTERING_FEATURES, loss
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import CHANGE
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare, require_change
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.states import TableState

__all__ = ["ClusteringChange", "ColumnMove", "LayoutRewrite"]


def _clustering_lines(change: ClusteringChange, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = describe_layout((), change.before), describe_layout((), change.after)
    yield ChangeLine(CHANGE, part_path("layout"), before, after, loss=loss(change.enables))


def _clustering_features(change: ClusteringChange) -> tuple[str, ...]:
    return CLUSTERING_FEATURES if change.after else ()


class ClusteringDiffers:
    """The table is clustered by other columns than the model declares.

    An apply changes how new rows are written; existing rows move when the table is optimized.

    Remedy: Apply the model, or declare the clustering that the table has (``clustered_by``).

    Example:
        columns = [Column("id", "bigint"), Column("day", "date")]
        stored = Table("dev", "silver", "orders", columns, clustered_by=["id"])
        model = Table("dev", "silver", "orders", columns, clustered_by=["day"])
    """

    code = "DD124"


@declare(
    ChangeKind(
        aspect="layout",
        drift=ClusteringDiffers,
        step=Step.CHANGE_CLUSTERING,
        risk=Risk.METADATA,
        describe=_clustering_lines,
        features=_clustering_features,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteringChange:
    """Cluster new rows by other columns; existing rows move when the table is optimized.

    Args:
        before: The stored paths.
        after: The wanted paths; none for no clustering.
        enables: What it enables in the protocol of the table.
    """

    before: tuple[ColumnPath, ...]
    after: tuple[ColumnPath, ...]
    enables: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)


def _rewrite_lines(change: LayoutRewrite, observed: TableState) -> Iterator[ChangeLine]:
    before = describe_layout(observed.partitioning, observed.clustering)
    after = describe_layout(change.partitioning, change.clustering)
    yield ChangeLine(CHANGE, part_path("layout"), before, after, loss=loss(change.enables))


def _rewrite_features(change: LayoutRewrite) -> tuple[str, ...]:
    return CLUSTERING_FEATURES if change.clustering else ()


class PartitioningDiffers:
    """The table is partitioned by other columns than the model declares.

    An apply writes all data again, and only with consent by name.

    Remedy: Declare the partitioning that the table has (``partitioned_by``), or consent to the rewrite
    (``--delta-allow``).

    Example:
        columns = [Column("id", "bigint"), Column("day", "date")]
        stored = Table("dev", "silver", "orders", columns)
        model = Table("dev", "silver", "orders", columns, partitioned_by=["day"])
    """

    code = "DD125"


@declare(
    ChangeKind(
        aspect="layout",
        drift=PartitioningDiffers,
        step=Step.REWRITE_LAYOUT,
        risk=Risk.REWRITE,
        describe=_rewrite_lines,
        features=_rewrite_features,
        consent="rewrite",
        needs_data_check=True,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutRewrite:
    """Write all data again, partitioned by other columns; nothing else about the table changes.

    Args:
        partitioning: The columns by which the files will be partitioned.
        clustering: The paths by which rows will be clustered.
        enables: What it enables in the protocol of the table.
    """

    partitioning: tuple[str, ...]
    clustering: tuple[ColumnPath, ...] = ()
    enables: tuple[str, ...] = ()


def _move_lines(change: ColumnMove, observed: TableState) -> Iterator[ChangeLine]:
    names = [column.name for column in observed.columns]
    index = names.index(change.name) if change.name in names else None
    before = "last" if index is None else f"behind {names[index - 1]}" if index else "first"
    after = f"behind {change.after}" if change.after else "first"
    yield ChangeLine(CHANGE, part_path("columns", change.name, "order"), before, after)


class ColumnOrderDiffers:
    """A column has a different position in the table and in the model.

    The order is compared only for models with ``column_order="manage"`` or ``column_order="report"``.

    Remedy: Apply the model, or declare the columns in the order of the table.

    Example:
        note, number = Column("note", "string"), Column("number", "bigint")
        stored = Table("dev", "silver", "orders", [note, number])
        model = Table("dev", "silver", "orders", [number, note], column_order="manage")
    """

    code = "DD107"


@declare(
    ChangeKind(
        aspect="columns", drift=ColumnOrderDiffers, step=Step.MOVE_COLUMNS, risk=Risk.METADATA, describe=_move_lines
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMove:
    """Move the stored column ``name`` after another column; ``None`` moves it before all others.

    Args:
        name: Name of the stored column.
        after: The column that it follows afterwards.
    """

    name: str
    after: str | None

    def __post_init__(self) -> None:
        require_change(self, self.name != self.after)


LayoutChange = Union[ClusteringChange, LayoutRewrite, ColumnMove]  # noqa: UP007 - a union at run time


def describe_layout(partitioning: tuple[str, ...], clustering: tuple[ColumnPath, ...]) -> str:
    """Write the partitioning or the clustering of a table."""
    if partitioning:
        return f"partitioned by ({', '.join(partitioning)})"
    return f"clustered by ({', '.join(map(str, clustering))})" if clustering else "neither partitioned nor clustered"
