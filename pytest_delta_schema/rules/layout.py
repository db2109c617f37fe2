"""Rules about files: partitions and clustering, consent to a rewrite, and what a conversion finds."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_delta_schema.delta.fields import INTEGER_BITS, integer_limit
from pytest_delta_schema.delta.names import TABLE, ColumnPath, NameSet, folded, part_path, proposal, same_names
from pytest_delta_schema.plan.changes import ColumnMappingRemoval, ConvertTable, LayoutRewrite
from pytest_delta_schema.plan.table_changes import describe_layout
from pytest_delta_schema.rules.columns import repeated_names
from pytest_delta_schema.rules.consent import REWRITE, Consent, missing_consents
from pytest_delta_schema.rules.rule import AlignmentRule, BuiltInModelRule, Fault
from pytest_delta_schema.state.desired import clustering_path, desired_state
from pytest_delta_schema.state.states import DELTA, NOTHING, NULL_PARTITION, PARQUET, RESTORE_LOG
from pytest_delta_schema.state.types import StructState, describe_type, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.delta.names import PartPath
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.states import SourceState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


MOST_CLUSTERING_COLUMNS = 4
"""More columns are ``DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS`` (Delta 4.4.0)."""

COLUMNS_WITH_STATISTICS = 32
"""Delta collects statistics of the first columns by default, and clusters by no others.

