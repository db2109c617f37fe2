"""Logs with other schemas: types, fields, metadata of fields, partition columns, and the JSON itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from support.hand_made_logs.files import FEW, FIELDS, PROTOCOL, features, of_fields, of_metadata, schema, wrong
from support.logs import field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.hand_made_logs.files import Write

_TYPES = [
    "bigint",
    "integer",
    "long",
    "short",
    "byte",
    "float",
    "double",
    "string",
    "binary",
    "boolean",
    "date",
    "timestamp",
    "timestamp_ntz",
    "variant",
    "interval",
    "void",
    "char(3)",
    "decimal",
    "decimal(39,0)",
    "decimal(38,38)",
    "LONG",
    "time(6)",
    "timestamp_ns",
    "timestamp_ltz",
    "geometry(4326)",
    "struct",
    "array<int>",
    "weird",
]
_SPACED_TYPES = (
    "interval day to second",
    "decimal(10, 2)",
    " long",
    "string collate UTF8_LCASE",
    "",
)
_ARRAY = {"type": "array", "elementType": "long", "containsNull": True}
_MAP = {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": True}
_STRUCT = {"type": "struct", "fields": [field("a"), field("b", "string")]}
_UDT = {"type": "udt", "class": "x.Y", "pyClass": "x.y", "sqlType": "long"}
_MAPPED = {"minReaderVersion": 2, "minWriterVersion": 5}
_WRITER = {"minReaderVersion": 1, "minWriterVersion": 6}
_WIDENED = features("typeWidening", reader=("typeWidening",))
_CHAR = "__CHAR_VARCHAR_TYPE_STRING"


def _with(kind: Any, key: str, value: Any) -> dict[str, Any]:
    """Return a column with one key in its metadata."""
    return {**field("x", kind), "metadata": {key: value}}


METADATA_OF_FIELDS: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "comment": ("text", "string", PROTOCOL),
    _CHAR: ("char(3)", "string", PROTOCOL),
    "CURRENT_DEFAULT": ("5", "long", features("allowColumnDefaults")),
    "EXISTS_DEFAULT": ("5", "long", features("allowColumnDefaults")),
    "delta/generationExpression": ("id + 1", "long", _WRITER),
    "delta/invariants": ('{"expression":{"expression":"x > 1"}}', "long", PROTOCOL),
    "delta/identity/start": (1, "long", _WRITER),
    "delta/identity/step": (1, "long", _WRITER),
    "delta/identity/allowExplicitInsert": (True, "long", _WRITER),
    "delta/identity/highWaterMark": (1, "long", _WRITER),
    "delta/columnMapping/id": (1, "long", _MAPPED),
    "delta/columnMapping/physicalName": ("x", "long", _MAPPED),
    "delta/typeChanges": ([{"fromType": "integer", "toType": "long"}], "long", _WIDENED),
    "__COLLATIONS": ({"x": "spark.UTF8_LCASE"}, "string", PROTOCOL),
    "other": ("text", "long", PROTOCOL),
}
"""Keys of the metadata of a field, each with a good value, the type of the field and the protocol."""


def _types() -> Iterator[tuple[str, Write]]:
    for kind in (*_TYPES, *_SPACED_TYPES):
        yield f"type {kind!r}", of_fields(field("id"), field("x", kind))
    for name, kind in (
        *wrong(_ARRAY, *_ARRAY, wrong_values=FEW),
        *wrong(_MAP, *_MAP, wrong_values=FEW),
        *wrong(_STRUCT, "fields", wrong_values=FEW),
    ):
        yield f"type {name}", of_fields(field("id"), field("x", kind))
    nested = {**_ARRAY, "elementType": {**_MAP, "valueType": {"type": "struct", "fields": [field("a", "bigint")]}}}
    yield "type of SQL deep inside", of_fields(field("id"), field("x", nested))
    for name, shape in {
        "array": _ARRAY,
        "map": _MAP,
        "struct": _STRUCT,
        "udt": _UDT,
        "object of a name": {"type": "long"},
        "array with another key": {**_ARRAY, "other": 1},
        "map whose key is a map": {**_MAP, "keyType": _MAP},
        "struct without fields": {"type": "struct", "fields": []},
    }.items():
        yield f"type of {name}", of_fields(field("id"), field("x", shape))
    deep: Any = "long"
    for _ in range(100):
        deep = {**_ARRAY, "elementType": deep}
    yield "type of 100 arrays", of_fields(field("id"), field("x", deep))


def _fields() -> Iterator[tuple[str, Write]]:
    for name, value in wrong(field("x"), "name", "type", "nullable", "metadata"):
        yield f"field {name}", of_fields(field("id"), value)
        inner = {"type": "struct", "fields": [field("a"), value]}
        if "metadata" in name or "nullable" in name:
            yield f"field of a struct {name}", of_fields(field("id"), field("s", inner))
    for name, value in (("null", None), ("text", "x"), ("list", []), ("empty", {})):
        yield f"field of {name}", of_fields(field("id"), value)
    for label, names in {
        "space": ["a b"],
        "empty": [""],
        "combining": ["e\u0301", "\u00e9"],
        "lone surrogate": ["\ud800"],
        "two of one name": ["a", "a"],
        "two that differ by case": ["a", "A"],
        "kelvin": ["k", "\u212a"],
    }.items():
        yield f"name of {label}", of_fields(field("id"), *map(field, names))
    inner = {"type": "struct", "fields": [field("a"), field("A")]}
    yield "fields of a struct that differ by case", of_fields(field("id"), field("s", inner))
    yield "field with another key", of_fields({**field("id"), "other": 1})
    yield "no columns", of_fields()
    yield "nullable false", of_fields(field("id", nullable=False))


def _metadata_of_fields() -> Iterator[tuple[str, Write]]:
    for key, (good, kind, protocol) in METADATA_OF_FIELDS.items():
        name = key.replace("/", ".")
        identity = {"delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": True}
        mapped = {"delta.columnMapping.id": 2, "delta.columnMapping.physicalName": "x"}
        others = identity if name in identity or "identity" in name else mapped if "Mapping" in name else {}
        value = {**field("x", kind), "metadata": {**others, name: good}}
        first = {**field("id"), "metadata": {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "id"}}
        configuration = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}
        options = {"protocol": protocol, "configuration": configuration if "Mapping" in name else {}}
        head = first if "Mapping" in name else field("id")
        yield f"metadata of a field {name}", of_fields(head, value, **options)
        for label, changed_field in wrong(value, f"metadata.{key}", wrong_values=("absent", "5", "text", "null")):
            if label != f"metadata.{name} absent" or others:
                yield f"field {label}", of_fields(head, changed_field, **options)
            if label.endswith(" null") and "Mapping" not in name:
                inner = {"type": "struct", "fields": [field("a"), changed_field]}
                yield f"field of a struct {label}", of_fields(head, field("s", inner), **options)
    for text in ("char(0)", "varchar(3)", "CHAR(3)", "string", "long", "array<char(3)>", "struct<a:char(3)>"):
        yield f"char text {text!r}", of_fields(field("id"), _with("string", _CHAR, text))
    yield "char on a long", of_fields(field("id"), _with("long", _CHAR, "char(3)"))
    yield "string text on an array", of_fields(field("id"), _with(_STRINGS, _CHAR, "char(3)"))
    for label, collations in {
        "on a number": {"x": 5},
        "of another column": {"y": "spark.UTF8_LCASE"},
        "of ICU": {"x": "icu.de_CI"},
    }.items():
        yield f"collation {label}", of_fields(field("id"), field("x", "string", __COLLATIONS=collations))
    yield (
        "collation of an element",
        of_fields(field("id"), field("x", _STRINGS, __COLLATIONS={"x.element": "spark.UTF8_LCASE"})),
    )
    yield (
        "type change without its feature",
        of_fields(field("id"), _with("long", "delta.typeChanges", [{"fromType": "integer", "toType": "long"}])),
    )


_STRINGS = {**_ARRAY, "elementType": "string"}


def _texts() -> Iterator[tuple[str, Write]]:
    """Yield logs whose schema string is odd JSON."""
    good = schema(*FIELDS)
    one = '{"name": "x", "type": "long", "nullable": true, "metadata": {}}'
    texts = {
        "empty": "",
        "object": "{}",
        "array at the top": json.dumps({**_ARRAY, "elementType": _STRUCT}),
        "cut": good[:-1],
        "behind": good + " x",
        "byte order mark": "\ufeff" + good,
        "single quotes": good.replace('"', "'"),
        "NaN": good.replace('"metadata": {}', '"metadata": {"x": NaN}', 1),
        "key twice": good.replace('"nullable": true', '"nullable": false, "nullable": true', 1),
        "fields twice": f'{{"type": "struct", "fields": [{one}], "fields": []}}',
        "escapes": good.replace("name", "n\\u0061me"),
        "nullable of a text": good.replace("true", '"true"', 1),
        "deep": "[" * 2000,
    }
    for name, text in texts.items():
        yield f"schema: {name}", of_metadata(schemaString=text)


def _partitions() -> Iterator[tuple[str, Write]]:
    lists: dict[str, Any] = {
        "one": ["name"],
        "unknown": ["other"],
        "twice": ["name", "name"],
        "other case": ["NAME"],
        "null": [None],
    }
    for name, columns in lists.items():
        yield f"partitioned by {name}", of_metadata(partitionColumns=columns)
    for kind in (_ARRAY, "binary", "variant"):
        label = kind if isinstance(kind, str) else kind["type"]
        yield (
            f"partitioned by a column of type {label}",
            of_fields(field("id"), field("x", kind), partitionColumns=["x"]),
        )
    yield "all columns", of_fields(field("id"), partitionColumns=["id"])


CASES = dict((*_types(), *_fields(), *_metadata_of_fields(), *_texts(), *_partitions()))
