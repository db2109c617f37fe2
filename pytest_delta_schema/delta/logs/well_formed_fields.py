"""Whether the fields in the schema of a log have the form that Delta's protocol and Spark give them (Spark 4.2.0)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.char_varchar import SHORT_NAMES, with_lengths_json
from pytest_delta_schema.delta.decimal_types import is_decimal
from pytest_delta_schema.delta.field_metadata import (
    CHAR_VARCHAR,
    COLLATIONS,
    DEFAULT,
    GENERATION_EXPRESSION,
    IDENTITY_EXPLICIT,
    IDENTITY_START,
    IDENTITY_STEP,
    PHYSICAL_NAME,
)
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.type_widening import widening

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ATOMIC = frozenset(
    {
        "binary",
        "boolean",
        "byte",
        "date",
        "double",
        "float",
        "integer",
        "long",
        "short",
        "string",
        "timestamp",
        "timestamp_ntz",
        "variant",
    }
)
"""The names of types in the schema of a log (source: Delta's protocol, "Primitive Types")."""

_SQL_NAMES = frozenset({"bigint", "int", "real", "smallint", "tinyint", "array", "map", "struct", ""})
"""Names of types in SQL, which are none in a log."""

_FAMILY = re.compile(r"\s*(decimal|char|varchar|array|map|struct)\b", re.IGNORECASE)
_TEXT = re.compile(r"(?:var)?char\([1-9][0-9]{0,8}\)|(?:array|map|struct)<.*>", re.DOTALL)
_TYPE_CHANGES = "delta.typeChanges"

_KINDS: Mapping[str, type] = {
    "comment": str,
    CHAR_VARCHAR: str,
    DEFAULT: str,
    "EXISTS_DEFAULT": str,
    GENERATION_EXPRESSION: str,
    "delta.invariants": str,
    PHYSICAL_NAME: str,
    "delta.columnMapping.id": int,
    IDENTITY_START: int,
    IDENTITY_STEP: int,
    IDENTITY_EXPLICIT: bool,
    "delta.identity.highWaterMark": int,
    _TYPE_CHANGES: list,
    COLLATIONS: dict,
}
"""The kinds of values of keys in the metadata of a field."""

_IDENTITY = frozenset({IDENTITY_START, IDENTITY_STEP, IDENTITY_EXPLICIT})
_ONLY_COMMENT = frozenset({"comment"})  # the metadata of most fields
_FIELD_KEYS = frozenset({"name", "type", "nullable", "metadata"})


def faults_of_struct(kind: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults of a struct, or of a schema; whatever follows the first one may follow from it."""
    yield from _faults_of_keys(kind, "fields")
    yield from _faults_of_fields(kind.get("fields"))


def _faults_of_fields(fields: Any) -> Iterator[str]:
    if not isinstance(fields, list):
        yield f"the fields {field_text(fields)}"
    else:
        for field in fields:
            if _is_field(field):
                yield from (f"{fault} of the column {field['name']}" for fault in _faults_of_field(field))
            else:
                yield f"the field {field_text(field)}"
        if len({folded(field["name"]) for field in fields}) < len(fields):
            yield "two columns, or two fields of a struct, of one name"


def _is_field(field: Any) -> bool:
    return (
        isinstance(field, dict)
        and type(field.get("name")) is str
        and type(field.get("nullable")) is bool
        and field.keys() <= _FIELD_KEYS
    )


def _faults_of_field(field: Mapping[str, Any]) -> Iterator[str]:
    kind, metadata = field.get("type"), field.get("metadata", {})
    if type(kind) is not str or kind not in _ATOMIC:
        yield from _faults_of_type(kind)
    if not isinstance(metadata, dict):
        yield f"the metadata {field_text(metadata)}"
    elif metadata and not (metadata.keys() == _ONLY_COMMENT and type(metadata["comment"]) is str):
        yield from _faults_of_metadata(metadata, kind)


def _faults_of_metadata(metadata: Mapping[str, Any], kind: Any) -> Iterator[str]:
    """Yield the faults of the metadata of a field of some type."""
    for key, value in metadata.items():
        if type(value) is not _KINDS.get(key, str) and (key in _KINDS or not _is_value(value)):
            yield f"the {key} {field_text(value)}"
    text = metadata.get(CHAR_VARCHAR)
    if text is not None and not (_TEXT.fullmatch(text) and with_lengths_json(kind, text) is not kind):
        yield f"the type {field_text(text)}"
    changes = metadata.get(_TYPE_CHANGES, ())
    if not all(map(_is_type_change, changes)):
        yield f"the type changes {field_text(changes)}"
    if len(_IDENTITY & metadata.keys()) not in {0, len(_IDENTITY)}:
        yield "the identity without its start, its step or how it is generated"
    collations = metadata.get(COLLATIONS, {})
    if not all(type(name) is str and "." in name for name in collations.values()) or (collations and kind == "long"):
        yield f"the collations {field_text(collations)}"


def _is_value(value: Any) -> bool:
    """Whether Spark takes a value in the metadata of a field: lists hold values of one kind."""
    if isinstance(value, dict):
        return all(map(_is_value, value.values()))
    if isinstance(value, list):
        return len({type(part) for part in value}) <= 1 and all(
            part is not None and not isinstance(part, list) and _is_value(part) for part in value
        )
    return True


def _is_type_change(change: Any) -> bool:
    """Whether Delta can have made a change of type."""
    if not isinstance(change, dict) or type(change.get("fieldPath", "")) is not str:
        return False
    if type(change.get("tableVersion", 0)) is not int:
        return False
    kinds = change.get("fromType"), change.get("toType")
    if not all(type(kind) is str and (kind in _ATOMIC or is_decimal(kind)) for kind in kinds):
        return False
    before, after = (SHORT_NAMES.get(str(kind), kind) for kind in kinds)
    return widening(before, after) is not None


def _faults_of_type(kind: Any) -> Iterator[str]:
    if isinstance(kind, str):
        if kind not in _ATOMIC and not is_decimal(kind) and _is_misspelled(kind):
            yield f"the type {field_text(kind)}"
    elif not isinstance(kind, dict) or type(kind.get("type")) is not str:
        yield f"the type {field_text(kind)}"
    elif kind["type"] == "struct":
        yield from faults_of_struct(kind)
    elif kind["type"] == "array":
        yield from _faults_of_parts(kind, "elementType", nullable="containsNull")
    elif kind["type"] == "map":
        yield from _faults_of_parts(kind, "keyType", "valueType", nullable="valueContainsNull")


def _is_misspelled(kind: str) -> bool:
    """Whether the name of a type is one of SQL, or that of a known type in another spelling or with other arguments."""
    return kind in _SQL_NAMES or kind.strip().lower() in _ATOMIC or _FAMILY.match(kind) is not None


def _faults_of_parts(kind: Mapping[str, Any], *parts: str, nullable: str) -> Iterator[str]:
    yield from _faults_of_keys(kind, nullable, *parts)
    if type(kind.get(nullable)) is not bool:
        yield f"the {nullable} {field_text(kind.get(nullable))}"
    for part in parts:
        yield from _faults_of_type(kind.get(part))


def _faults_of_keys(kind: Mapping[str, Any], *keys: str) -> Iterator[str]:
    if len(kind) > len(keys) + 1:
        others = sorted(kind.keys() - {"type", *keys})
        yield f"the keys {field_text(others)} of a {kind['type']}"


def field_text(value: Any, longest: int = 60) -> str:
    """Return a value as JSON, cut where it is long."""
    text = json.dumps(value)
    return text if len(text) <= longest else f"{text[:longest]}..."
