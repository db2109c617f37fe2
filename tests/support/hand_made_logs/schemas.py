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
    "int",
    "tinyint",
    "smallint",
    "real",
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
    "null",
    "char",
    "varchar",
    "char(3)",
    "varchar(3)",
    "char(x)",
    "decimal",
    "decimal(10)",
    "decimal(39,0)",
    "decimal(5,6)",
    "decimal(0,0)",
    "decimal(38,38)",
    "DECIMAL(5,2)",
    "LONG",
    "String",
    "time(6)",
    "time(3)",
    "time",
    "timestamp_ns",
    "timestamp_ltz",
    "geometry(4326)",
    "geography",
    "geometry",
    "array",
    "map",
    "struct",
    "array<int>",
    "calendarinterval",
    "day-time",
    "year-month",
    "udt",
    "object",
    "weird",
    "uuid",
]
_SPACED_TYPES = (
    "interval day to second",
    "interval year to month",
    "interval day",
    "decimal(10, 2)",
    " long",
    "long ",
    "string collate UTF8_LCASE",
    "",
    "decimal(-5,2)",
    "decimal(5,-2)",
    "decimal(999999999999,2)",
    "timestamp_ntz ",
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
        "map with another key": {**_MAP, "other": 1},
        "struct with another key": {**_STRUCT, "other": 1},
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
        "comma": ["a,b"],
        "dot": ["a.b"],
        "empty": [""],
        "newline": ["a\nb"],
        "zero": ["a\0b"],
        "emoji": ["\U0001f600"],
        "combining": ["e\u0301", "\u00e9"],
        "lone surrogate": ["\ud800"],
        "two of one name": ["a", "a"],
        "two that differ by case": ["a", "A"],
        "dotless i": ["\u0130", "i"],
        "sharp s": ["\u00df", "SS"],
        "kelvin": ["k", "\u212a"],
        "change data": ["_change_type"],
        "row id": ["_metadata"],
    }.items():
        yield f"name of {label}", of_fields(field("id"), *map(field, names))
    inner = {"type": "struct", "fields": [field("a"), field("A")]}
    yield "fields of a struct that differ by case", of_fields(field("id"), field("s", inner))
    yield (
        "fields of a struct with a lone surrogate",
        of_fields(field("id"), field("s", {"type": "struct", "fields": [field("\udc00")]})),
    )
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
    for text in (
        "char(0)",
        "char(-1)",
        "varchar(3)",
        "varchar(3000000000)",
        "CHAR(3)",
        "char( 3 )",
        "string",
        "array<char(3)>",
        "char(3) ",
        "long",
        "struct<a:char(3)>",
        "",
        "char(٣)",
        "character(3)",
        "char(3) not null",
    ):
        yield f"char text {text!r}", of_fields(field("id"), _with("string", _CHAR, text))
    yield "char on a long", of_fields(field("id"), _with("long", _CHAR, "char(3)"))
    yield "char on an array", of_fields(field("id"), _with(_STRINGS, _CHAR, "array<char(3)>"))
    yield "string text on an array", of_fields(field("id"), _with(_STRINGS, _CHAR, "char(3)"))
    yield "array text on a map", of_fields(field("id"), _with(_MAP, _CHAR, "array<char(3)>"))
    for label, collations in {
        "on a number": {"x": 5},
        "on a long": {"x": "spark.UTF8_LCASE"},
        "of another column": {"y": "spark.UTF8_LCASE"},
        "without a provider": {"x": "UTF8_LCASE"},
        "unknown": {"x": "spark.WEIRD"},
        "of ICU": {"x": "icu.de_CI"},
        "of another provider": {"x": "foo.UTF8_LCASE"},
        "binary": {"x": "spark.UTF8_BINARY"},
        "lower case": {"x": "spark.utf8_lcase"},
        "null": {"x": None},
    }.items():
        kind = "long" if label == "on a long" else "string"
        yield f"collation {label}", of_fields(field("id"), field("x", kind, __COLLATIONS=collations))
    yield (
        "collation of an element",
        of_fields(field("id"), field("x", _STRINGS, __COLLATIONS={"x.element": "spark.UTF8_LCASE"})),
    )
    for label, change in {
        "unknown type": [{"fromType": "weird", "toType": "long"}],
        "no toType": [{"fromType": "integer"}],
        "no fromType": [{"toType": "long"}],
        "narrowing": [{"fromType": "long", "toType": "integer"}],
        "unsupported": [{"fromType": "string", "toType": "long"}],
        "unknown field path": [{"fromType": "integer", "toType": "long", "fieldPath": "weird"}],
        "field path of a number": [{"fromType": "integer", "toType": "long", "fieldPath": 5}],
        "table version": [{"fromType": "integer", "toType": "long", "tableVersion": 1}],
        "table version of a text": [{"fromType": "integer", "toType": "long", "tableVersion": "x"}],
        "SQL type": [{"fromType": "int", "toType": "bigint"}],
        "other key": [{"fromType": "integer", "toType": "long", "other": 1}],
        "of texts": ["x"],
        "of null": [None],
        "of numbers": [5],
        "mixed": [{"fromType": "integer", "toType": "long"}, 5],
    }.items():
        yield (
            f"type change {label}",
            of_fields(field("id"), _with("long", "delta.typeChanges", change), protocol=_WIDENED),
        )
    yield (
        "type change without its feature",
        of_fields(field("id"), _with("long", "delta.typeChanges", [{"fromType": "integer", "toType": "long"}])),
    )
    for entry in (
        '{"a": [1, "x"]}',
        '{"a": [null]}',
        '{"a": {"b": [true, 1]}}',
        '{"a": [[1]]}',
        '{"a": null}',
        '{"a": []}',
        '{"a": 1e400}',
        '{"a": 1.0}',
        '{"a": [1, 2.5]}',
        '{"a": 9223372036854775808}',
        '{"a": [{}]}',
        '{"": 1}',
    ):
        fields = f'[{{"name": "x", "type": "long", "nullable": true, "metadata": {entry}}}]'
        yield f"metadata {entry}", of_metadata(schemaString=f'{{"type": "struct", "fields": {fields}}}')


