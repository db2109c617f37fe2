"""Rules about the layout: what files can be parted and rows laid out by, and what writing them anew needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import LayoutRewrite
from pytest_delta_schema.plan.changes.layout import describe_layout
from pytest_delta_schema.rules.columns import repeated
from pytest_delta_schema.rules.consent import REWRITE, Consent, missing
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.desired import clustering_path, desired_state
from pytest_delta_schema.state.types import StructState, describe_type, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.types import ColumnState

MOST_CLUSTERING_COLUMNS = 4
"""``DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS`` (run on the released jars)."""

COLUMNS_WITH_STATISTICS = 32
"""Delta has statistics of that many columns, and clusters by no others (``DELTA_CLUSTERING_COLUMN_MISSING_STATS``)."""

_STATISTICS = ("delta.dataskippingnumindexedcols", "delta.dataskippingstatscolumns")
_UNORDERED = ("boolean", "binary", "variant", "void")


class InvalidLayout:
    """A table is partitioned or clustered by columns that Delta refuses.

    They are missing, named twice, too many, or of a type without order; or the table is declared with both layouts.
    Choose other columns.
    """

    code = "DS119"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every column by which Delta would refuse to lay a table out."""
        if not table.partitioned_by and not table.clustered_by:
            return
        columns = desired_state(table).columns
        faults = [*_partitioning(table, columns), *_clustering(table, columns)]
        if table.partitioned_by and table.clustered_by:
            faults.append(
                ("", "declares partitioned_by and clustered_by, which exclude each other", "keep one of them")
            )
        for path, message, remedy in faults:
            yield violation(self, table.qualified_name, path, message, remedy)


def _partitioning(table: Table, columns: tuple[ColumnState, ...]) -> Iterator[tuple[str, str, str]]:
    for name in table.partitioned_by:
        column = find(columns, (name,))
        if column is None:
            yield name, f"partitioned_by names {name}, which is no column", "declare it, or leave it out"
        elif not isinstance(column.data_type, str) or column.data_type in ("variant", "void"):
            kind = describe_type(column.data_type)
            yield name, f"partitioned_by names {name}, and files are not parted by {kind}", "use an atomic column"
        elif column.value is not None and column.value.identity is not None:
            yield name, f"partitioned_by names the identity column {name}, which Delta refuses", "use another column"
        elif "\0" in name:
            fact = f"partitioned_by names {name!r}, and the folders of partitions, named by it, take no null character"
            yield name, fact, "rename the column"
    for name in repeated(table.partitioned_by):
        yield name, f"partitioned_by names {name} twice", "name it once"
    if columns and {name.lower() for name in table.partitioned_by} >= {column.name.lower() for column in columns}:
        yield "", "is partitioned by all of its columns, so that nothing is left for its files", "leave one out"


def _clustering(table: Table, columns: tuple[ColumnState, ...]) -> Iterator[tuple[str, str, str]]:
    with_statistics = None if _statistics_are_declared(table) else list(_leaves(columns))[:COLUMNS_WITH_STATISTICS]
    for name in table.clustered_by:
        path = clustering_path(columns, name)
        column = find(columns, path)
        if column is None or not _through_structs(columns, path):
            yield (
                name,
                f"clustered_by names {name}, which is no column or field of a struct",
                "declare it, or leave it out",
            )
        elif not isinstance(column.data_type, str) or column.data_type in _UNORDERED:
            kind = describe_type(column.data_type)
            yield name, f"clustered_by names {name}, and Delta keeps no ranges of {kind}", "use another column"
        elif with_statistics is not None and path not in with_statistics:
            fact = f"clustered_by names {name}, but Delta collects statistics of the first {COLUMNS_WITH_STATISTICS}"
            remedy = "declare it further up, or the property delta.dataSkippingStatsColumns"
            yield name, f"{fact} columns only", remedy
    for name in repeated(table.clustered_by):
        yield name, f"clustered_by names {name} twice", "name it once"
    if len(table.clustered_by) > MOST_CLUSTERING_COLUMNS:
        fact = f"is clustered by {len(table.clustered_by)} columns, and Delta takes {MOST_CLUSTERING_COLUMNS} at most"
        yield "", fact, "keep those that readers filter by most"


def _statistics_are_declared(table: Table) -> bool:
    return any(key.lower() in _STATISTICS for key in table.table_properties)


def _leaves(columns: tuple[ColumnState, ...], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of everything atomic in columns and structs, in order."""
    for column in columns:
        if isinstance(column.data_type, StructState):
            yield from _leaves(column.data_type.fields, (*above, column.name))
        elif isinstance(column.data_type, str):
            yield (*above, column.name)


def _through_structs(columns: tuple[ColumnState, ...], path: tuple[str, ...]) -> bool:
    above = [find(columns, path[:length]) for length in range(1, len(path))]
    return all(column is not None and isinstance(column.data_type, StructState) for column in above)


class RewriteWithoutConsent:
    """The layout changes so that all data has to be rewritten, without consent.

    Declare the layout that the table has, or consent to the rewrite by name (``--delta-allow``).

    Args:
        consents: What somebody has agreed to.
    """

    code = "DS216"

    def __init__(self, consents: Iterable[Consent] = ()) -> None:
        self.consents = tuple(consents)

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for a layout that nobody has consented to."""
        change = None if isinstance(action, CreateTable) else action.one(LayoutRewrite)
        if isinstance(action, CreateTable) or change is None:
            return
        for found in missing(action, REWRITE, self.consents):
            before = describe_layout(action.observed.partitioning, action.observed.clustering)
            after = describe_layout(change.partitioning, change.clustering)
            message = f"is {before} and {after} in the model, for which all of its data has to be written anew"
            remedy = f"declare the layout that it has, or {found.remedy}"
            yield violation(self, action.table, "layout", message, remedy)
