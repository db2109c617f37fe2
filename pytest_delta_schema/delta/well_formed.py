"""Whether the metadata and the protocol of a log have the form that Delta's protocol gives them.

Readers differ in what they do with other forms: Spark refuses most of them, and deltalake reads some (Delta 4.4.0).
"""

from __future__ import annotations

import json
import re
from json import JSONDecoder
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.decimal_types import is_decimal
from pytest_delta_schema.delta.field_metadata import CHAR_VARCHAR
from pytest_delta_schema.delta.folded_names import folded

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
_MAPPING_MODE = "delta.columnMapping.mode"
_MAPPING_MODES = ("none", "name", "id")
_VERSIONS = ("minReaderVersion", "minWriterVersion")
_FEATURES = ("readerFeatures", "writerFeatures")
_TYPE_CHANGES = "delta.typeChanges"


class MalformedLog(ValueError):  # noqa: N818 - the fault of a table, not of this program
    """Metadata or a protocol that Delta's protocol does not allow; the message names the part."""


def well_formed_schema(metadata: Any, protocol: Any) -> dict[str, Any]:
    """Return the parsed schema of a log whose newest metadata and protocol are well-formed.

    Args:
        metadata: The ``metaData`` action.
        protocol: The ``protocol`` action.

    Raises:
        MalformedLog: If they are not.
    """
    schema: dict[str, Any] | None = None
    fault = fault_in_protocol(protocol)
    if not fault:
        try:
            schema = _DECODER.decode(metadata["schemaString"])
        except (KeyError, RecursionError, TypeError, ValueError):
            fault = "a schema that is not JSON"
    fault = fault or fault_in_metadata(metadata, schema)
    if fault or schema is None:
        raise MalformedLog(fault)
    return schema


def _refuse_constant(name: str) -> None:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


_DECODER = JSONDecoder(parse_constant=_refuse_constant)


def fault_in_protocol(protocol: Any) -> str:
    """Return what is malformed in a ``protocol`` action; ``""`` if nothing is."""
    if not isinstance(protocol, dict):
        return "a protocol that is not an object"
    for key in _VERSIONS:
        if type(protocol.get(key)) is not int or protocol[key] < 1:
            return f"the {key} {_shown(protocol.get(key))}"
    for key in _FEATURES:
        features = protocol.get(key, [])
        if not isinstance(features, list) or not all(type(name) is str and name for name in features):
            return f"the {key} {_shown(features)}"
    return ""


def fault_in_metadata(metadata: Any, schema: Any) -> str:
    """Return what is malformed in a ``metaData`` action; ``""`` if nothing is.

    Types that this package does not know are not malformed, unless they are names of SQL or known ones with other
    arguments.

    Args:
        metadata: The action.
        schema: Its schema, parsed.
    """
    if not isinstance(metadata, dict):
        return "metadata that is not an object"
    return next(_faults(metadata, schema), "")


def _faults(metadata: Mapping[str, Any], schema: Any) -> Iterator[str]:
    """Yield the faults of an action; whatever follows the first one may follow from it."""
    if type(metadata.get("id")) is not str:
        yield f"the id {_shown(metadata.get('id'))}"
    yield from _faults_of_format(metadata.get("format"))
    for key in ("name", "description"):
        if metadata.get(key) is not None and type(metadata[key]) is not str:
            yield f"the {key} {_shown(metadata[key])}"
    if metadata.get("createdTime") is not None and type(metadata["createdTime"]) is not int:
        yield f"the createdTime {_shown(metadata['createdTime'])}"
    yield from _faults_of_configuration(metadata.get("configuration"))
    if not isinstance(schema, dict) or schema.get("type") != "struct":
        yield "a schema that is not a struct"
    else:
        yield from _faults_of_fields(schema.get("fields"))
        yield from _faults_of_partitioning(metadata.get("partitionColumns"), schema)


def _faults_of_format(value: Any) -> Iterator[str]:
    if not isinstance(value, dict) or value.get("provider") != "parquet" or not _are_texts(value.get("options")):
        yield f"the format {_shown(value)}"


