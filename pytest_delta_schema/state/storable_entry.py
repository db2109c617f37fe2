"""The part of a table that its catalog entry can store, because servers refuse the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.state.catalog_entry import is_collated
from pytest_delta_schema.state.type_traversal import atoms, is_storable, unstorable
from pytest_delta_schema.state.types import StructState, children

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.catalog_entry import LogState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState

PROPERTY_LIMIT = 255
"""The longest key and the longest value of a property that an entry holds, in UTF-16 units (Unity Catalog 0.6.0)."""

COMMENT_LIMIT = 65_535
"""The longest comment of a table or a column, in UTF-16 units (Unity Catalog 0.6.0)."""

_BLANK = "a blank name"

_SHOWN = 60
"""How many characters of a too long key messages show."""

_VOID = "void"


class Storable(NamedTuple):
    """The part of a log that an entry can store."""

    log: LogState
    left_out: tuple[str, ...] = ()
    """What the rest is, such as ``column v (void)``; nothing for most tables."""


def storable(log: LogState) -> Storable:
    """Leave out of a log what servers refuse to store.

    That is long properties and comments, void, types of newer clients, empty structs and blank names.

    The names of types are a closed list in the API of Unity Catalog 0.6.0 (``ColumnTypeName``).
    """
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
    schema = json.loads(log.schema)
    fields = [
        _without_comment(field) if field["name"] in uncommented else field
        for field in schema["fields"]
        if field["name"] not in odd
    ]
    rest = replace(
        log,
        schema=json.dumps({**schema, "fields": fields}),
        columns=tuple(
            column._replace(comment="") if column.name in uncommented else column
            for column in log.columns
            if column.name not in odd
        ),
        comment=log.comment if has_comment else "",
        partitioning=tuple(name for name in log.partitioning if name not in NameSet(odd)),
        configuration=MappingProxyType({key: value for key, value in log.configuration.items() if _fits(key, value)}),
    )
    return Storable(rest, left_out)


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
        and not any(not column.name.strip() or _malformed(column.data_type) for column in columns)
    )


def _why_not(column: ColumnState) -> str:
    """Return why an entry cannot store a column; ``""`` if it can."""
    if _has_void(column.data_type):
        return "void"
    parts = unstorable(column.data_type, ColumnPath(column.name))
    odd = ", ".join(name for _, name in parts if not is_collated(name))
    return odd or _malformed(column.data_type) or ("" if column.name.strip() else _BLANK)


@lru_cache(maxsize=1024)
def _malformed(data_type: DataTypeState) -> str:
    """Return why servers refuse a type that has only known parts; ``""`` if they store it."""
    if isinstance(data_type, StructState) and not data_type.fields:
        return "a struct without fields"
    parts = children(data_type)
    if not all(part.name.strip() for part in parts):
        return _BLANK
    return next(filter(None, (_malformed(part.data_type) for part in parts)), "")


def _has_void(data_type: DataTypeState) -> bool:
    return data_type == _VOID or any(_has_void(part.data_type) for part in children(data_type))
