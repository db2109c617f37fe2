"""Schemas of two versions of a table, whose columns may have been renamed between them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_delta_schema.delta.fields import with_names_of


def field(name: str, physical: str = "", data_type: Any = "long") -> dict[str, Any]:
    metadata = {"delta.columnMapping.physicalName": physical} if physical else {}
    return {"name": name, "type": data_type, "nullable": True, "metadata": metadata}


def struct(*fields: Any) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


def array(element: Any) -> dict[str, Any]:
    return {"type": "array", "elementType": element, "containsNull": True}


def map_of(key: Any, value: Any) -> dict[str, Any]:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


CASES: dict[str, Any] = {
    "not mapped": ([field("a"), field("b")], [field("b"), field("A")], ["A", "b"]),
    "renamed": ([field("new", "p")], [field("old", "p")], ["old"]),
    "mapped later": ([field("new", "a")], [field("a")], ["a"]),
    "swapped": ([field("a", "p"), field("b", "q")], [field("b", "p"), field("a", "q")], ["b", "a"]),
    "added": ([field("a", "p"), field("b", "q")], [field("a", "p")], ["a", "a?"]),
    "added under the old name of another": ([field("b", "p"), field("a", "q")], [field("a", "p")], ["a", "a?"]),
    "dropped and added again": ([field("a", "q")], [field("a", "p")], ["a"]),
    "added to nothing": ([field("a")], [], ["?"]),
    "dropped": ([field("a", "p")], [field("a", "p"), field("b", "q")], ["a"]),
}


@pytest.mark.parametrize("case", CASES)
def test_columns_have_the_names_of_the_other_schema(case: str) -> None:
    fields, others, names = CASES[case]

    renamed = with_names_of(struct(*fields), struct(*others))

    assert [part["name"] for part in renamed["fields"]] == names
    assert [part["type"] for part in renamed["fields"]] == ["long"] * len(names)


NEW, OLD = struct(field("new", "p")), struct(field("old", "p"))


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (NEW, OLD, OLD),
        (array(NEW), array(OLD), array(OLD)),
        (map_of(NEW, array(NEW)), map_of(OLD, array(OLD)), map_of(OLD, array(OLD))),
        (array("long"), array("integer"), array("long")),
        (NEW, "long", NEW),
        ("long", OLD, "long"),
        (array(NEW), map_of(OLD, OLD), array(NEW)),
    ],
)
def test_nested_fields_have_the_names_of_the_other_schema(new: Any, old: Any, expected: Any) -> None:
    schemas = [struct(field("s", data_type=data_type)) for data_type in (new, old)]

    assert with_names_of(*schemas) == struct(field("s", data_type=expected))
