"""Catalog entries: what a Unity Catalog server stores about a table, outside the table's Delta log.

Readers that use the catalog alone see the entry. For external tables nothing synchronises it with the log.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.delta.names import ColumnPath, NameMap, NameSet, folded
from pytest_delta_schema.delta.properties import TABLE_ID
from pytest_delta_schema.delta.protocol import ONE_WAY, is_in_no_log
from pytest_delta_schema.state.spark_types import is_storable, unstorable
from pytest_delta_schema.state.types import ArrayState, MapState, StructState, atoms, children, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.delta_log import LogFacts
    from pytest_delta_schema.state.types import ColumnState, DataTypeState

MANAGED = "MANAGED"


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


def is_written_by_server(key: str) -> bool:
    """Whether servers write a property into entries by themselves (Unity Catalog 0.6.0)."""
    return is_in_no_log(key) or key == TABLE_ID or folded(key).startswith(ONE_WAY)


def entry_columns(columns: tuple[ColumnState, ...], partitioning: tuple[str, ...]) -> tuple[EntryColumn, ...]:
    """Return the columns of a catalog entry that shows what a log has."""
    if not partitioning:
        return tuple([_entry_column(column, None) for column in columns])
    partition_indexes = NameMap((name, index) for index, name in enumerate(partitioning))
    return tuple(_entry_column(column, partition_indexes.get(column.name)) for column in columns)


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
    return _ShownType(text, type_name(data_type), *decimal_parts(data_type))


_TYPE_NAMES = {
    "bigint": "LONG",
    "int": "INT",
    "smallint": "SHORT",
    "tinyint": "BYTE",
    "void": "NULL",
}
"""Names of Unity Catalog for types that have a different name in Spark (source: its REST API, ColumnTypeName)."""


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
    kind = type_text(data_type).split("(", 1)[0].split("<", 1)[0]
    return _TYPE_NAMES.get(kind, kind.upper())


def decimal_parts(data_type: DataTypeState) -> tuple[int | None, int | None]:
    """Return precision and scale of a decimal, and ``None`` for other types."""
    if not isinstance(data_type, str) or not data_type.startswith("decimal("):
        return None, None
    precision, scale = data_type[len("decimal(") : -1].split(",")
    return int(precision), int(scale)


_COLLATED = "string collate "


def is_collated(atom: str) -> bool:
    """Whether an atomic type is a string with a collation, which servers store in the metadata of a field."""
    return atom.startswith(_COLLATED)


PROPERTY_LIMIT = 255
"""The longest key and the longest value of a property that an entry holds, in UTF-16 units (Unity Catalog 0.6.0)."""

COMMENT_LIMIT = 65_535
"""The longest comment of a table or a column, in UTF-16 units (Unity Catalog 0.6.0)."""

DEEPEST = 100
"""The deepest nesting of types with which entries are compared and written, since types are traversed by recursion."""

NAME_LIMIT = 255
"""The longest name of a column, in UTF-16 units; the server refuses updates with longer ones (Unity Catalog 0.6.0)."""

_BLANK = "a blank name"

_SHOWN = 60
"""How many characters of a too long key messages show."""

_VOID = "void"


class Storable(NamedTuple):
    """The part of a log that an entry can store."""

    log: LogFacts
    left_out: tuple[str, ...] = ()
    """What the rest is, such as ``column v (void)``; nothing for most tables."""


def storable(log: LogFacts) -> Storable:
    """Leave out of a log what servers refuse to store: types that Unity Catalog 0.6.0 does not list."""
    fit = _all_fit(log.columns)
    odd = {} if fit else {column.name: why for column in log.columns if (why := _why_not(column))}
    long = long_properties(log.configuration)
    has_comment = utf16_length(log.comment) <= COMMENT_LIMIT
    uncommented = {column.name for column in log.columns if utf16_length(column.comment) > COMMENT_LIMIT}
    if not odd and not long and has_comment and not uncommented:
        return Storable(log)
    left_out = (
        *(f"column {name} ({why})" for name, why in odd.items()),
        *([] if has_comment else [f"the comment ({utf16_length(log.comment)} characters)"]),
        *(
            f"the comment of column {column.name} ({utf16_length(column.comment)} characters)"
            for column in log.columns
            if column.name in uncommented - odd.keys()
        ),
        *(f"property {key}" for key in long),
    )
    fields = [
        _without_comment(field) if field["name"] in uncommented else field
        for field in log.schema["fields"]
        if field["name"] not in odd
    ]
    rest = {
        "description": log.comment if has_comment else "",
        "partitionColumns": [name for name in log.partitioning if name not in NameSet(odd)],
        "configuration": {key: value for key, value in log.configuration.items() if _fits(key, value)},
    }
    held = replace(log, metadata={**log.metadata, **rest}, parsed={**log.schema, "fields": fields})
    return Storable(held, left_out)


def long_properties(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Describe the properties that no entry can store, such as ``note (a value of 300 characters)``."""
    return tuple(
        f"{key} (a value of {utf16_length(value)} characters)"
        if utf16_length(key) <= PROPERTY_LIMIT
        else f"{key[:_SHOWN]}... (a key of {utf16_length(key)} characters)"
        for key, value in properties.items()
        if not _fits(key, value)
    )


def _fits(key: str, value: str) -> bool:
    return utf16_length(key) <= PROPERTY_LIMIT and utf16_length(value) <= PROPERTY_LIMIT


def utf16_length(text: str) -> int:
    """Return the length of a text as Java counts it: a character beyond U+FFFF, such as an emoji, counts twice."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def _without_comment(field: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in field["metadata"].items() if key != "comment"}
    return {**field, "metadata": metadata}


def _all_fit(columns: tuple[ColumnState, ...]) -> bool:
    """Whether an entry can store all columns, which those of nearly all tables are; see :func:`_why_not`."""
    names = atoms([column.data_type for column in columns])
    return (
        _VOID not in names
        and all(is_storable(name) or is_collated(name) for name in names)
        and not any(_why_no_name(column.name) or _malformed(column.data_type) for column in columns)
    )


def _why_not(column: ColumnState) -> str:
    """Return why an entry cannot store a column; ``""`` if it can."""
    if _VOID in atoms([column.data_type]):
        return "void"
    parts = unstorable(column.data_type, ColumnPath(column.name))
    odd = ", ".join(name for _, name in parts if not is_collated(name))
    return odd or _malformed(column.data_type) or _why_no_name(column.name)


def _why_no_name(name: str) -> str:
    length = utf16_length(name)
    return f"a name of {length} characters" if length > NAME_LIMIT else "" if name.strip() else _BLANK


@lru_cache(maxsize=1024)
def _malformed(data_type: DataTypeState, levels: int = DEEPEST) -> str:
    """Return why an entry cannot have a type that has only known parts and so many levels at most; ``""`` if it can."""
    if isinstance(data_type, StructState) and not data_type.fields:
        return "a struct without fields"
    parts = children(data_type)
    if parts and not levels:
        return f"nested deeper than {DEEPEST} levels"
    if not all(part.name.strip() for part in parts):
        return _BLANK
    return next(filter(None, (_malformed(part.data_type, levels - 1) for part in parts)), "")
