"""JSON Schemas (draft 2020-12) of the JSON forms, made from the shapes that write and read them.

The descriptions are those of the docstrings. ``python -m support.reference`` writes the files that the package has.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import pytest_delta_schema
from pytest_delta_schema.engine.outcomes import CHANGE, DIAGNOSTIC, Status
from pytest_delta_schema.report.json_report import OF_ALL_RUNS, REPORT_FORM, STATE_VALUES, TOOL
from pytest_delta_schema.settings.table import RISKS
from pytest_delta_schema.state.json_shapes import (
    REQUIRED,
    Choice,
    Entries,
    Form,
    Items,
    JsonScalar,
    Key,
    Kinds,
    Member,
    Notation,
    Nullable,
    Pairs,
    Record,
    Shape,
)
from pytest_delta_schema.state.json_state import STATE_FORM, DataType
from support.pages import markdown_table

if TYPE_CHECKING:
    from enum import Enum

PACKAGE = Path(pytest_delta_schema.__file__).parent
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

_TYPES: dict[tuple[type, ...], str] = {
    (str,): "string",
    (bool,): "boolean",
    (int,): "integer",
    (float, int): "number",
    (dict,): "object",
}
_ARGUMENT = re.compile(r"^    (?P<name>\w+): (?P<text>.+(?:\n        .+)*)", re.MULTILINE)
_ROLE = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")
_CONSTANTS = {"`None`": "`null`", "`True`": "`true`", "`False`": "`false`"}

_TEXT = {"type": "string"}

FINGERPRINT = {
    "type": "string",
    "description": "The same in every run, wherever the declaration moves and whatever the table is bound to.",
}


class _Definitions:
    """Collects the definitions of the classes that a form needs."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}

    def of(self, shape: Shape) -> Schema:  # noqa: PLR0911 - a line for each kind
        """Return the schema of a shape."""
        if shape is STATE_VALUES:
            return _or_null(self.record(STATE_FORM.record, first={"version": _version(STATE_FORM)}))
        if isinstance(shape, Nullable):
            return _or_null(self.of(shape.of))
        if isinstance(shape, Items):
            minimum = {"minItems": shape.minimum} if shape.minimum else {}
            return {"type": "array", "items": self.of(shape.of), **minimum}
        if isinstance(shape, (Entries, Pairs)):
            names = self.of(shape.keys) if isinstance(shape, Entries) else _TEXT
            keys = {} if names == _TEXT else {"propertyNames": names}
            return {"type": "object", "additionalProperties": self.of(shape.values), **keys}
        if isinstance(shape, Record):
            return self.record(shape, last={"fingerprint": FINGERPRINT} if shape in (CHANGE, DIAGNOSTIC) else {})
        if isinstance(shape, Kinds):
            return self._kinds(shape)
        return self._data_type(shape) if isinstance(shape, DataType) else _of_text(shape)

    def record(self, record: Record, **others: Schema) -> Schema:
        """Return the reference to the definition of a record."""
        name = record.of.__name__
        if name not in self.schemas:
            self.schemas[name] = {}
            self.schemas[name] = self.definition(record, **others)
        return {"$ref": f"#/$defs/{name}"}

    def definition(self, record: Record, first: Schema | None = None, last: Schema | None = None) -> Schema:
        """Return the definition of a record."""
        own = {key.name: self._key(record.of, key) for key in record.keys}
        optional = {key.name for key in record.keys if key.default is not REQUIRED}
        properties = {**(first or {}), **own, **(last or {})}
        return {
            "type": "object",
            "description": _text((inspect.getdoc(record.of) or "").partition("\n\n")[0]),
            "properties": properties,
            "required": [name for name in properties if name not in optional],
            **({} if record.is_open else {"additionalProperties": False}),
        }

    def _key(self, of: type, key: Key) -> Schema:
        default = {} if key.default is REQUIRED else {"default": key.shape.write(key.default)}
        return {**self.of(key.shape), "description": described(of, key.attribute), **default}

    def _kinds(self, kinds: Kinds) -> Schema:
        return _any_of(
            [self.record(record, first={kinds.key: {"const": kind}}) for kind, record in kinds.records.items()]
        )

    def _data_type(self, shape: DataType) -> Schema:
        if "DataType" not in self.schemas:
            self.schemas["DataType"] = {}
            text = {"type": "string", "description": "Spark's short name, such as `decimal(18,2)`."}
            self.schemas["DataType"] = {"anyOf": [text, *self._kinds(shape.nested)["anyOf"]]}
        return {"$ref": "#/$defs/DataType"}


