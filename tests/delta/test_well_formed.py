"""Metadata and protocols that Delta's protocol does not allow, each with the part that is named."""

from __future__ import annotations

import json
from typing import Any

from pytest_delta_schema.delta.well_formed import MalformedLog, fault_in_metadata, well_formed_schema, with_texts
from support.case_tables import named_cases, refusal
from support.hand_made_logs.files import ABSENT, METADATA, PROTOCOL, changed, features, schema
from support.logs import field

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

METADATA_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no id": ({"id": ABSENT}, "the id null"),
    "id of a list": ({"id": []}, "the id []"),
    "no format": ({"format": ABSENT}, "the format null"),
    "another format": ({"format": {"provider": "orc"}}, 'the format {"provider": "orc"}'),
    "format without options": ({"format": {"provider": "parquet"}}, 'the format {"provider": "parquet"}'),
    "description of a list": ({"description": [5]}, "the description [5]"),
    "name of a list": ({"name": []}, "the name []"),
    "time of a text": ({"createdTime": "now"}, 'the createdTime "now"'),
    "large time": ({"createdTime": 2**63}, "the createdTime 9223372036854775808"),
    "no configuration": ({"configuration": ABSENT}, "the configuration null"),
    "property of a boolean": ({"configuration": {"team": True}}, "the value true of the property team"),
    "property of null": ({"configuration": {"a": "b", "c": None}}, "the value null of the property c"),
    "mapping mode": ({"configuration": {"delta.columnMapping.mode": "weird"}}, 'the column mapping mode "weird"'),
    "no partition columns": ({"partitionColumns": ABSENT}, "the partition columns null"),
    "partition column of a number": ({"partitionColumns": [5]}, "the partition columns [5]"),
    "two equal partition columns": (
        {"partitionColumns": ["name", "name"]},
        'the partition columns ["name", "name"], of which two have one name',
    ),
    **{
        f"partition columns {names}": (
            {"partitionColumns": names},
            f"the partition column {names[-1]}, which is not among the columns",
        )
        for names in (["name", "other"], ["NAME"])
    },
    "half of a surrogate pair in a description": (
        {"description": "\ud800"},
        "a description with half of a surrogate pair",
    ),
    "half of a surrogate pair in a property": (
        {"configuration": {"team": "\udc00"}},
        "a property with half of a surrogate pair",
    ),
}

SCHEMA_FAULTS: dict[Any, str] = {
    ABSENT: "a schema that is not JSON",
    "[]": "a schema that is not a struct",
    '"long"': "a schema that is not a struct",
    '{"type": "struct", "fields": [], "x": NaN}': "a schema that is not JSON",
    '{"type": "array", "type": "struct", "fields": []}': "a schema that is not JSON",
    schema(field("\ud800")): "a schema that is not JSON",
    '{"type": "struct"}': "the fields null",
    '{"type": "struct", "fields": ["id"]}': 'the field "id"',
    '{"type": "struct", "fields": [], "other": 1}': 'the keys ["other"] of a struct',
    schema(field("a"), field("A")): "two columns, or two fields of a struct, of one name",
}

TYPE_FAULTS: list[tuple[Any, str]] = [
    *(
        (kind, f'the type "{kind}"')
        for kind in ("bigint", "LONG", "decimal(10)", "decimal(39,0)", "decimal(5,6)", "char(x)", "array<int>")
    ),
    (None, "the type null"),
    ({}, "the type {}"),
    ({**LONGS, "elementType": "int"}, 'the type "int"'),
    ({"type": "array", "elementType": "long"}, "the containsNull null"),
    ({"type": "map", "valueType": "long", "valueContainsNull": True}, "the type null"),
    ({"type": "struct", "fields": [field("a"), field("a")]}, "two columns, or two fields of a struct, of one name"),
    ({**LONGS, "other": 1}, 'the keys ["other"] of a array'),
]

FIELD_FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"metadata": []}, "the metadata []"),
    ({"metadata": "x"}, 'the metadata "x"'),
    ({"metadata": {"comment": 5}}, "the comment 5"),
    ({"metadata": {"CURRENT_DEFAULT": 5}}, "the CURRENT_DEFAULT 5"),
    ({"type": "string", "metadata": {CHAR: 3}}, f"the {CHAR} 3"),
    ({"type": "string", "metadata": {CHAR: "char(x)"}}, 'the type "char(x)"'),
    ({"metadata": {CHAR: "char(3)"}}, 'the type "char(3)"'),
    *(
        ({"type": "string", "metadata": {key: None}}, f"the {key} null")
        for key in (CHAR, "delta.invariants", "delta.typeChanges")
    ),
    ({"metadata": {"delta.identity.start": 1}}, "the identity without its start, its step or how it is generated"),
    ({"type": "string", "metadata": {"__COLLATIONS": {"t": 5}}}, 'the collations {"t": 5}'),
    ({"metadata": {"other": [1, "x"]}}, 'the other [1, "x"]'),
    ({"metadata": {"other": {"deeper": [[1]]}}}, 'the other {"deeper": [[1]]}'),
    ({"metadata": {"other": [None]}}, "the other [null]"),
    *(
        ({"metadata": {"delta.typeChanges": changes}}, f"the type changes {json.dumps(changes)}")
        for changes in (NARROWED, ["x"], [{"fromType": "weird", "toType": "long"}])
    ),
]

