"""Metadata and protocols that Delta's protocol does not allow, each with the part that is named."""

from __future__ import annotations

import json
from typing import Any

from pytest_delta_schema.delta.well_formed import MalformedLog, fault_in_metadata, well_formed_schema, with_texts
from support.case_tables import named_cases, refusal
from support.hand_made_logs.files import ABSENT, METADATA, PROTOCOL, changed, features, schema
from support.logs import field
from support.snapshots import ReviewedCases

STRUCT = {"type": "struct", "fields": [field("a")]}


def of_type(kind: object) -> dict[str, Any]:
    return {"schemaString": schema(field("id"), field("t", kind))}


def of_field(**changes: object) -> dict[str, Any]:
    return {"schemaString": schema(changed(field("t"), **changes))}


def structs(levels: int) -> str:
    """Return the text of a schema of structs in structs; writing it as JSON would recurse, too."""
    head, tail = '{"type": "struct", "fields": [{"name": "x", "nullable": true, "metadata": {}, "type": ', "}]}"
    return f'{head * levels}"integer"{tail * levels}'


LONGS = {"type": "array", "elementType": "long", "containsNull": True}
NARROWED = [{"fromType": "long", "toType": "integer"}]
WIDENED = {"fromType": "integer", "toType": "long"}
CHAR = "__CHAR_VARCHAR_TYPE_STRING"

METADATA_FAULTS: list[dict[str, Any]] = [
    *({"id": ABSENT}, {"id": []}, {"format": ABSENT}, {"format": {"provider": "orc"}}),
    *({"format": {"provider": "parquet"}}, {"description": [5]}, {"name": []}, {"createdTime": "now"}),
    *({"createdTime": 2**63}, {"configuration": ABSENT}, {"configuration": {"team": True}}),
    *({"configuration": {"a": "b", "c": None}}, {"configuration": {"delta.columnMapping.mode": "weird"}}),
    *({"partitionColumns": ABSENT}, {"partitionColumns": [5]}, {"partitionColumns": ["name", "name"]}),
    *({"partitionColumns": ["name", "other"]}, {"partitionColumns": ["NAME"]}, {"description": "\ud800"}),
    {"configuration": {"team": "\udc00"}},
]
SCHEMA_FAULTS: list[Any] = [
    *(ABSENT, "[]", '"long"', '{"type": "struct", "fields": [], "x": NaN}', '{"type": "struct"}'),
    *('{"type": "array", "type": "struct", "fields": []}', schema(field("\ud800")), schema(field("a"), field("A"))),
    *('{"type": "struct", "fields": ["id"]}', '{"type": "struct", "fields": [], "other": 1}'),
    *("[" * 200_000, *map(structs, (250, 2000, 100_000))),
]
TYPE_FAULTS: list[Any] = [
    *("bigint", "LONG", "decimal(10)", "decimal(39,0)", "decimal(5,6)", "char(x)", "array<int>", None, {}),
    *({**LONGS, "elementType": "int"}, {"type": "array", "elementType": "long"}, {**LONGS, "other": 1}),
    {"type": "map", "valueType": "long", "valueContainsNull": True},
    {"type": "struct", "fields": [field("a"), field("a")]},
]
FAULTS_OF_METADATA: list[Any] = [[], "x", {"comment": 5}, {"CURRENT_DEFAULT": 5}, {CHAR: "char(3)"}]
FIELD_FAULTS: list[dict[str, Any]] = [
    *({"metadata": metadata} for metadata in FAULTS_OF_METADATA),
    *({"metadata": {"other": value}} for value in ([1, "x"], {"deeper": [[1]]}, [None])),
    *(
        {"metadata": {"delta.typeChanges": value}}
        for value in (NARROWED, ["x"], [{"fromType": "weird", "toType": "long"}])
    ),
    *({"type": "string", "metadata": {CHAR: value}} for value in (3, "char(x)", None)),
    *({"type": "string", "metadata": {key: None}} for key in ("delta.invariants", "delta.typeChanges")),
    *({"metadata": {"delta.identity.start": 1}}, {"type": "string", "metadata": {"__COLLATIONS": {"t": 5}}}),
    *({"nullable": "true"}, {"other": 1}),
    *(
        {"metadata": {"delta.typeChanges": [{**WIDENED, **wrong}]}}
        for wrong in ({"fieldPath": 5}, {"tableVersion": "x"})
    ),
]
PROTOCOL_FAULTS: list[dict[str, Any]] = [
    *({"minReaderVersion": value} for value in (1.0, 0, 3)),
    *({"minWriterVersion": value} for value in ("2", True, ABSENT)),
    *({"writerFeatures": value} for value in (None, [5], [])),
    *({"readerFeatures": "x"}, {"minWriterVersion": 7, "writerFeatures": ["icebergCompatV3"]}),
]

