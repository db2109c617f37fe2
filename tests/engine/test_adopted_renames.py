"""A rename of one physical column in the log of a table is accepted as a rename, and what only looks like one is not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, LongType, MapType, StructField, StructType

from pytest_delta_schema import LocalCatalog
from pytest_delta_schema.backends.local import reading, session
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.model_writing import drift_of
from support.logs import commit, field, metadata
from support.models import column, table

OPERATIONS = {
    "overwrite": {"operation": "WRITE", "operationParameters": {"mode": "Overwrite"}},
    "append": {"operation": "WRITE", "operationParameters": {"mode": "Append"}},
    "replace": {"operation": "CREATE OR REPLACE TABLE AS SELECT"},
}
MADE = "id number<nr"
"""The model that accepts that ``nr`` is called ``number``."""
RENAMES = [
    # the versions of the table, the model, and the model that accepts them; ``name:number`` is a physical column,
    # ``new<old`` a former name, ``s(a)`` a struct, and ``m[a]`` a map of structs to arrays of them
    ("id:1 nr:2 | id:1 number:2", "id nr", MADE),
    ("id:1 nr:2 | id:1 no:2 | id:1 number:2", "id nr", MADE),
    ("id:1 nr:2 | id:1 number:2 | id:1 number:2 x:3", "id nr", f"{MADE} x"),
    ("id:1 nr:2 | id:1 number:2", "id NR", "id number<NR"),
    ("id:1 nr:2 | id:1 t:2 | nr:1 t:2 | nr:1 id:2", "id nr", None),
    ("id:1 nr:2 | key:1 number:2", "id nr", "key<id number<nr"),
    ("id:1 nr:2 | key:1 id:2", "id nr", "id key"),
    ("id:1 nr:2 | id:1 | id:1 number:3", "id nr", "id number"),
    ("id:1 nr:2 | id:1 number:3", "id nr", "id number"),
    ("id:1 nr:2 | id:1 number:2 | id:1 | id:1 number:3", "id nr", "id number"),
    ("id:1 nr:2 | id:1 number:2 | overwrite: id:1 number:3", "id nr", "id number"),
    ("id:1 nr:2 | id:1 number:2 | replace: id:1 number:3", "id nr", "id number"),
    ("id:1 nr:2 | append: id:1 number:2", "id nr", MADE),
    ("id:1 nr:2 | id:1 number:2", MADE, None),  # the model has made it
    ("id:1 nr:2", MADE, "id nr"),  # the model wants it, and the table has not made it
    ("id:1 a:3 | id:1 b:3", "id", "id b"),  # the model never had the column
    ("id nr | id number", "id nr", "id number"),  # no column mapping
    ("s:1(a:2 b:3) | s:1(a:2 c:3)", "s(a b)", "s(a c<b)"),
    ("s:1(a:2) | t:1(a:2) | t:1(b:2)", "s(a)", "t<s(b<a)"),
    ("s:1(a:2) | s:1(b:2) | t:1(b:2)", "s(a)", "t<s(b<a)"),
    ("m:1[a:2] | m:1[b:2]", "m[a]", "m[b<a]"),
    ("s:1(r:2(a:3)) | s:1(r:2(b:3))", "s(r(a))", "s(r(b<a))"),
]
OPTIONS = [
    # options of the model, and of the one that accepts a rename; None if nothing is accepted
    ({"clustered_by": ["nr"]}, {}),
    ({"owns": {"columns": "report"}}, {"owns": {"columns": "report"}}),
    ({"evolution": "additive"}, {"evolution": "additive"}),
    ({"owns": {"columns": "ignore"}}, None),
]

TOKEN = re.compile(r"(\w+)(?::(\d+))?(?:<(\w+))?([(\[])?|[)\]]")


def parsed(text):
    """Return the columns of a text: names, numbers, former names, the brackets of their fields, and these."""
    stack: list[Any] = [[]]
    for token in TOKEN.finditer(text):
        if token[1] is None:
            fields = stack.pop()
            stack[-1][-1][-1].extend(fields)
            continue
        stack[-1].append((token[1], token[2], token[3], token[4], []))
        if token[4]:
            stack.append([])
    return stack[0]


def stored(columns):
    """Return columns as a log has them."""
    made = []
    for name, number, _, bracket, fields in columns:
        struct = {"type": "struct", "fields": stored(fields)}
        array = {"type": "array", "elementType": struct, "containsNull": True}
        a_map = {"type": "map", "keyType": struct, "valueType": array, "valueContainsNull": True}
        names = (
            {"delta.columnMapping.id": int(number), "delta.columnMapping.physicalName": f"col-{number}"}
            if number
            else {}
        )
        made.append(field(name, {"(": struct, "[": a_map}.get(bracket, "long"), **names))
    return made


def declared_type(bracket, fields):
    struct = StructType(
        [
            StructField(name, declared_type(inner, parts), True, {"renamed_from": old} if old else {})
            for name, _, old, inner, parts in fields
        ]
    )
    return {"(": struct, "[": MapType(struct, ArrayType(struct))}.get(bracket, LongType())


def model_of(text, **options):
    columns = [
        column(name, declared_type(inner, parts), renamed_from=old) for name, _, old, inner, parts in parsed(text)
    ]
    return table(*columns, **options)


def accepted(folder, versions, model):
    """Write the log of a table, and return the model that accepts its drift, if there is one."""
    for version, text in enumerate(versions.split(" | ")):
        operation, _, columns = text.rpartition(": ")
        fields = stored(parsed(columns))
        mapping = {"delta__columnMapping__mode": "name"} if ":" in columns else {}
        started = [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}] if version == 0 else []
        commit(
            folder / "dev/silver/orders",
            version,
            *started,
            metadata(*fields, **mapping),
            **OPERATIONS.get(operation, {}),
        )
    gate = Gate(LocalCatalog(lambda: pytest.fail("Spark is started"), warehouse=folder), [model])
    gate.state()
    drift = drift_of(gate, model)
    return getattr(drift, "table", drift)


def test_which_model_accepts_a_rename(tmp_path, monkeypatch):
    for module in (session, reading):
        monkeypatch.setattr(module, "active_spark", lambda: None)
    rows = [(versions, model_of(model), after and model_of(after)) for versions, model, after in RENAMES]
    renamed = model_of(MADE)
    rows += [
        (RENAMES[0][0], model_of("id nr", **before), None if after is None else replace(renamed, **after))
        for before, after in OPTIONS
    ]

    wrong = [row for number, row in enumerate(rows) if accepted(tmp_path / str(number), *row[:2]) != row[2]]

    assert wrong == []
