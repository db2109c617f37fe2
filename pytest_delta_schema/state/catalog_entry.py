"""Catalog entries: what a Unity Catalog server stores about a table, outside the table's Delta log.

Readers that use the catalog alone see the entry. For external tables nothing synchronises it with the log.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.folded_names import NameMap
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState, DataTypeState

MANAGED = "MANAGED"

SERVER_PROPERTIES = (
    "delta.lastUpdateVersion",
    "delta.lastCommitTimestamp",
    "delta.minReaderVersion",
    "delta.minWriterVersion",
    "delta.clusteringColumns",
    "delta.rowTracking.rowIdHighWaterMark",
    "clusteringColumns",
    "io.unitycatalog.tableId",
)
"""Properties that servers write into entries by themselves (Unity Catalog 0.6.0)."""

SERVER_PREFIXES = ("delta.feature.", "option.")
"""Prefixes of such properties."""

_COLLATED = "string collate "

_TYPE_NAMES = {
    "bigint": "LONG",
    "int": "INT",
    "smallint": "SHORT",
    "tinyint": "BYTE",
    "void": "NULL",
}
"""Names of Unity Catalog for types that have a different name in Spark (source: its REST API, ColumnTypeName)."""


class EntryColumn(NamedTuple):
    """One column of an entry.

    Args:
        name: As it is written.
        text: Its type as text, such as ``decimal(10,2)``.
        data_type: The type that its JSON describes, nested nullability included; ``None`` without JSON.
        type_name: The name of its type, such as ``DECIMAL``.
        precision: Of a decimal; ``None`` where an entry leaves it to the text.
        scale: Of a decimal; ``None`` as above.
        is_nullable: Whether it may be NULL.
        comment: ``""`` if there is none.
        partition_index: Its index among the partition columns; ``None`` if it is not one of them.
        json_comment: The comment in its JSON, where clients may look for it, too.
    """

    name: str
    text: str
    data_type: DataTypeState | None
    type_name: str
    precision: int | None
    scale: int | None
    is_nullable: bool
    comment: str
    partition_index: int | None
    json_comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryState:
    """The entry of one table.

    Args:
        name: The table's name.
        table_id: The catalog's own id of it.
        table_type: ``MANAGED``, ``EXTERNAL``, or another kind, such as ``VIEW``.
        data_format: ``DELTA``, or a different format.
        location: Where its files are; ``""`` if the entry does not say. Not shown: such a URI may hold a signature.
        owner: Who owns it; ``""`` if nobody is named.
        columns: In the order of their positions.
        comment: ``""`` if there is none.
        properties: As the catalog shows them.
        version: The version of the log that the entry shows; ``None`` if it does not say.
    """

    name: QualifiedName
    table_id: str
    table_type: str
    data_format: str
    location: str = field(repr=False)
    owner: str
    columns: tuple[EntryColumn, ...]
    comment: str
    properties: Mapping[str, str]
    version: int | None = None

    @property
    def is_managed(self) -> bool:
        """Whether the catalog manages the files; whether it also commits to the log is only known by the log."""
        return self.table_type == MANAGED


@dataclass(frozen=True, slots=True, kw_only=True)
class LogState:
    """The metadata of a Delta log with which a catalog entry is compared.

    Args:
        schema: The schema, as the text in JSON that the log has.
        columns: The columns of that schema.
        comment: ``""`` if there is none.
        partitioning: The partition columns, in order.
        configuration: All table properties.
        version: The newest version.
        is_catalog_managed: Whether the catalog commits to the log, so nobody else may write the entry.
    """

    schema: str
    columns: tuple[ColumnState, ...]
    comment: str
    partitioning: tuple[str, ...]
    configuration: Mapping[str, str]
    version: int
    is_catalog_managed: bool = False


def is_collated(atom: str) -> bool:
    """Whether an atomic type is a string with a collation, which servers store in the metadata of a field."""
    return atom.startswith(_COLLATED)


def entry_columns(columns: tuple[ColumnState, ...], partitioning: tuple[str, ...]) -> tuple[EntryColumn, ...]:
    """Return the columns of a catalog entry that shows what a log has."""
    if not partitioning:
        return tuple([_entry_column(column, None) for column in columns])
    partition_indexes = NameMap((name, index) for index, name in enumerate(partitioning))
    return tuple(_entry_column(column, partition_indexes.get(column.name)) for column in columns)


def type_text(data_type: DataTypeState) -> str:
    """Return a type as entries have it: without nullability, and with strings for char and varchar."""
    if isinstance(data_type, StructState):
        return f"struct<{','.join(f'{field.name}:{type_text(field.data_type)}' for field in data_type.fields)}>"
    if isinstance(data_type, ArrayState):
        return f"array<{type_text(data_type.element)}>"
    if isinstance(data_type, MapState):
        return f"map<{type_text(data_type.key)},{type_text(data_type.value)}>"
    return "string" if is_collated(data_type) else str(plain(data_type))


def type_name(data_type: DataTypeState) -> str:
    """Return the name of a type in entries."""
    return _named(type_text(data_type))


def _named(text: str) -> str:
    kind = text.split("(", 1)[0].split("<", 1)[0]
    return _TYPE_NAMES.get(kind, kind.upper())


def decimal_parts(data_type: DataTypeState) -> tuple[int | None, int | None]:
    """Return precision and scale of a decimal, and ``None`` for other types."""
    if not isinstance(data_type, str) or not data_type.startswith("decimal("):
        return None, None
    precision, scale = data_type[len("decimal(") : -1].split(",")
    return int(precision), int(scale)


def is_written_by_server(key: str) -> bool:
    """Whether servers write a property by themselves."""
    return key in SERVER_PROPERTIES or key.startswith(SERVER_PREFIXES)


def _entry_column(column: ColumnState, partition_index: int | None) -> EntryColumn:
    data_type = _shown_type(column.data_type)
    return EntryColumn(
        name=column.name,
        text=data_type.text,
        data_type=column.data_type,
        type_name=data_type.name,
        precision=data_type.precision,
        scale=data_type.scale,
        is_nullable=column.is_nullable,
        comment=column.comment,
        partition_index=partition_index,
        json_comment=column.comment,
    )


class _ShownType(NamedTuple):
    """A type as entries have it."""

    text: str
    name: str
    precision: int | None
    scale: int | None


@lru_cache(maxsize=1024)
def _shown_type(data_type: DataTypeState) -> _ShownType:
    text = type_text(data_type)
    return _ShownType(text, _named(text), *decimal_parts(data_type))