WELL_FORMED: dict[str, dict[str, Any]] = {
    "description": {"description": "text", "name": "t", "createdTime": None},
    "partitioned": {"partitionColumns": ["name"]},
    "unknown type with arguments": of_type("geometry(OGC:CRS84)"),
    "unknown object": of_type({"type": "range", "bound": "long"}),
    "map": of_type({"type": "map", "keyType": "string", "valueType": STRUCT, "valueContainsNull": False}),
    "varchar": of_field(type="string", metadata={"__CHAR_VARCHAR_TYPE_STRING": "varchar(3)", "comment": "text"}),
    "field without metadata": of_field(metadata=ABSENT),
    "metadata of other keys": of_field(metadata={"a": [1, 2], "b": {"c": None}, "d": True, "e": [], "f": 1.5}),
    "surrogate pair": {"schemaString": schema(field("\U0001f600")), "description": "\u00e9"},
    **{
        f"{key} of null": of_field(metadata={key: None})
        for key in (
            "comment",
            "EXISTS_DEFAULT",
            "delta.columnMapping.id",
            "delta.columnMapping.physicalName",
            "delta.identity.highWaterMark",
            "__COLLATIONS",
        )
    },
    "identity of null": of_field(
        metadata=dict.fromkeys(("delta.identity.start", "delta.identity.step", "delta.identity.allowExplicitInsert"))
    ),
    "identity": of_field(
        metadata={"delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": True}
    ),
}


def refused(metadata: Any, protocol: Any) -> str:
    return refusal(well_formed_schema, metadata, protocol, error=MalformedLog)


def test_what_is_malformed_is_named(reviewed: object) -> None:
    case = ReviewedCases(refused)
    for changes in (
        *METADATA_FAULTS,
        *({"schemaString": text} for text in SCHEMA_FAULTS),
        *map(of_type, TYPE_FAULTS),
        *(of_field(**changes) for changes in FIELD_FAULTS),
    ):
        case.unnamed(changed(METADATA, **changes), PROTOCOL)
    for changes in PROTOCOL_FAULTS:
        case.unnamed(METADATA, changed(PROTOCOL, **changes))
    assert case.text == reviewed


def test_actions_that_are_no_objects() -> None:
    others: list[object] = [None, [], "x", 5]
    for action in others:
        assert "JSON" in refused(action, PROTOCOL)
        assert refused(METADATA, action) == "a protocol that is not an object"
        assert fault_in_metadata(action, STRUCT) == "metadata that is not an object"


def test_what_is_well_formed_is_read() -> None:
    with named_cases(lambda metadata: well_formed_schema(metadata, PROTOCOL)) as case:
        for name, changes in WELL_FORMED.items():
            metadata = changed(METADATA, **changes)
            case(name, metadata, json.loads(metadata["schemaString"]))


def test_features_with_those_that_they_need() -> None:
    protocol = features("clustering", "domainMetadata", "vacuumProtocolCheck", reader=("vacuumProtocolCheck",))

    assert well_formed_schema(METADATA, protocol)["type"] == "struct"


def test_numbers_and_booleans_are_texts_for_spark() -> None:
    configuration = {"a": True, "b": 7, "c": "x", "d": 1.5}

    changed_metadata = with_texts({"id": 5, "description": False, "configuration": configuration, "createdTime": 1})

    texts = {"a": "true", "b": "7", "c": "x", "d": 1.5}
    assert changed_metadata == {"id": "5", "description": "false", "configuration": texts, "createdTime": 1}
    assert with_texts({"id": "x", "configuration": {}}) == {"id": "x", "configuration": {}}
    assert with_texts("x") == "x"
