"""Find what Delta's protocol and Spark do not allow in the metadata and the protocol of a log (Spark 4.2.0)."""

from __future__ import annotations

import json
import re
from json import JSONDecoder
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.char_varchar import SHORT_NAMES, with_lengths_json
from pytest_delta_schema.delta.fields import (
    CHAR_VARCHAR,
    COLLATIONS,
    DEFAULT,
    GENERATION_EXPRESSION,
    IDENTITY_EXPLICIT,
    IDENTITY_START,
    IDENTITY_STEP,
    ONLY_COMMENT,
    PHYSICAL_NAME,
    is_decimal,
    metadata_of,
    widening,
)
from pytest_delta_schema.delta.log_files import is_long
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.delta.protocol import COLUMN_MAPPING, MAPPING_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class MalformedLog(ValueError):  # noqa: N818 - the fault of a table, not of this program
    """Metadata or a protocol that Delta's protocol does not allow; the message names the part."""


TOO_DEEP = "a schema that is nested too deeply"


def well_formed_schema(metadata: Any, protocol: Any) -> dict[str, Any]:
    """Return the parsed schema of a log whose newest metadata and protocol are well-formed."""
    schema: dict[str, Any] | None = None
    fault = fault_in_protocol(protocol)
    if not fault:
        try:
            schema = _parsed_schema(metadata["schemaString"])
        except RecursionError:
            fault = TOO_DEEP
        except (KeyError, TypeError, ValueError):
            fault = "a schema that is not JSON"
    try:
        fault = fault or fault_in_metadata(metadata, schema)
    except RecursionError:
        fault = TOO_DEEP
    if fault or schema is None:
        raise MalformedLog(fault)
    return schema


def _parsed_schema(text: str) -> dict[str, Any]:
    schema: dict[str, Any] = _DECODER.decode(text)
    if "\\" in text or not text.isascii():
        json.dumps(schema, ensure_ascii=False).encode()
    return schema


def _refuse_constant(name: str) -> None:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def _without_doubled_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        msg = "an object has a key twice"
        raise ValueError(msg)
    return result


_DECODER = JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_without_doubled_keys)


def with_texts(metadata: Any) -> Any:
    """Return a ``metaData`` action with texts instead of numbers and booleans, as Spark reads them (Delta 4.4.0)."""
    if not isinstance(metadata, dict):
        return metadata
    changed = {key: _text(metadata[key]) for key in _TEXT_KEYS & metadata.keys()}
    configuration = metadata.get("configuration")
    if isinstance(configuration, dict) and not _are_texts(configuration):
        changed["configuration"] = {key: _text(value) for key, value in configuration.items()}
    return {**metadata, **changed}


_TEXT_KEYS = frozenset({"id", "name", "description"})


def _text(value: Any) -> Any:
    return json.dumps(value) if type(value) in {bool, int} else value


_VERSION_KEYS = ("minReaderVersion", "minWriterVersion")
_FEATURE_LISTS = {"readerFeatures": ("minReaderVersion", 3), "writerFeatures": ("minWriterVersion", 7)}
"""The lists of features in a protocol, each with the only version in which there is one."""

_NEEDED_BY = {
    "clustering": {"domainMetadata"},
    "icebergCompatV1": {COLUMN_MAPPING},
    "icebergCompatV2": {COLUMN_MAPPING},
    "icebergCompatV3": {COLUMN_MAPPING, "rowTracking"},
    "rowTracking": {"domainMetadata"},
}
"""Features that need others, without which Delta refuses the protocol (Delta 4.4.0)."""


def fault_in_protocol(protocol: Any) -> str:
    """Return what is malformed in a ``protocol`` action; ``""`` if nothing is."""
    if not isinstance(protocol, dict):
        return "a protocol that is not an object"
    for key in _VERSION_KEYS:
        if type(protocol.get(key)) is not int or protocol[key] < 1:
            return f"the {key} {field_text(protocol.get(key))}"
    for key in _FEATURE_LISTS:
        features = protocol.get(key, [])
        if not isinstance(features, list) or not all(type(name) is str and name for name in features):
            return f"the {key} {field_text(features)}"
    return _fault_in_features(protocol)


def _fault_in_features(protocol: Mapping[str, Any]) -> str:
    """Return what is wrong with the features of a protocol: their versions, or others that they need."""
    for key, (version, newest) in _FEATURE_LISTS.items():
        if (protocol[version] == newest) != (key in protocol):
            return f"the {version} {protocol[version]} {'with' if key in protocol else 'without'} {key}"
    features = {*protocol.get("readerFeatures", ()), *protocol.get("writerFeatures", ())}
    for feature in sorted(features):
        missing = _NEEDED_BY.get(feature, set()) - features
        if missing:
            return f"the feature {feature} without {', '.join(sorted(missing))}"
    return ""


_MAPPING_MODES = ("none", "name", "id")


