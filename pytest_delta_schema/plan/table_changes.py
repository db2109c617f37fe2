"""Changes of comments, properties, tags and layout, and the conversion to Delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import TABLE, ColumnPath, part_path
from pytest_delta_schema.delta.protocol import CLUSTERING_FEATURES, loss, missing_features, needed_by_property
from pytest_delta_schema.diagnostics.redaction import shown_property, shown_value
from pytest_delta_schema.plan.kinds import Change, ChangeLine, EnablingChange, Risk, Step, require_change
from pytest_delta_schema.state.delta_log import encode_owned
from pytest_delta_schema.state.states import DELTA, OWNED_PROPERTIES
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.state.states import SourceState, TableState
    from pytest_delta_schema.state.types import DataTypeState


@dataclass(frozen=True, slots=True, kw_only=True)
class SetColumnComments(Change):
    """A column or a field has another comment in the table than in the model.

    Remedy: Apply the model, or declare the comment that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint", comment="Order ID")])

    Args:
        comments: Comments by path, those of columns before those of fields; ``""`` clears one.
    """

    code = "DD118"
    drift = "ColumnCommentDiffers"
    aspect = "comments"
    step = Step.SET_COLUMN_COMMENTS
    own_risk = Risk.METADATA

    comments: Mapping[ColumnPath, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.comments))

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        for path, comment in self.comments.items():
            column = find(observed.columns, path)
            before = column.comment if column else ""
            yield ChangeLine.of(part_path("columns", path, "comment"), repr(before), repr(comment))


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableComment(Change):
    """The table has another comment than the model.

    Remedy: Apply the model, or declare the comment that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], comment="One row an order")
    """

    code = "DD119"
    drift = "TableCommentDiffers"
    aspect = "comments"
    step = Step.SET_TABLE_COMMENT
    own_risk = Risk.METADATA

    comment: str

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        yield ChangeLine.of(part_path("comment"), repr(observed.table_comment), repr(self.comment))


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableProperties(EnablingChange):
    """A declared table property is not in the table, or has another value there.

    Some properties enable a table feature, which older clients may not support; such a change has the risk
    ``feature``.

    Remedy: Apply the model, or declare the value that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        columns = [Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, table_properties={"team": "sales"})

    Args:
        properties: Sorted by key.
        enables: What it enables in the protocol of the table.
    """

    code = "DD120"
    drift = "PropertyDiffers"
    aspect = "properties"
    step = Step.SET_PROPERTIES
    own_risk = Risk.METADATA

    properties: Mapping[str, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.properties))

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        for key, value in self.properties.items():
            lost = loss(missing_features(needed_by_property(key, value), ()).intersection(self.enables))
            before = observed.table_properties.get(key)
            if key == OWNED_PROPERTIES and observed.owned_properties is not None:
                before = encode_owned(observed.owned_properties)
            if before != value:
                shown = None if before is None else shown_property(key, before)
                yield ChangeLine.of(part_path("properties", key), shown, repr(shown_value(value)), loss=lost)

    def _features(self) -> Iterable[str]:
        return frozenset().union(*(needed_by_property(key, value) for key, value in self.properties.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetTableProperties(Change):
    """The table has a property that the model wants to be absent.

    The model declares it with the value ``None``, or has set it before, as the setting ``owned_properties`` records.

    Remedy: Apply the model, or declare the property.

    Example:
        columns = [Column("id", "bigint")]
        stored = Table("dev", "silver", "orders", columns, table_properties={"team": "sales"})
        model = Table("dev", "silver", "orders", columns, table_properties={"team": None})
    """

    code = "DD121"
    drift = "UndeclaredProperty"
    aspect = "properties"
    step = Step.UNSET_PROPERTIES
    own_risk = Risk.METADATA

    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        require_change(self, bool(self.keys))

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        for key in self.keys:
            before = observed.table_properties.get(key)
            if key == OWNED_PROPERTIES:
                before = encode_owned(observed.owned_properties or ())
            yield ChangeLine.of(part_path("properties", key), shown_property(key, str(before)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMappingRemoval(Change):
    """The table uses column mapping, and the model declares ``delta.columnMapping.mode`` as ``none``, or as absent.

    An apply writes all data files again, under the names of the columns (Delta 4.4.0); it needs consent to the rewrite.

    Remedy: Apply the model, or declare the mode that the table has.

    Example:
        mapped = {"delta.columnMapping.mode": "name"}
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=mapped)
        unmapped = {"delta.columnMapping.mode": "none"}
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=unmapped)

    Args:
        key: The property of the mode, as it is spelled in the table.
        after: Its value; ``None`` if it is removed.
    """

    code = "DD127"
    drift = "ColumnMappingDeclaredOff"
    aspect = "properties"
    step = Step.REMOVE_COLUMN_MAPPING
    own_risk = Risk.REWRITE
    consent = "rewrite"

    key: str
    after: str | None

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        before = shown_property(self.key, str(observed.table_properties.get(self.key)))
        path = part_path("properties", self.key)
        yield ChangeLine.of(path, before, None if self.after is None else repr(self.after))


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTags(Change):
    """A declared tag is not on the table or the column, or has another value there.

    Remedy: Apply the model, or declare the value that the catalog has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "sales"})
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "finance"})

    Args:
        path: The column; empty for the table itself.
        tags: The values; ``""`` for a tag without one.
    """

    code = "DD122"
    drift = "TagDiffers"
    aspect = "tags"
    step = Step.SET_TAGS
    own_risk = Risk.METADATA

    path: ColumnPath = TABLE
    tags: Mapping[str, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.tags))

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        stored = observed.tags.get(self.path, {})
        for key, value in self.tags.items():
            before = stored.get(key)
            yield ChangeLine.of(_tag(self.path, key), None if before is None else repr(before), repr(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetTags(Change):
    """The table or a column has a tag that the model wants to be absent.

    Remedy: Apply the model, or declare the tag.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "sales"})
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": None})

    Args:
        path: The column under its name before any rename; empty for the table itself.
        keys: The tags.
    """

    code = "DD123"
    drift = "UndeclaredTag"
    aspect = "tags"
    step = Step.UNSET_TAGS
    own_risk = Risk.METADATA

    path: ColumnPath = TABLE
    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        require_change(self, bool(self.keys))

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        for key in self.keys:
            yield ChangeLine.of(_tag(self.path, key), repr(observed.tags[self.path][key]), None)


def _tag(path: ColumnPath, key: str) -> str:
    return part_path("columns", path, "tags", key) if path else part_path("tags", key)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteringChange(EnablingChange):
    """The table is clustered by other columns than the model declares.

    An apply changes how new rows are written; existing rows move when the table is optimized.

    Remedy: Apply the model, or declare the clustering that the table has (``clustered_by``).

    Example:
        columns = [Column("id", "bigint"), Column("day", "date")]
        stored = Table("dev", "silver", "orders", columns, clustered_by=["id"])
        model = Table("dev", "silver", "orders", columns, clustered_by=["day"])

    Args:
        before: The stored paths.
        after: The wanted paths; none for no clustering.
        enables: What it enables in the protocol of the table.
    """

    code = "DD124"
    drift = "ClusteringDiffers"
    aspect = "layout"
    step = Step.CHANGE_CLUSTERING
    own_risk = Risk.METADATA

    before: tuple[ColumnPath, ...]
    after: tuple[ColumnPath, ...]

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        before, after = describe_layout((), self.before), describe_layout((), self.after)
        yield ChangeLine.of(part_path("layout"), before, after, loss=loss(self.enables))

    def _features(self) -> Iterable[str]:
        return CLUSTERING_FEATURES if self.after else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutRewrite(EnablingChange):
    """The table is partitioned by other columns than the model declares.

    An apply writes all data again, and only with consent by name.

    Remedy: Declare the partitioning that the table has (``partitioned_by``), or consent to the rewrite
    (``--delta-allow``).

    Example:
        columns = [Column("id", "bigint"), Column("day", "date")]
        stored = Table("dev", "silver", "orders", columns)
        model = Table("dev", "silver", "orders", columns, partitioned_by=["day"])

    Args:
        partitioning: The columns by which the files will be partitioned.
        clustering: The paths by which rows will be clustered.
        enables: What it enables in the protocol of the table.
    """

    code = "DD125"
    drift = "PartitioningDiffers"
    aspect = "layout"
    step = Step.REWRITE_LAYOUT
    own_risk = Risk.REWRITE
    consent = "rewrite"

    partitioning: tuple[str, ...]
    clustering: tuple[ColumnPath, ...] = ()

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        before = describe_layout(observed.partitioning, observed.clustering)
        after = describe_layout(self.partitioning, self.clustering)
        yield ChangeLine.of(part_path("layout"), before, after, loss=loss(self.enables))

    def _features(self) -> Iterable[str]:
        return CLUSTERING_FEATURES if self.clustering else ()


def describe_layout(partitioning: tuple[str, ...], clustering: tuple[ColumnPath, ...]) -> str:
    """Write the partitioning or the clustering of a table."""
    if partitioning:
        return f"partitioned by ({', '.join(partitioning)})"
    return f"clustered by ({', '.join(map(str, clustering))})" if clustering else "neither partitioned nor clustered"


FORMAT = part_path("format")
"""The path of a conversion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertTable(Change):
    """The model converts files that are not a Delta table yet.

    An apply converts them in place (``CONVERT TO DELTA``); clients that read the files have to read the table then.

    Remedy: Apply the model, or remove ``convert_from`` from it.

    Example:
        columns = [Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, convert_from=Parquet("/lake/orders"))

    Args:
        source: The files.
        partitions: The columns by which their folders are partitioned, in order, with their types.
        statistics: Whether statistics of all files are collected.
        creates_schema: Whether the schema has to be created first.
    """

    code = "DD126"
    drift = "NotConverted"
    aspect = "conversion"
    step = Step.CONVERT
    own_risk = Risk.FEATURE

    source: SourceState
    partitions: tuple[tuple[str, DataTypeState], ...] = ()
    statistics: bool = True
    creates_schema: bool = False

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        source = self.source
        before = source.provider if source.is_registered else f"{source.provider} in {source.path}"
        lost = "clients that read parquet have to read the table" if source.provider != DELTA else ""
        yield ChangeLine.of(FORMAT, before, "delta", loss=lost)
