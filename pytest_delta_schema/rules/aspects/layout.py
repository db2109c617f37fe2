"""Rules about the layout: the columns that Delta partitions and clusters by, and consent to a rewrite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.delta.names.near_names import proposal
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ColumnMappingRemoval, LayoutRewrite
from pytest_delta_schema.plan.changes.layout import describe_layout
from pytest_delta_schema.rules.aspects.columns import repeated_names
from pytest_delta_schema.rules.consent import REWRITE, Consent, missing_consents
from pytest_delta_schema.rules.rule import Fault, violation
from pytest_delta_schema.state.desired import clustering_path, desired_state
from pytest_delta_schema.state.types import StructState, describe_type, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.delta.names.part_path import PartPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.types import ColumnState

MOST_CLUSTERING_COLUMNS = 4
"""More columns are ``DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS`` (Delta 4.4.0)."""

COLUMNS_WITH_STATISTICS = 32
"""Delta collects statistics of the first columns by default, and clusters by no others.

Its error is ``DELTA_CLUSTERING_COLUMN_MISSING_STATS`` (Delta 4.4.0).
"""

_STATISTICS = ("delta.dataskippingnumindexedcols", "delta.dataskippingstatscolumns")
_DECLARE = "declare it, or leave it out"
_UNORDERED = ("boolean", "binary", "variant", "void")


class InvalidLayout:
    """A table is partitioned or clustered by columns that Delta refuses.

    They are missing, named twice, too many, or of a type without order; or the table is declared with both layouts.

    Remedy: Choose other columns.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], partitioned_by=["day"])
    """

    code = "DS119"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every column that Delta refuses to partition or cluster by."""
        if not table.partitioned_by and not table.clustered_by:
            return
        columns = desired_state(table).columns
        faults = [*_partitioning(table, columns), *_clustering(table, columns)]
        if table.partitioned_by and table.clustered_by:
            message = "declares partitioned_by and clustered_by, which exclude each other"
            faults.append(Fault(message=message, remedy="keep one of them"))
        for fault in faults:
            yield violation(self, table.qualified_name, fault.path, fault.message, fault.remedy)


def _partitioning(table: Table, columns: tuple[ColumnState, ...]) -> Iterator[Fault]:
    for name in table.partitioned_by:
        column = find(columns, (name,))
        if column is None:
            message = f"partitioned_by names {name}, which is not a column"
            remedy = proposal(name, [column.name for column in columns], _DECLARE)
            yield Fault(path=part_path("layout"), message=message, remedy=remedy)
        elif not isinstance(column.data_type, str) or column.data_type in ("variant", "void"):
            kind = describe_type(column.data_type)
            message = f"partitioned_by names {name}, but Delta does not partition by {kind}"
            yield Fault(path=part_path("layout"), message=message, remedy="use an atomic column")
        elif column.value is not None and column.value.identity is not None:
            message = f"partitioned_by names the identity column {name}, which Delta refuses"
            yield Fault(path=part_path("layout"), message=message, remedy="use another column")
        elif "\0" in name:
            message = f"partitioned_by names {name!r}, and the names of partition folders cannot hold a null character"
            yield Fault(path=part_path("layout"), message=message, remedy="rename the column")
    for name in repeated_names(table.partitioned_by):
        yield Fault(path=part_path("layout"), message=f"partitioned_by names {name} twice", remedy="name it once")
    if columns and NameSet(table.partitioned_by) >= NameSet.of(columns):
        message = "is partitioned by all of its columns, so none is left for its files"
        yield Fault(message=message, remedy="leave one out")


