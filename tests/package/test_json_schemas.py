"""The JSON Schemas of the package have every key that is written and read, and are printed by a command."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass

import pytest
from jsonschema import Draft202012Validator

from pytest_delta_schema.commands.cli import main
from pytest_delta_schema.engine.outcomes import CHANGE, DIAGNOSTIC, LOCATION, STATEMENT, WITNESS
from pytest_delta_schema.report.json_report import CHECK_FORM, CONSENTS, REPORT_FORM, RUN_FORM, TABLE_FORM, report_json
from pytest_delta_schema.state.json_shapes import REQUIRED, Choice, Member
from pytest_delta_schema.state.json_state import CHECK as CHECK_CONSTRAINT
from pytest_delta_schema.state.json_state import COLUMN, FOREIGN_KEY, IDENTITY, PRIMARY_KEY_FORM, RENAME, SOURCE, STATE
from support.json_schemas import report_schema
from support.reports import DRIFTED, sample_report

NOT_WRITTEN = {
    "TableState": {"table_id"},
    "Diagnostic": {"concerns_run"},
    "TableChange": {"marker"},
    "ColumnState": {"value"},
    "KeyState": {"kind"},
}
"""Attributes that JSON forms have in another form, or do not need, by class."""

DERIVED = {"TableChange": {"operation"}, "ColumnState": {"value.default", "value.generated", "value.identity"}}
"""Attributes of attributes, and properties, that JSON forms have instead of these."""

OF_THE_FORM = {"version", "fingerprint", "tool", "complete", "mode", "backend", "bindings", "commit", "summary"}
"""Keys that are derived when a form is written."""

RECORDS = [
    CHANGE,
    CHECK_FORM,
    CONSENTS,
    DIAGNOSTIC,
    LOCATION,
    REPORT_FORM.record,
    RUN_FORM,
    STATEMENT,
    WITNESS,
    TABLE_FORM,
]
STATE_RECORDS = [CHECK_CONSTRAINT, COLUMN, FOREIGN_KEY, IDENTITY, PRIMARY_KEY_FORM, RENAME, SOURCE, STATE]


@pytest.mark.parametrize("form", ["report", "state"])
def test_a_command_prints_them(capsys, form):
    assert main(["schema", form]) == 0

    printed = json.loads(capsys.readouterr().out)
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert printed["properties"]["version"]["const"] == 1


@pytest.mark.parametrize("record", [*RECORDS, *STATE_RECORDS], ids=lambda record: record.of.__name__)
def test_every_field_has_a_key_that_the_schema_describes(record):
    of, schema = record.of, report_schema()
    names = {field.name for field in fields(of)} if is_dataclass(of) else set(of._fields)
    expected = names - NOT_WRITTEN.get(of.__name__, set()) | DERIVED.get(of.__name__, set())
    described = schema["$defs"].get(of.__name__, schema)
    values = {key.name: [member.value for member in key.shape.of] for key in record.keys if type(key.shape) is Member}
    values |= {key.name: [*key.shape.words] for key in record.keys if type(key.shape) is Choice}
    keys = {key.name for key in record.keys}

    assert {key.attribute for key in record.keys} == expected
    assert keys <= described["properties"].keys() <= keys | OF_THE_FORM
    assert {key.name for key in record.keys if key.default is REQUIRED} == keys & {*described["required"]}
    assert {name: described["properties"][name]["enum"] for name in values} == values


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("tables", 0, "outcome"), "fine"),
        (("tables", 0, "changes", 0, "operation"), "+"),
        (("tables", 0, "changes", 0, "fingerprint"), 1),
        (("tables", 0, "declared"), {"version": 1}),
        (("tables", 0, "observed"), {"version": 2, "name": "a.b.c"}),
        (("runs",), []),
        (("version",), 2),
        (("summary", "risks"), {"low": 1}),
        (("backend",), 1),
    ],
)
def test_the_schema_refuses_what_is_no_report(path, value):
    form = report_json(sample_report(DRIFTED))
    *parents, key = path
    parent = form
    for step in parents:
        parent = parent[step]
    parent[key] = value

    assert list(Draft202012Validator(report_schema()).iter_errors(form)) != []
