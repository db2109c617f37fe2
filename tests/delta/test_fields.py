"""Schemas of two versions of a table, whose columns may have been renamed between them."""

from __future__ import annotations

import json
from typing import Any

from pytest_delta_schema.delta.fields import physical_path, with_names_of
from pytest_delta_schema.delta.names import ColumnPath
from support.case_tables import cases, named_cases


def field(name: str, physical: str = "", data_type: Any = "long") -> dict[str, Any]:
    metadata = {"delta.columnMapping.physicalName": physical} if physical else {}
    return {"name": name, "type": data_type, "nullable": True, "metadata": metadata}


def struct(*fields: Any) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


def array(element: Any) -> dict[str, Any]:
    return {"type": "array", "elementType": element, "containsNull": True}


def map_of(key: Any, value: Any) -> dict[str, Any]:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


NEW, OLD = struct(field("new", "p")), struct(field("old", "p"))


def test_nested_fields_have_the_names_of_the_other_schema() -> None:
    with cases(
        lambda new, old: with_names_of(*(struct(field("s", data_type=each)) for each in (new, old)))["fields"][0][
            "type"
        ]
    ) as case:
        case(NEW, OLD, OLD)
        case(array(NEW), array(OLD), array(OLD))
        case(map_of(NEW, array(NEW)), map_of(OLD, array(OLD)), map_of(OLD, array(OLD)))
        case(array("long"), array("integer"), array("long"))
        case(NEW, "long", NEW)
        case("long", OLD, "long")
        case(array(NEW), map_of(OLD, OLD), array(NEW))


CASES: dict[str, Any] = {
    "renamed": ([field("new", "p")], [field("old", "p")], ["old"]),
    "swapped": ([field("a", "p"), field("b", "q")], [field("b", "p"), field("a", "q")], ["b", "a"]),
    "added under the old name of another": ([field("b", "p"), field("a", "q")], [field("a", "p")], ["a", "a?"]),
    "added to nothing": ([field("a")], [], ["?"]),
}


def test_columns_have_the_names_of_the_other_schema() -> None:
    def names(fields: Any, others: Any) -> list[Any]:
        renamed = with_names_of(struct(*fields), struct(*others))
        assert {part["type"] for part in renamed["fields"]} == {"long"}
        return [part["name"] for part in renamed["fields"]]

    with named_cases(names) as case:
        for name, values in CASES.items():
            case(name, *values)


def test_a_path_has_the_names_that_its_files_have() -> None:
    inner = struct(field("x", "p2"), field("y"))
    metadata = {"schemaString": json.dumps(struct(field("a"), field("S", "p1", inner)))}
    with cases(lambda *names: physical_path(metadata, ColumnPath(*names))) as case:
        case("A", ["a"])
        case("s", ["p1"])
        case("s", "X", ["p1", "p2"])
        case("s", "y", ["p1", "y"])
