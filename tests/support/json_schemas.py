"""The JSON Schemas (draft 2020-12) of the JSON forms, and the tables of their keys for the documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest_delta_schema
from support.pages import markdown_table

PACKAGE = Path(pytest_delta_schema.__file__).parent

Schema = dict[str, Any]


def state_schema() -> Schema:
    """Return the schema of the state of a table."""
    return _read("state/state.schema.json")


def report_schema() -> Schema:
    """Return the schema of the report of a run."""
    return _read("report/report.schema.json")


def _read(file: str) -> Schema:
    schema: Schema = json.loads((PACKAGE / file).read_text("utf-8"))
    return schema


def strict(schema: Any) -> Any:
    """Return a schema that forbids every key that it does not name."""
    if isinstance(schema, list):
        return [*map(strict, schema)]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if "properties" in schema else {}
    return {**{key: strict(part) for key, part in schema.items()}, **closed}


def report_keys() -> str:
    """Return tables of the keys of a report, and of the objects in it."""
    parts = [
        "TableReport",
        "CheckReport",
        "TableChange",
        "Diagnostic",
        "Witness",
        "OutcomeStatement",
        "Location",
        "Run",
        "Consents",
    ]
    return _tables(report_schema(), "Report", parts)


def state_keys() -> str:
    """Return tables of the keys of a state, and of the objects in it."""
    schema = state_schema()
    return _tables(schema, "State of a table", [name for name in schema["$defs"] if name != "DataType"])


def _tables(schema: Schema, title: str, parts: list[str]) -> str:
    sections = [f"## {title}\n\n{_table(schema)}"]
    for name in parts:
        definition = schema["$defs"][name]
        sections.append(f"### {name}\n\n{definition['description']}\n\n{_table(definition)}")
    return "\n\n".join(sections)


def _table(definition: Schema) -> str:
    rows = ((f"`{key}`", _kind(part), part.get("description", "")) for key, part in definition["properties"].items())
    return markdown_table(("key", "value", "meaning"), rows).replace("  |", " |")


def _kind(schema: Schema) -> str:
    if "enum" in schema:
        return ", ".join(f'`"{value}"`' if value else '`""`' for value in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return "string or an object with `type`" if name == "DataType" else _linked(name)
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "array" in schema["type"]:
        return f"array of {_kind(schema['items'])}" + (" or null" if "null" in schema["type"] else "")
    return " or ".join(schema["type"]) if isinstance(schema["type"], list) else str(schema["type"])


def _linked(name: str) -> str:
    anchor = "#state-of-a-table" if name == "TableState" else f"#{name.lower()}"
    return f"[{name}]({anchor})"