def _faults_of_configuration(configuration: Any) -> Iterator[str]:
    if not isinstance(configuration, dict):
        yield f"the configuration {_shown(configuration)}"
    elif not _are_texts(configuration):
        key, value = next((key, value) for key, value in configuration.items() if type(value) is not str)
        yield f"the value {_shown(value)} of the property {key}"
    elif configuration.get(_MAPPING_MODE, "none") not in _MAPPING_MODES:
        yield f"the column mapping mode {_shown(configuration[_MAPPING_MODE])}"


def _faults_of_partitioning(names: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(names, list) or not all(type(name) is str for name in names):
        yield f"the partition columns {_shown(names)}"
    elif names:
        columns = {field["name"] for field in schema["fields"]}
        for name in names:
            if name not in columns:
                yield f"the partition column {name}, which is not among the columns"
        if len({folded(name) for name in names}) < len(names):
            yield f"the partition columns {_shown(names)}, of which two have one name"


def _faults_of_fields(fields: Any) -> Iterator[str]:
    """Yield the faults of the fields of a struct, or of the columns of a table."""
    if not isinstance(fields, list):
        yield f"the fields {_shown(fields)}"
    else:
        for field in fields:
            if _is_field(field):
                yield from (f"{fault} of the column {field['name']}" for fault in _faults_of_field(field))
            else:
                yield f"the field {_shown(field)}"
        if len({folded(field["name"]) for field in fields}) < len(fields):
            yield "two columns, or two fields of a struct, of one name"


def _is_field(field: Any) -> bool:
    return isinstance(field, dict) and type(field.get("name")) is str and type(field.get("nullable")) is bool


def _faults_of_field(field: Mapping[str, Any]) -> Iterator[str]:
    kind, metadata = field.get("type"), field.get("metadata", {})
    if type(kind) is not str or kind not in _ATOMIC:
        yield from _faults_of_type(kind)
    if not isinstance(metadata, dict):
        yield f"the metadata {_shown(metadata)}"
    elif metadata:
        yield from _faults_of_metadata(metadata)


def _faults_of_metadata(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults of the metadata of a field."""
    if type(metadata.get("comment", "")) is not str:
        yield f"the comment {_shown(metadata['comment'])}"
    text = metadata.get(CHAR_VARCHAR, "char(1)")
    if type(text) is not str or not _TEXT.fullmatch(text):
        yield f"the type {_shown(text)}"
    changes = metadata.get(_TYPE_CHANGES, [])
    if not isinstance(changes, list) or not all(map(_is_type_change, changes)):
        yield f"the type changes {_shown(changes)}"


def _is_type_change(change: Any) -> bool:
    return isinstance(change, dict) and all(
        type(kind) is str and (kind in _ATOMIC or is_decimal(kind))
        for kind in (change.get("fromType"), change.get("toType"))
    )


def _faults_of_type(kind: Any) -> Iterator[str]:
    if isinstance(kind, str):
        if kind not in _ATOMIC and not is_decimal(kind) and (kind in _SQL_NAMES or _FAMILY.match(kind)):
            yield f"the type {_shown(kind)}"
    elif not isinstance(kind, dict) or type(kind.get("type")) is not str:
        yield f"the type {_shown(kind)}"
    elif kind["type"] == "struct":
        yield from _faults_of_fields(kind.get("fields"))
    elif kind["type"] == "array":
        yield from _faults_of_parts(kind, "elementType", nullable="containsNull")
    elif kind["type"] == "map":
        yield from _faults_of_parts(kind, "keyType", "valueType", nullable="valueContainsNull")


def _faults_of_parts(kind: Mapping[str, Any], *parts: str, nullable: str) -> Iterator[str]:
    if type(kind.get(nullable)) is not bool:
        yield f"the {nullable} {_shown(kind.get(nullable))}"
    for part in parts:
        yield from _faults_of_type(kind.get(part))


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(type(text) is str for text in value.values())


def _shown(value: Any, longest: int = 60) -> str:
    text = json.dumps(value)
    return text if len(text) <= longest else f"{text[:longest]}..."