PROTOCOL_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "fractional version": ({"minReaderVersion": 1.0}, "the minReaderVersion 1.0"),
    "version of a text": ({"minWriterVersion": "2"}, 'the minWriterVersion "2"'),
    "version of a boolean": ({"minWriterVersion": True}, "the minWriterVersion true"),
    "version 0": ({"minReaderVersion": 0}, "the minReaderVersion 0"),
    "no version": ({"minWriterVersion": ABSENT}, "the minWriterVersion null"),
    "features of null": ({"writerFeatures": None}, "the writerFeatures null"),
    "features of a text": ({"readerFeatures": "x"}, 'the readerFeatures "x"'),
    "feature of a number": ({"writerFeatures": [5]}, "the writerFeatures [5]"),
    "features in an old version": ({"writerFeatures": []}, "the minWriterVersion 2 with writerFeatures"),
    "no features in a new version": ({"minReaderVersion": 3}, "the minReaderVersion 3 without readerFeatures"),
    "feature without another": (
        {"minWriterVersion": 7, "writerFeatures": ["icebergCompatV3"]},
        "the feature icebergCompatV3 without columnMapping, rowTracking",
    ),
}

WELL_FORMED: dict[str, dict[str, Any]] = {
    "plain": {},
    "description": {"description": "text", "name": "t", "createdTime": None},
    "partitioned": {"partitionColumns": ["name"]},
    "decimal": of_type("decimal(38,0)"),
    "unknown type": of_type("timestamp_ns"),
    "unknown type with arguments": of_type("geometry(OGC:CRS84)"),
    "unknown object": of_type({"type": "range", "bound": "long"}),
    "struct": of_type(STRUCT),
    "map": of_type({"type": "map", "keyType": "string", "valueType": STRUCT, "valueContainsNull": False}),
    "varchar": of_field(type="string", metadata={"__CHAR_VARCHAR_TYPE_STRING": "varchar(3)", "comment": "text"}),
    "widened": of_field(metadata={"delta.typeChanges": [{"fromType": "integer", "toType": "decimal(20,2)"}]}),
    "field without metadata": of_field(metadata=ABSENT),
    "mapping mode": {"configuration": {"delta.columnMapping.mode": "id"}},
    "metadata of other keys": of_field(metadata={"a": [1, 2], "b": {"c": None}, "d": True, "e": [], "f": 1.5}),
    "surrogate pair": {"schemaString": schema(field("\U0001f600")), "description": "\u00e9"},
    **{
        f"{key} of null": of_field(metadata={key: None})
        for key in (
            "comment",
            "CURRENT_DEFAULT",
            "EXISTS_DEFAULT",
            "delta.generationExpression",
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
        metadata={
            "delta.identity.start": 1,
            "delta.identity.step": 1,
            "delta.identity.allowExplicitInsert": True,
        },
    ),
}


def refused(metadata: Any, protocol: Any) -> str:
    return refusal(well_formed_schema, metadata, protocol, error=MalformedLog)


def test_malformed_metadata() -> None:
    with named_cases(lambda changes: refused(changed(METADATA, **changes), PROTOCOL)) as case:
        for name, (changes, fault) in METADATA_FAULTS.items():
            case(name, changes, fault)
        for text, fault in SCHEMA_FAULTS.items():
            case(f"schema {text!s:.50}", {"schemaString": text}, fault)
        for text in ("[" * 200_000, *map(structs, (250, 2000, 100_000))):
            case(f"{len(text)} characters", {"schemaString": text}, "a schema that is nested too deeply")
        for kind, fault in TYPE_FAULTS:
            case(f"type {kind}", of_type(kind), f"{fault} of the column t")
        for changes, fault in FIELD_FAULTS:
            case(f"field {changes}", of_field(**changes), f"{fault} of the column t")


def test_malformed_fields_and_type_changes_are_shown_as_far_as_they_fit() -> None:
    for changes, start in (
        ({"nullable": "true", "metadata": {}, "name": "t", "type": "long"}, 'the field {"name": "t", '),
        ({"other": 1}, 'the field {"name": "t", '),
        (
            {"metadata": {"delta.typeChanges": [{**WIDENED, "fieldPath": 5}]}},
            'the type changes [{"fromType": "integer", ',
        ),
        (
            {"metadata": {"delta.typeChanges": [{**WIDENED, "tableVersion": "x"}]}},
            'the type changes [{"fromType": "inte',
        ),
    ):
        assert refused(changed(METADATA, **of_field(**changes)), PROTOCOL).startswith(start)


def test_malformed_protocols() -> None:
    with named_cases(lambda changes: refused(METADATA, changed(PROTOCOL, **changes))) as case:
        for name, (changes, fault) in PROTOCOL_FAULTS.items():
            case(name, changes, fault)


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