def fault_in_metadata(metadata: Any, schema: Any) -> str:
    """Return what is malformed in a ``metaData`` action; ``""`` if nothing is.

    Types that this package does not know are not malformed, unless they are names of SQL or known ones with other
    arguments.
    """
    if not isinstance(metadata, dict):
        return "metadata that is not an object"
    return next(_faults_of_action(metadata, schema), "")


def _faults_of_action(metadata: Mapping[str, Any], schema: Any) -> Iterator[str]:
    """Yield the faults of an action; whatever follows the first one may follow from it."""
    if type(metadata.get("id")) is not str:
        yield f"the id {field_text(metadata.get('id'))}"
    yield from _faults_of_format(metadata.get("format"))
    for key in ("name", "description"):
        if metadata.get(key) is not None and type(metadata[key]) is not str:
            yield f"the {key} {field_text(metadata[key])}"
    if not _is_unicode(metadata.get("description")):
        yield "a description with half of a surrogate pair"
    time = metadata.get("createdTime")
    if time is not None and not (type(time) is int and is_long(time)):
        yield f"the createdTime {field_text(time)}"
    yield from _faults_of_configuration(metadata.get("configuration"))
    if not isinstance(schema, dict) or schema.get("type") != "struct":
        yield "a schema that is not a struct"
    else:
        yield from faults_of_struct(schema)
        yield from _faults_of_partitioning(metadata.get("partitionColumns"), schema)


def _faults_of_format(value: Any) -> Iterator[str]:
    if not isinstance(value, dict) or value.get("provider") != "parquet" or not _are_texts(value.get("options")):
        yield f"the format {field_text(value)}"


def _faults_of_configuration(configuration: Any) -> Iterator[str]:
    if not isinstance(configuration, dict):
        yield f"the configuration {field_text(configuration)}"
    elif not all(map(_is_unicode, (*configuration, *configuration.values()))):
        yield "a property with half of a surrogate pair"
    elif not _are_texts(configuration):
        key, value = next((key, value) for key, value in configuration.items() if type(value) is not str)
        yield f"the value {field_text(value)} of the property {key}"
    elif configuration.get(MAPPING_PROPERTY, "none") not in _MAPPING_MODES:
        yield f"the column mapping mode {field_text(configuration[MAPPING_PROPERTY])}"


def _faults_of_partitioning(names: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(names, list) or not all(type(name) is str for name in names):
        yield f"the partition columns {field_text(names)}"
    elif names:
        columns = {field["name"] for field in schema["fields"]}
        for name in names:
            if name not in columns:
                yield f"the partition column {name}, which is not among the columns"
        if len({folded(name) for name in names}) < len(names):
            yield f"the partition columns {field_text(names)}, of which two have one name"


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
_LENGTH_TEXT = re.compile(r"(?:var)?char\([1-9][0-9]{0,8}\)|(?:array|map|struct)<.*>", re.DOTALL)
_TYPE_CHANGES, _INVARIANTS = "delta.typeChanges", "delta.invariants"

_METADATA_KINDS: Mapping[str, type] = {
    "comment": str,
    CHAR_VARCHAR: str,
    DEFAULT: str,
    "EXISTS_DEFAULT": str,
    GENERATION_EXPRESSION: str,
    _INVARIANTS: str,
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

_NEVER_NULL = frozenset({CHAR_VARCHAR, _INVARIANTS, _TYPE_CHANGES})
"""Keys that Spark does not open a table with if they are null; any other is taken for one that is missing."""

_IDENTITY_KEYS = frozenset({IDENTITY_START, IDENTITY_STEP, IDENTITY_EXPLICIT})
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
    elif metadata and not (metadata.keys() == ONLY_COMMENT and type(metadata["comment"]) is str):
        yield from _faults_of_metadata(metadata, kind)


def _faults_of_metadata(metadata: Mapping[str, Any], kind: Any) -> Iterator[str]:
    """Yield the faults of the metadata of a field of some type."""
    known = metadata_of({"metadata": metadata})
    for key in _NEVER_NULL & metadata.keys() - known.keys():
        yield f"the {key} null"
    for key, value in known.items():
        if type(value) is not _METADATA_KINDS.get(key, str) and (key in _METADATA_KINDS or not _is_value(value)):
            yield f"the {key} {field_text(value)}"
    text = known.get(CHAR_VARCHAR)
    if text is not None and not (_LENGTH_TEXT.fullmatch(text) and with_lengths_json(kind, text) is not kind):
        yield f"the type {field_text(text)}"
    changes = known.get(_TYPE_CHANGES, ())
    if not all(map(_is_type_change, changes)):
        yield f"the type changes {field_text(changes)}"
    if len(_IDENTITY_KEYS & metadata.keys()) not in {0, len(_IDENTITY_KEYS)}:
        yield "the identity without its start, its step or how it is generated"
    collations = known.get(COLLATIONS, {})
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


def _is_unicode(text: Any) -> bool:
    """Whether a text, if it is one, has no half of a surrogate pair."""
    if type(text) is not str or text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(type(text) is str for text in value.values())
