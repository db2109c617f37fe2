"""The JSON form of a table's state: it loses nothing, stays as it is written down, and says why it cannot be read."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_delta_schema import MemoryCatalog, QualifiedName
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import JsonFormError
from pytest_delta_schema.state import ColumnState, StructState, TableState, state_from_json, state_json
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_state import STATE
from pytest_delta_schema.testing.data_access import MEMORY
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from pytest_delta_schema.testing.scenarios import SCENARIOS
from support.documentation.json_schemas import state_schema
from support.values.state_json import EXAMPLE, EXAMPLE_TEXT, exact
from support.values.strategies import models, states

NAME = QualifiedName("dev", "silver", "orders")


VALIDATOR = Draft202012Validator(state_schema())


def copied(state: TableState) -> TableState:
    values = json.loads(json.dumps(state_json(state), allow_nan=False))
    assert list(VALIDATOR.iter_errors(values)) == []
    return state_from_json(values)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_the_states_of_scenarios_are_read_back(scenario):
    catalog = MemoryCatalog()
    create_initial_tables(scenario, catalog, MEMORY)
    tables = [scenario.after, *(table for table, _ in scenario.other_tables)]
    observed = catalog.snapshot(tables).tables.values()

    for state in [*map(desired_state, [*tables, scenario.before or scenario.after]), *observed]:
        assert exact(copied(state)) == exact(state)


@given(state=st.one_of(states(), models().map(desired_state)))
@settings(max_examples=50)
def test_any_state_is_read_back(state):
    assert exact(copied(state)) == exact(state)


@given(text=st.text(st.characters(exclude_categories=()), min_size=1))
@settings(max_examples=50)
def test_any_text_is_read_back(text):
    name = QualifiedName("a", "b", text.lower())
    path = ColumnPath(text, "")
    column = ColumnState(text, StructState((ColumnState(text, "int", False, text),)), True, text)
    tags = {path: {text: text}}
    state = TableState(name=name, columns=(column,), clustering=(path,), tags=tags, table_properties={text: text})

    assert copied(state) == state
    assert copied(state).name.table == text.lower()
    assert copied(state).clustering[0].parts == (text, "")


def test_the_form_is_as_it_is_written_down():
    assert state_json(EXAMPLE) == json.loads(EXAMPLE_TEXT)
    assert list(state_json(EXAMPLE)) == list(json.loads(EXAMPLE_TEXT))
    assert exact(state_from_json(json.loads(EXAMPLE_TEXT))) == exact(EXAMPLE)


def test_what_is_at_its_default_is_left_out():
    state = TableState(name=NAME, columns=(ColumnState("id", "bigint", True, ""),))

    assert state_json(state) == {
        "version": 1,
        "name": "dev.silver.orders",
        "columns": [{"name": "id", "type": "bigint"}],
    }


def test_every_field_of_a_state_has_a_key():
    # Each table has another id, which no reviewed file can hold.
    assert {key.attribute for key in STATE.keys} == {field.name for field in fields(TableState)} - {"table_id"}


def test_the_defaults_of_the_keys_are_those_of_the_fields():
    state = TableState(name=NAME)

    assert {key.attribute: key.default for key in STATE.keys[1:]} == {
        field.name: getattr(state, field.name) for field in fields(TableState)[1:] if field.name != "table_id"
    }


BAD = {
    "no object": ([], ['state of a table: is []; write an object with a "version"']),
    "a higher version": (
        {"version": 2, "name": "dev.silver.orders", "new": 1},
        ["dev.silver.orders: is of version 2, and this release reads version 1; upgrade pytest-delta-schema"],
    ),
    "no version": (
        {"name": "dev.silver.orders"},
        ['dev.silver.orders: has no version; write "version": 1'],
    ),
    "a version as text": (
        {"version": "1", "name": "dev.silver.orders"},
        ['dev.silver.orders: has no version; write "version": 1'],
    ),
    "unknown keys": (
        {"version": 1, "name": "dev.silver.orders", "colums": [], "nonsense": 1},
        [
            "dev.silver.orders: has the unknown key 'colums'; write 'columns'",
            "dev.silver.orders: has the unknown key 'nonsense'; remove it; keys are ",
        ],
    ),
    "no name": ({"version": 1}, ["state of a table: has no name; add it"]),
    "a name as a number": (
        {"version": 1, "name": 7},
        ["state of a table: name is 7; write three names with dots, such as dev.silver.orders"],
    ),
    "a name of two parts": (
        {"version": 1, "name": "silver.orders"},
        [
            "silver.orders: name is 'silver.orders'; write three names with dots, such as dev.silver.orders",
        ],
    ),
    "faults in columns": (
        {
            "version": 1,
            "name": "dev.silver.orders",
            "columns": [
                {"name": "id", "type": 7},
                {"name": 1, "type": {"type": "strukt"}, "is_nullable": "yes"},
                {"type": {"type": "array", "element": {"type": "map", "key": "string"}}, "nulable": True},
                "id",
                {"name": "n", "type": "bigint", "identity": {"start": True, "step": 1.5, "always": None}},
            ],
        },
        [
            'dev.silver.orders: columns[0].type is 7; write a string, or an object with "type": "struct" or "array" or "map"',
            "dev.silver.orders: columns[1].name is 1; write a string",
            "dev.silver.orders: columns[1].type is {'type': 'strukt'}; write a string, or an object with",
            "dev.silver.orders: columns[1].is_nullable is 'yes'; write true or false",
            "dev.silver.orders: columns[2] has the unknown key 'nulable'; write 'is_nullable'",
            "dev.silver.orders: columns[2] has no name; add it",
            "dev.silver.orders: columns[2].type.element has no value; add it",
            "dev.silver.orders: columns[3] is 'id'; write an object",
            "dev.silver.orders: columns[4].identity.start is True; write a whole number",
            "dev.silver.orders: columns[4].identity.step is 1.5; write a whole number",
            "dev.silver.orders: columns[4].identity.always is None; write true or false",
        ],
    ),
    "faults elsewhere": (
        {
            "version": 1,
            "name": "dev.silver.orders",
            "checks": {},
            "properties": ["x" * 90],
            "tags": {"id": {"pii": 1}, "ID": {}},
            "owns": {"colour": "manage", "comments": "own"},
            "evolution": ["strict"],
            "convert_from": {"format": "csv"},
            "deprecated": {"": {"since": "20260131"}, "id": {"since": "2026-01-31", "sunset": "2026-01-30"}},
        },
        [
            "dev.silver.orders: checks is {}; write an array",
            f"dev.silver.orders: properties is ['{'x' * 55}...; write an object",
            "dev.silver.orders: tags['id']['pii'] is 1; write a string",
            "dev.silver.orders: tags has two spellings of one key; write one of them",
            "dev.silver.orders: convert_from is {'format': 'csv'}; write an object with \"format\": \"parquet\"",
            'dev.silver.orders: owns is \'colour\'; write "columns" or "types" or ',
            'dev.silver.orders: owns[\'comments\'] is \'own\'; write "manage" or "report" or "ignore"',
            'dev.silver.orders: evolution is [\'strict\']; write "strict" or "additive"',
            "dev.silver.orders: deprecated[''].since is '20260131'; write a day, such as 2026-01-31",
            (
                "dev.silver.orders: deprecated['id'] is invalid: sunset of Deprecated is 2026-01-30, which is not after since,"
                " 2026-01-31; write a later day"
            ),
        ],
    ),
}


@pytest.mark.parametrize(("values", "messages"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_is_said_with_every_fault(values, messages):
    with pytest.raises(JsonFormError) as caught:
        state_from_json(values)

    lines = str(caught.value).splitlines()
    assert len(lines) == len(messages)
    assert [line for line, message in zip(lines, messages, strict=True) if not line.startswith(message)] == []


def test_types_of_too_many_levels_are_refused():
    data_type: object = "int"
    for _ in range(5_000):
        data_type = {"type": "array", "element": data_type}

    with pytest.raises(JsonFormError, match="is nested too deeply; write fewer levels"):
        state_from_json({"version": 1, "name": "a.b.c", "columns": [{"name": "id", "type": data_type}]})
