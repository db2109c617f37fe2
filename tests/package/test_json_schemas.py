"""The JSON Schemas of the package: they are made from the shapes, complete, and printed by a command."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass

import pytest
from jsonschema import Draft202012Validator

from pytest_delta_schema.commands.cli import main
from pytest_delta_schema.engine.outcomes import CHANGE, DIAGNOSTIC, LOCATION, STATEMENT, WITNESS
from pytest_delta_schema.report.json_report import CHECK_FORM, CONSENTS, REPORT_FORM, RUN_FORM, TABLE_FORM, report_json
from pytest_delta_schema.state import state_json
from pytest_delta_schema.state.json_state import CHECK as CHECK_CONSTRAINT
from pytest_delta_schema.state.json_state import COLUMN, FOREIGN_KEY, IDENTITY, PRIMARY_KEY_FORM, RENAME, SOURCE, STATE
from support.json_schemas import FILES, file_text, report_schema, state_schema, strict
from support.reports import DRIFTED, sample_report
from support.state_json import EXAMPLE

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


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_files_are_up_to_date(file):
    assert file.read_text("utf-8") == file_text(FILES[file]()), "write them: python -m support.reference in tests/"


@pytest.mark.parametrize("schema", [report_schema, state_schema])
def test_the_schemas_are_valid(schema):
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("form", ["report", "state"])
def test_a_command_prints_them(capsys, form):
    assert main(["schema", form]) == 0

    printed = json.loads(capsys.readouterr().out)
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert printed["properties"]["version"]["const"] == 1


def test_other_forms_have_none(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["schema", "plan"])

    assert caught.value.code == 2
    assert "invalid choice: 'plan'" in capsys.readouterr().err


@pytest.mark.parametrize("record", [*RECORDS, *STATE_RECORDS], ids=lambda record: record.of.__name__)
def test_every_field_has_a_key(record):
    of = record.of
    names = {field.name for field in fields(of)} if is_dataclass(of) else set(of._fields)
    expected = names - NOT_WRITTEN.get(of.__name__, set()) | DERIVED.get(of.__name__, set())

    assert {key.attribute for key in record.keys} == expected


def test_every_definition_of_the_report_is_of_a_known_class():
    assert set(report_schema()["$defs"]) - set(state_schema()["$defs"]) == {
        *(record.of.__name__ for record in RECORDS[:-1] if record is not REPORT_FORM.record),
        "TableReport",
        "TableState",
    }


def test_reports_are_as_the_schema_describes_them():
    state = state_json(EXAMPLE)
    table = {"declared": state, "observed": state}
    form = report_json(sample_report())
    form["tables"] = [{**entry, **table} for entry in form["tables"]]

    assert list(Draft202012Validator(strict(report_schema())).iter_errors(form)) == []


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