_STRINGS = {**_ARRAY, "elementType": "string"}


def _texts() -> Iterator[tuple[str, Write]]:
    """Yield logs whose schema string is odd JSON."""
    good = schema(*FIELDS)
    one = '{"name": "x", "type": "long", "nullable": true, "metadata": {}}'
    texts = {
        "empty": "",
        "blank": " ",
        "null": "null",
        "list": "[]",
        "type": '"long"',
        "array type": json.dumps(_ARRAY),
        "object": "{}",
        "array at the top": json.dumps({**_ARRAY, "elementType": _STRUCT}),
        "cut": good[:-1],
        "behind": good + " x",
        "object behind": good + "{}",
        "blanks around": f"  {good}\n\t",
        "byte order mark": "\ufeff" + good,
        "form feed": "\f" + good,
        "comment": good + "// text",
        "comment inside": good.replace("{", "{/* text */", 1),
        "single quotes": good.replace('"', "'"),
        "bare names": good.replace('"type"', "type", 1),
        "comma at the end": good.replace("]}", "],}"),
        "NaN": good.replace('"metadata": {}', '"metadata": {"x": NaN}', 1),
        "infinity": good.replace('"metadata": {}', '"metadata": {"x": Infinity}', 1),
        "key twice": good.replace('"nullable": true', '"nullable": false, "nullable": true', 1),
        "key of metadata twice": good.replace('"metadata": {}', '"metadata": {"comment": "a", "comment": "b"}', 1),
        "type twice": '{"type": "array", "type": "struct", "fields": []}',
        "fields twice": f'{{"type": "struct", "fields": [{one}], "fields": []}}',
        "other key": f'{{"type": "struct", "fields": [{one}], "other": 1}}',
        "order of keys": f'{{"fields": [{one}], "type": "struct"}}',
        "order of keys of a field": '{"type": "struct", "fields": [{"metadata": {}, "nullable": true, "type": "long", "name": "x"}]}',
        "escapes": good.replace("name", "n\\u0061me"),
        "leading zero": good.replace('"metadata": {}', '"metadata": {"x": 01}', 1),
        "plus": good.replace('"metadata": {}', '"metadata": {"x": +1}', 1),
        "dot": good.replace('"metadata": {}', '"metadata": {"x": .5}', 1),
        "control character": good.replace("name", "n\tme"),
        "escaped surrogate": good.replace('"name": "id"', '"name": "\\ud800"'),
        "nullable of a text": good.replace("true", '"true"', 1),
        "True": good.replace("true", "True", 1),
        "struct in upper case": good.replace("struct", "STRUCT"),
        "DDL": "id bigint, name string",
        "deep": "[" * 2000,
        "zero byte behind": good + "\0",
    }
    for name, text in texts.items():
        yield f"schema: {name}", of_metadata(schemaString=text)


def _partitions() -> Iterator[tuple[str, Write]]:
    lists: dict[str, Any] = {
        "one": ["name"],
        "two": ["name", "id"],
        "unknown": ["other"],
        "twice": ["name", "name"],
        "other case": ["NAME"],
        "twice in two cases": ["name", "NAME"],
        "number": [5],
        "null": [None],
        "boolean": [True],
        "list": [["name"]],
        "object": [{"name": "name"}],
        "empty text": [""],
        "back-quotes": ["`name`"],
        "path": ["s.a"],
    }
    for name, columns in lists.items():
        yield f"partitioned by {name}", of_metadata(partitionColumns=columns)
    for kind in (_ARRAY, _MAP, _STRUCT, "binary", "variant"):
        label = kind if isinstance(kind, str) else kind["type"]
        yield (
            f"partitioned by a column of type {label}",
            of_fields(field("id"), field("x", kind), partitionColumns=["x"]),
        )
    mapped = [
        {
            **field(name),
            "metadata": {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"c{number}"},
        }
        for number, name in enumerate(("id", "x"), 1)
    ]
    mapping = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}
    for name in ("x", "c2"):
        yield (
            f"mapped columns partitioned by {name}",
            of_fields(*mapped, protocol=_MAPPED, partitionColumns=[name], configuration=mapping),
        )
    yield "all columns", of_fields(field("id"), partitionColumns=["id"])


CASES = dict((*_types(), *_fields(), *_metadata_of_fields(), *_texts(), *_partitions()))