def _of_text(shape: Shape) -> Schema:
    """Return the schema of a shape without parts."""
    if isinstance(shape, Notation):
        return {**_TEXT, "description": f"{shape.noun[0].upper()}{shape.noun[1:]}."}
    if isinstance(shape, Choice):
        return {"enum": list(shape.words)}
    if isinstance(shape, Member):
        return {"enum": _values(shape.of)}
    assert isinstance(shape, JsonScalar), shape
    return {"type": _TYPES[shape.kinds]}


def described(of: type, attribute: str) -> str:
    """Return what a docstring says about an attribute."""
    outer, _, inner = attribute.rpartition(".")
    if outer:
        return described(get_args(get_type_hints(of)[outer])[0], inner)
    member = inspect.getattr_static(of, attribute, None)
    if isinstance(member, property):
        return _text(inspect.getdoc(member) or "")
    arguments = {match["name"]: match["text"] for match in _ARGUMENT.finditer(inspect.getdoc(of) or "")}
    return _text(arguments[attribute])


def state_schema() -> Schema:
    """Return the schema of the state of a table."""
    definitions = _Definitions()
    top = definitions.definition(STATE_FORM.record, {"version": _version(STATE_FORM)})
    return _document("State of a table", top, definitions)


def report_schema() -> Schema:
    """Return the schema of the report of a run."""
    definitions = _Definitions()
    top = definitions.definition(REPORT_FORM.record, {"version": _version(REPORT_FORM)})
    own = top["properties"]
    run = definitions.schemas["Run"]["properties"]
    of_runs = {key: _of_all_runs(run[key]) for key in OF_ALL_RUNS}
    derived = {
        "tool": {
            "type": "object",
            "description": "The program that has written the report.",
            "properties": {"name": {"const": TOOL}},
            "required": ["name"],
        },
        "complete": {"type": "boolean", "description": described(REPORT_FORM.record.of, "is_complete")},
        **of_runs,
    }
    summary = {"summary": _summary()}
    top["properties"] = {"version": own.pop("version"), **derived, "runs": own.pop("runs"), **summary, **own}
    top["required"] = list(top["properties"])
    return _document("Report of pytest-delta-schema", top, definitions)


def _summary() -> Schema:
    def counts(names: list[str], description: str) -> Schema:
        number = {"type": "integer", "minimum": 1}
        return {
            "type": "object",
            "description": description,
            "propertyNames": {"enum": names},
            "additionalProperties": number,
        }

    parts = {
        "tables": {"type": "integer", "description": "How many entries the report has."},
        "outcomes": counts(_values(Status), "How many of them have each outcome; only those that occur."),
        "risks": counts(list(RISKS), "How many changes have each risk; only those that occur."),
    }
    return {"type": "object", "description": "Counts.", "properties": parts, "required": list(parts)}


def _of_all_runs(schema: Schema) -> Schema:
    description = f"{schema['description']} `null` if the runs differ."
    return {**_or_null({key: part for key, part in schema.items() if key != "description"}), "description": description}


def _document(title: str, top: Schema, definitions: _Definitions) -> Schema:
    schemas = dict(sorted(definitions.schemas.items()))
    return {"$schema": DIALECT, "title": title, **top, "$defs": schemas}


def _version(form: Form) -> Schema:
    return {"const": form.version, "description": "The version of this form."}


def _values(kind: type[Enum]) -> list[Any]:
    return [member.value for member in kind]


def _or_null(schema: Schema) -> Schema:
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return _any_of([*schema.get("anyOf", [schema]), {"type": "null"}])


def _any_of(schemas: list[Schema]) -> Schema:
    return {"anyOf": schemas} if len(schemas) > 1 else schemas[0]


def _text(docstring: str) -> str:
    text = " ".join(_ROLE.sub(r"`\1`", docstring).replace("``", "`").split())
    for python, json_text in _CONSTANTS.items():
        text = text.replace(python, json_text)
    return text


def strict(schema: Any) -> Any:
    """Return a schema that forbids every key that it does not name."""
    if isinstance(schema, list):
        return [*map(strict, schema)]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if "properties" in schema else {}
    return {**{key: strict(part) for key, part in schema.items()}, **closed}


FILES = {
    PACKAGE / "report" / "report.schema.json": report_schema,
    PACKAGE / "state" / "state.schema.json": state_schema,
}
"""The files of the package, and what each holds."""


def file_text(schema: Schema) -> str:
    """Return a schema as the text of its file."""
    return f"{json.dumps(schema, indent=2)}\n"


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
