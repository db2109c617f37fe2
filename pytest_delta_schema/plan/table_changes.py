"""Changes of comments, properties, tags and layout, and the conversion to Delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.names import TABLE, ColumnPath, part_path
from pytest_delta_schema.delta.protocol import CLUSTERING_FEATURES, loss, missing_features, needed_by_property
from pytest_delta_schema.diagnostics.redaction import shown_property, shown_value
from pytest_delta_schema.plan.kinds import (
    ABSENT,
    ADD,
    CHANGE,
    DROP,
    ChangeKind,
    ChangeLine,
    Risk,
    Step,
    declare,
    require_change,
)
from pytest_delta_schema.state.delta_log import encode_owned
from pytest_delta_schema.state.states import DELTA, OWNED_PROPERTIES
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.state.states import SourceState, TableState
    from pytest_delta_schema.state.types import DataTypeState


__all__ = [
    "ClusteringChange",
    "ColumnMappingRemoval",
    "ConvertTable",
    "LayoutRewrite",
    "SetColumnComments",
    "SetTableComment",
    "SetTableProperties",
    "SetTags",
    "UnsetTableProperties",
    "UnsetTags",
]


def _column_comment_lines(change: SetColumnComments, observed: TableState) -> Iterator[ChangeLine]:
    for path, comment in change.comments.items():
        column = find(observed.columns, path)
        before = column.comment if column else ""
        yield ChangeLine(CHANGE, part_path("columns", path, "comment"), repr(before), repr(comment))


class ColumnCommentDiffers:
    """A column or a field has another comment in the table than in the model.

    Remedy: Apply the model, or declare the comment that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint", comment="Order ID")])
    """

    code = "DD118"


@declare(
    ChangeKind(
        aspect="comments",
        drift=ColumnCommentDiffers,
        step=Step.SET_COLUMN_COMMENTS,
        risk=Risk.METADATA,
        describe=_column_comment_lines,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SetColumnComments:
    """Set the comments of columns and fields, new ones included.

    Args:
        comments: Comments by path, those of columns before those of fields; ``""`` clears one.
    """

    comments: Mapping[ColumnPath, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.comments))


def _table_comment_lines(change: SetTableComment, observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(CHANGE, part_path("comment"), repr(observed.table_comment), repr(change.comment))


class TableCommentDiffers:
    """The table has another comment than the model.

    Remedy: Apply the model, or declare the comment that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], comment="One row an order")
    """

    code = "DD119"


@declare(
    ChangeKind(
        aspect="comments",
        drift=TableCommentDiffers,
        step=Step.SET_TABLE_COMMENT,
        risk=Risk.METADATA,
        describe=_table_comment_lines,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableComment:
    """Set the table's comment; ``""`` clears it."""

    comment: str


def _property_set_lines(change: SetTableProperties, observed: TableState) -> Iterator[ChangeLine]:
    for key, value in change.properties.items():
        lost = loss(missing_features(needed_by_property(key, value), ()).intersection(change.enables))
        before = observed.table_properties.get(key)
        if key == OWNED_PROPERTIES and observed.owned_properties is not None:
            before = encode_owned(observed.owned_properties)
        after = repr(shown_value(value))
        if before is None:
            yield ChangeLine(ADD, part_path("properties", key), ABSENT, after, loss=lost)
        elif before != value:
            yield ChangeLine(CHANGE, part_path("properties", key), shown_property(key, before), after, loss=lost)


def _property_features(change: SetTableProperties) -> frozenset[str]:
    return frozenset().union(*(needed_by_property(key, value) for key, value in change.properties.items()))


class PropertyDiffers:
    """A declared table property is not in the table, or has another value there.

    Some properties enable a table feature, which older clients may not support; such a change has the risk
    ``feature``.

    Remedy: Apply the model, or declare the value that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], table_properties={"team": "sales"}
        )
    """

    code = "DD120"


