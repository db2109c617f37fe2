"""Whether the metadata and the protocol of a log have the form that Delta's protocol gives them.

Readers differ in what they do with other forms: Spark refuses most of them, and deltalake reads some (Delta 4.4.0).
"""

from __future__ import annotations

import json
from json import JSONDecoder
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.features import COLUMN_MAPPING
from pytest_delta_schema.delta.logs.action_kinds import is_long
from pytest_delta_schema.delta.logs.well_formed_fields import faults_of_struct, field_text
from pytest_delta_schema.delta.names.folded_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAPPING_MODE = "delta.columnMapping.mode"
_MAPPING_MODES = ("none", "name", "id")
_TEXTS = frozenset({"id", "name", "description"})
_VERSIONS = ("minReaderVersion", "minWriterVersion")
_FEATURES = {"readerFeatures": ("minReaderVersion", 3), "writerFeatures": ("minWriterVersion", 7)}
"""The lists of features in a protocol, each with the only version in which there is one."""

_NEEDED_BY = {
    "clustering": {"domainMetadata"},
    "icebergCompatV1": {COLUMN_MAPPING},
    "icebergCompatV2": {COLUMN_MAPPING},
    "icebergCompatV3": {COLUMN_MAPPING, "rowTracking"},
    "rowTracking": {"domainMetadata"},
}
"""Features that need others, without which Delta refuses the protocol (Delta 4.4.0)."""


class MalformedLog(ValueError):  # noqa: N818 - the fault of a table, not of this program
    """Metadata or a protocol that Delta's protocol does not allow; the message names the part."""


def well_formed_schema(metadata: Any, protocol: Any) -> dict[str, Any]:
    """Return the parsed schema of a log whose newest metadata and protocol are well-formed.

    Raises:
        MalformedLog: If they are not.
    """
    schema: dict[str, Any] | None = None
    fault = fault_in_protocol(protocol)
    if not fault:
        try:
            schema = _parsed(metadata["schemaString"])
        except (KeyError, RecursionError, TypeError, ValueError):
            fault = "a schema that is not JSON"
    fault = fault or fault_in_metadata(metadata, schema)
    if fault or schema is None:
        raise MalformedLog(fault)
    return schema


def with_texts(metadata: Any) -> Any:
    """Return a ``metaData`` action with texts instead of numbers and booleans, as Spark reads them (Delta 4.4.0)."""
    if not isinstance(metadata, dict):
        return metadata
    changed = {key: _text(metadata[key]) for key in _TEXTS & metadata.keys()}
    configuration = metadata.get("configuration")
    if isinstance(configuration, dict) and not _are_texts(configuration):
        changed["configuration"] = {key: _text(value) for key, value in configuration.items()}
    return {**metadata, **changed}


def _text(value: Any) -> Any:
    return json.dumps(value) if type(value) in {bool, int} else value


def _parsed(text: str) -> dict[str, Any]:
    """Return the parsed schema.

    Raises:
        ValueError: If it is not JSON, or has half of a surrogate pair, for which Spark shows a question mark.
    """
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


def fault_in_protocol(protocol: Any) -> str:
    """Return what is malformed in a ``protocol`` action; ``""`` if nothing is."""
    if not isinstance(protocol, dict):
        return "a protocol that is not an object"
    for key in _VERSIONS:
        if type(protocol.get(key)) is not int or protocol[key] < 1:
            return f"the {key} {field_text(protocol.get(key))}"
    for key in _FEATURES:
        features = protocol.get(key, [])
        if not isinstance(features, list) or not all(type(name) is str and name for name in features):
            return f"the {key} {field_text(features)}"
    return _fault_in_features(protocol)


def _fault_in_features(protocol: Mapping[str, Any]) -> str:
    """Return what is wrong with the features of a protocol: their versions, or others that they need."""
    for key, (version, newest) in _FEATURES.items():
        if (protocol[version] == newest) != (key in protocol):
            return f"the {version} {protocol[version]} {'with' if key in protocol else 'without'} {key}"
    features = {*protocol.get("readerFeatures", ()), *protocol.get("writerFeatures", ())}
    for feature in sorted(features):
        missing = _NEEDED_BY.get(feature, set()) - features
        if missing:
            return f"the feature {feature} without {', '.join(sorted(missing))}"
    return ""


def fault_in_metadata(metadata: Any, schema: Any) -> str:
    """Return what is malformed in a ``metaData`` action; ``""`` if nothing is.

    Types that this package does not know are not malformed, unless they are names of SQL or known ones with other
    arguments.
    """
    if not isinstance(metadata, dict):
        return "metadata that is not an object"
    return next(_faults(metadata, schema), "")


def _faults(metadata: Mapping[str, Any], schema: Any) -> Iterator[str]:
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
    elif configuration.get(_MAPPING_MODE, "none") not in _MAPPING_MODES:
        yield f"the column mapping mode {field_text(configuration[_MAPPING_MODE])}"


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