def _clustering(table: Table, columns: tuple[ColumnState, ...]) -> Iterator[Fault]:
    with_statistics = None if _statistics_are_declared(table) else list(_leaves(columns))[:COLUMNS_WITH_STATISTICS]
    for name in table.clustered_by:
        path = clustering_path(columns, name)
        column = find(columns, path)
        if column is None or not _through_structs(columns, path):
            message = f"clustered_by names {name}, which is not a column or a field of a struct"
            remedy = proposal(name, map(str, _leaves(columns)), _DECLARE)
            yield Fault(path=part_path("layout"), message=message, remedy=remedy)
        elif not isinstance(column.data_type, str) or column.data_type in _UNORDERED:
            kind = describe_type(column.data_type)
            message = f"clustered_by names {name}, but Delta has no minimum and maximum of {kind}"
            yield Fault(path=part_path("layout"), message=message, remedy="use another column")
        elif with_statistics is not None and path not in with_statistics:
            fact = f"clustered_by names {name}, but Delta collects statistics of the first {COLUMNS_WITH_STATISTICS}"
            remedy = "declare the column earlier, or declare the property delta.dataSkippingStatsColumns"
            yield Fault(path=part_path("layout"), message=f"{fact} columns only", remedy=remedy)
    for name in repeated_names(table.clustered_by):
        yield Fault(path=part_path("layout"), message=f"clustered_by names {name} twice", remedy="name it once")
    if len(table.clustered_by) > MOST_CLUSTERING_COLUMNS:
        fact = f"is clustered by {len(table.clustered_by)} columns, and Delta allows {MOST_CLUSTERING_COLUMNS}"
        yield Fault(message=fact, remedy="keep the columns that readers filter by most")


def _statistics_are_declared(table: Table) -> bool:
    return not NameSet(table.table_properties).isdisjoint(_STATISTICS)


def _leaves(columns: tuple[ColumnState, ...], above: ColumnPath = TABLE) -> Iterator[ColumnPath]:
    """Yield the paths of the atomic columns and fields of structs, in order."""
    for column in columns:
        if isinstance(column.data_type, StructState):
            yield from _leaves(column.data_type.fields, above.child(column.name))
        elif isinstance(column.data_type, str):
            yield above.child(column.name)


def _through_structs(columns: tuple[ColumnState, ...], path: ColumnPath) -> bool:
    above = [find(columns, prefix) for prefix in path.parent.prefixes()]
    return all(column is not None and isinstance(column.data_type, StructState) for column in above)


class RewriteWithoutConsent:
    """The layout changes, or column mapping is removed, so all data has to be rewritten, without consent.

    Remedy: Declare the layout or the mode that the table has, or consent to the rewrite by name (``--delta-allow``).

    Example:
        columns = [Column("id", "bigint"), Column("day", "date")]
        stored = Table("dev", "silver", "orders", columns)
        model = Table("dev", "silver", "orders", columns, partitioned_by=["day"])
    """

    code = "DS216"

    def __init__(self, consents: Iterable[Consent] = ()) -> None:
        self.consents = tuple(consents)

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for a rewrite without consent."""
        if isinstance(action, CreateTable):
            return
        for missing in missing_consents(action, REWRITE, self.consents):
            for path, fact, kept in _rewrites(action):
                message = f"{fact} in the model, so all of its data has to be rewritten"
                yield violation(self, action.table, path, message, f"declare {kept}, or {missing.remedy}")


def _rewrites(action: AlignTable) -> Iterator[tuple[PartPath, str, str]]:
    """Yield what a rewrite changes: its path, the fact, and what to declare instead."""
    change = action.one(LayoutRewrite)
    if change is not None:
        before = describe_layout(action.observed.partitioning, action.observed.clustering)
        after = describe_layout(change.partitioning, change.clustering)
        yield part_path("layout"), f"is {before} and {after}", "the layout that it has"
    removal = action.one(ColumnMappingRemoval)
    if removal is not None:
        before = str(action.observed.table_properties[removal.key])
        fact = f"has column mapping by {before}, and {removal.key} is {removal.after or 'absent'}"
        yield part_path("properties", removal.key), fact, f"{removal.key}='{before}'"