@declare(
    ChangeKind(
        aspect="properties",
        drift=PropertyDiffers,
        step=Step.SET_PROPERTIES,
        risk=Risk.METADATA,
        describe=_property_set_lines,
        features=_property_features,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableProperties:
    """Set properties.

    Args:
        properties: Sorted by key.
        enables: What they enable in the protocol of the table.
    """

    properties: Mapping[str, str]
    enables: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_change(self, bool(self.properties))


def _property_unset_lines(change: UnsetTableProperties, observed: TableState) -> Iterator[ChangeLine]:
    for key in change.keys:
        before = observed.table_properties.get(key)
        if key == OWNED_PROPERTIES:
            before = encode_owned(observed.owned_properties or ())
        yield ChangeLine(DROP, part_path("properties", key), shown_property(key, str(before)), ABSENT)


class UndeclaredProperty:
    """The table has a property that the model wants to be absent.

    The model declares it with the value ``None``, or has set it before, as the setting ``owned_properties`` records.

    Remedy: Apply the model, or declare the property.

    Example:
        stored = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], table_properties={"team": "sales"}
        )
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], table_properties={"team": None}
        )
    """

    code = "DD121"


@declare(
    ChangeKind(
        aspect="properties",
        drift=UndeclaredProperty,
        step=Step.UNSET_PROPERTIES,
        risk=Risk.METADATA,
        describe=_property_unset_lines,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetTableProperties:
    """Remove the properties ``keys``, sorted and spelled as stored."""

    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        require_change(self, bool(self.keys))


def _removal_lines(change: ColumnMappingRemoval, observed: TableState) -> Iterator[ChangeLine]:
    before = shown_property(change.key, str(observed.table_properties.get(change.key)))
    path = part_path("properties", change.key)
    if change.after is None:
        yield ChangeLine(DROP, path, before, ABSENT)
    else:
        yield ChangeLine(CHANGE, path, before, repr(change.after))


class ColumnMappingDeclaredOff:
    """The table uses column mapping, and the model declares ``delta.columnMapping.mode`` as ``none``, or as absent.

    An apply writes all data files again, under the names of the columns (Delta 4.4.0); it needs consent to the rewrite.

    Remedy: Apply the model, or declare the mode that the table has.

    Example:
        mapped = {"delta.columnMapping.mode": "name"}
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=mapped)
        unmapped = {"delta.columnMapping.mode": "none"}
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=unmapped)
    """

    code = "DD127"


@declare(
    ChangeKind(
        aspect="properties",
        drift=ColumnMappingDeclaredOff,
        step=Step.REMOVE_COLUMN_MAPPING,
        risk=Risk.REWRITE,
        describe=_removal_lines,
        consent="rewrite",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMappingRemoval:
    """Write all data again without column mapping.

    Args:
        key: The property of the mode, as it is spelled in the table.
        after: Its value; ``None`` if it is removed.
    """

    key: str
    after: str | None


def _tag_set_lines(change: SetTags, observed: TableState) -> Iterator[ChangeLine]:
    return set_tags_lines(change, observed.tags.get(change.path, {}))


class TagDiffers:
    """A declared tag is not on the table or the column, or has another value there.

    Remedy: Apply the model, or declare the value that the catalog has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "sales"})
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "finance"})
    """

    code = "DD122"


@declare(ChangeKind(aspect="tags", drift=TagDiffers, step=Step.SET_TAGS, risk=Risk.METADATA, describe=_tag_set_lines))
@dataclass(frozen=True, slots=True, kw_only=True)
class SetTags:
    """Set tags, sorted by key.

    Args:
        path: The column; empty for the table itself.
        tags: The values; ``""`` for a tag without one.
    """

    path: ColumnPath = TABLE
    tags: Mapping[str, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.tags))


def _tag_unset_lines(change: UnsetTags, observed: TableState) -> Iterator[ChangeLine]:
    for key in change.keys:
        yield ChangeLine(DROP, _tag(change.path, key), repr(observed.tags[change.path][key]), ABSENT)


class UndeclaredTag:
    """The table or a column has a tag that the model wants to be absent.

    Remedy: Apply the model, or declare the tag.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "sales"})
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": None})
    """

    code = "DD123"


@declare(
    ChangeKind(aspect="tags", drift=UndeclaredTag, step=Step.UNSET_TAGS, risk=Risk.METADATA, describe=_tag_unset_lines)
)
@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetTags:
    """Remove the tags ``keys``, sorted.

    Args:
        path: The column under its name before any rename; empty for the table itself.
        keys: The tags.
    """

    path: ColumnPath = TABLE
    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        require_change(self, bool(self.keys))


def set_tags_lines(change: SetTags, stored: Mapping[str, str | None]) -> Iterator[ChangeLine]:
    """Yield a line for each tag that is set."""
    for key, value in change.tags.items():
        before = stored.get(key)
        marker, text = (ADD, ABSENT) if before is None else (CHANGE, repr(before))
        yield ChangeLine(marker, _tag(change.path, key), text, repr(value))


def _tag(path: ColumnPath, key: str) -> str:
    return part_path("columns", path, "tags", key) if path else part_path("tags", key)


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


def describe_layout(partitioning: tuple[str, ...], clustering: tuple[ColumnPath, ...]) -> str:
    """Write the partitioning or the clustering of a table."""
    if partitioning:
        return f"partitioned by ({', '.join(partitioning)})"
    return f"clustered by ({', '.join(map(str, clustering))})" if clustering else "neither partitioned nor clustered"


FORMAT = part_path("format")
"""The path of a conversion."""


def _convert_lines(change: ConvertTable, _observed: TableState) -> Iterator[ChangeLine]:
    source = change.source
    before = source.provider if source.is_registered else f"{source.provider} in {source.path}"
    lost = "clients that read parquet have to read the table" if source.provider != DELTA else ""
    yield ChangeLine(CHANGE, FORMAT, before, "delta", loss=lost)


class NotConverted:
    """The model converts files that are not a Delta table yet.

    An apply converts them in place (``CONVERT TO DELTA``); clients that read the files have to read the table then.

    Remedy: Apply the model, or remove ``convert_from`` from it.

    Example:
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], convert_from=Parquet("/lake/orders")
        )
    """

    code = "DD126"


@declare(
    ChangeKind(aspect="conversion", drift=NotConverted, step=Step.CONVERT, risk=Risk.FEATURE, describe=_convert_lines)
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertTable:
    """Convert files to a Delta table in place; everything else that the model declares follows as other changes.

    Args:
        source: The files.
        partitions: The columns by which their folders are partitioned, in order, with their types.
        statistics: Whether statistics of all files are collected.
        creates_schema: Whether the schema has to be created first.
    """

    source: SourceState
    partitions: tuple[tuple[str, DataTypeState], ...] = ()
    statistics: bool = True
    creates_schema: bool = False


AnyTableChange = Union[  # noqa: UP007 - a union at run time
    ClusteringChange,
    ColumnMappingRemoval,
    ConvertTable,
    LayoutRewrite,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    SetTags,
    UnsetTableProperties,
    UnsetTags,
]