Its error is ``DELTA_CLUSTERING_COLUMN_MISSING_STATS`` (Delta 4.4.0).
"""

_STATISTICS = ("delta.dataskippingnumindexedcols", "delta.dataskippingstatscolumns")
_DECLARE = "declare it, or leave it out"
_UNORDERED = ("boolean", "binary", "variant", "void")


class InvalidLayout(BuiltInModelRule):
    """A table is partitioned or clustered by columns that Delta refuses.

    They are missing, named twice, too many, or of a type without order; or the table is declared with both layouts.

    Remedy: Choose other columns.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], partitioned_by=["day"])
    """

    code = "DS119"

    def _faults(self, table: Table) -> Iterator[Fault]:
        if not table.partitioned_by and not table.clustered_by:
            return
        columns = desired_state(table).columns
        faults = [*_partitioning_faults(table, columns), *_clustering_faults(table, columns)]
        if table.partitioned_by and table.clustered_by:
            message = "declares partitioned_by and clustered_by, which exclude each other"
            faults.append(Fault(message, "keep one of them"))
        yield from faults


def _partitioning_faults(table: Table, columns: tuple[ColumnState, ...]) -> Iterator[Fault]:
    for name in table.partitioned_by:
        column = find(columns, (name,))
        if column is None:
            message = f"partitioned_by names {name}, which is not a column"
            remedy = proposal(name, [column.name for column in columns], _DECLARE)
            yield Fault(message, remedy, part_path("layout"))
        elif not isinstance(column.data_type, str) or column.data_type in ("variant", "void"):
            kind = describe_type(column.data_type)
            message = f"partitioned_by names {name}, but Delta does not partition by {kind}"
            yield Fault(message, "use an atomic column", part_path("layout"))
        elif column.value is not None and column.value.identity is not None:
            message = f"partitioned_by names the identity column {name}, which Delta refuses"
            yield Fault(message, "use another column", part_path("layout"))
        elif "\0" in name:
            message = f"partitioned_by names {name!r}, and the names of partition folders cannot hold a null character"
            yield Fault(message, "rename the column", part_path("layout"))
    for name in repeated_names(table.partitioned_by):
        yield Fault(f"partitioned_by names {name} twice", "name it once", part_path("layout"))
    if columns and NameSet(table.partitioned_by) >= NameSet.of(columns):
        message = "is partitioned by all of its columns, so none is left for its files"
        yield Fault(message, "leave one out")


def _clustering_faults(table: Table, columns: tuple[ColumnState, ...]) -> Iterator[Fault]:
    with_statistics = (
        list(_leaves(columns))[:COLUMNS_WITH_STATISTICS]
        if NameSet(table.table_properties).isdisjoint(_STATISTICS)
        else None
    )
    for name in table.clustered_by:
        path = clustering_path(columns, name)
        column = find(columns, path)
        if column is None or not _through_structs(columns, path):
            message = f"clustered_by names {name}, which is not a column or a field of a struct"
            remedy = proposal(name, map(str, _leaves(columns)), _DECLARE)
            yield Fault(message, remedy, part_path("layout"))
        elif not isinstance(column.data_type, str) or column.data_type in _UNORDERED:
            kind = describe_type(column.data_type)
            message = f"clustered_by names {name}, but Delta has no minimum and maximum of {kind}"
            yield Fault(message, "use another column", part_path("layout"))
        elif with_statistics is not None and path not in with_statistics:
            fact = f"clustered_by names {name}, but Delta collects statistics of the first {COLUMNS_WITH_STATISTICS}"
            remedy = "declare the column earlier, or declare the property delta.dataSkippingStatsColumns"
            yield Fault(f"{fact} columns only", remedy, part_path("layout"))
    for name in repeated_names(table.clustered_by):
        yield Fault(f"clustered_by names {name} twice", "name it once", part_path("layout"))
    if len(table.clustered_by) > MOST_CLUSTERING_COLUMNS:
        fact = f"is clustered by {len(table.clustered_by)} columns, and Delta allows {MOST_CLUSTERING_COLUMNS}"
        yield Fault(fact, "keep the columns that readers filter by most")


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


class RewriteWithoutConsent(AlignmentRule):
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

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        for missing in missing_consents(action, REWRITE, self.consents):
            for path, fact, kept in _rewrites(action):
                message = f"{fact} in the model, so all of its data has to be rewritten"
                yield Fault(message, f"declare {kept}, or {missing.remedy}", path)


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


class ConversionSourceMismatch(AlignmentRule):
    """The files of a conversion are not parquet of one schema, partitioned as the model declares.

    Remedy: Declare the columns of the folders in ``partitioned_by``, correct the path, or rewrite the files.

    Example:
        # The folder has files such as /lake/orders/day=2026-01-31/part-0.parquet.
        columns = [Column("id", "bigint"), Column("day", "date")]
        orders = Table("dev", "silver", "orders", columns, convert_from=Parquet("/lake/orders"))
    """

    code = "DS217"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        conversion = action.one(ConvertTable)
        if conversion is None:
            return
        for fault in _source_faults(action, conversion.source):
            yield Fault(fault.message, fault.remedy, part_path("format"))


def _source_faults(action: AlignTable, source: SourceState) -> Iterator[Fault]:
    if source.sign and source.provider != DELTA:
        fact = f"{source.path} holds the files of a Delta table whose log is gone (see {source.sign})"
        yield Fault(f"cannot be converted, because {fact}", RESTORE_LOG)
        return
    if source.provider == NOTHING:
        message = f"cannot be converted, because there are no files in {source.path}"
        drop, correct = "drop the empty table, and it is created", "correct the path, or leave it out"
        yield Fault(message, drop if source.is_registered else correct)
        return
    if source.provider == DELTA:
        return
    if source.provider != PARQUET:
        reason = f"{source.path} holds {source.provider}, and only parquet becomes Delta"
        remedy = f"rewrite it: spark.read.format({source.provider!r}).load(...).write.saveAsTable(...)"
        yield Fault(f"cannot be converted, because {reason}", remedy)
        return
    declared = action.desired.convert_from
    if source.is_registered and declared is not None and declared.path not in (None, source.path):
        message = f"is a parquet table at {source.path}, but the model declares the path {declared.path}"
        yield Fault(message, "leave the path out to convert the table, or give the model another name")
    if source.conflict:
        message = f"cannot be converted, because the schemas of its files do not merge: {source.conflict}"
        yield Fault(message, "rewrite that file")
    yield from _folder_faults(action, source)


def _folder_faults(action: AlignTable, source: SourceState) -> Iterator[Fault]:
    """Yield a fault for the first folder whose partition columns differ from the model in count, name or type."""
    wanted = action.desired.partitioning
    declared = _listed(wanted) if wanted else "nothing"
    for folder in source.folders:
        names = [part.partition("=")[0] for part in folder]
        if not same_names(names, wanted):
            actual = _listed(names) if names else "nothing"
            where = f"the folder {'/'.join(folder)}" if folder else "the folder itself"
            fact = f"is partitioned by {declared} in the model, and by {actual} in its files: first in {where}"
            yield Fault(fact, "declare the columns of the folders in partitioned_by, or rewrite the files")
            return
    for name, data_type in _partition_types(action):
        kind = describe_type(data_type)
        if kind == "timestamp_ntz" and not source.is_registered:
            fact = f"is partitioned by {name} as {kind} in the model, which CONVERT TO DELTA refuses (Delta 4.4.0)"
            yield Fault(fact, f"declare {name} as timestamp or string, or rewrite the files")
            continue
        index = [*map(folded, wanted)].index(folded(name))
        for folder in source.folders:
            _, _, text = folder[index].partition("=")
            value = unquote(text)
            if value != NULL_PARTITION and not _can_be_read_as(value, kind):
                fact = f"is partitioned by {name} as {kind} in the model, and {value!r} cannot be read as {kind}"
                message = f"{fact}: first in the folder {'/'.join(folder)}"
                yield Fault(message, f"declare {name} as string, or rename the folder")
                break


def _partition_types(action: AlignTable) -> Iterator[tuple[str, DataTypeState]]:
    for name in action.desired.partitioning:
        column = find(action.desired.columns, (name,))
        if column is not None:
            yield name, column.data_type


def _can_be_read_as(text: str, kind: str) -> bool:
    """Whether the value in the name of a folder can be read as a type."""
    try:
        if kind in INTEGER_BITS:
            return -integer_limit(kind) <= int(text) < integer_limit(kind)
        if kind == "date":
            date.fromisoformat(text)
        elif kind in ("timestamp", "timestamp_ntz"):
            datetime.fromisoformat(text)
        elif kind in ("float", "double") or kind.startswith("decimal"):
            Decimal(text)
        elif kind == "boolean":
            return text.lower() in ("true", "false")
    except (ValueError, InvalidOperation):
        return False
    return True


def _listed(names: list[str] | tuple[str, ...]) -> str:
    return f"{len(names)} column{'' if len(names) == 1 else 's'} ({', '.join(names)})"
