"""The JSON form of a table's state: it loses nothing, stays as it is written down, and says why it cannot be read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.diagnostics.errors import JsonFormError
from pytest_delta_schema.state import ColumnState, TableState, state_from_json, state_json
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_state import state_from_json_text, state_json_text
from support.case_tables import refusal
from support.json_schemas import state_schema
from support.snapshots import ReviewedCases
from support.state_json import EXAMPLE, EXAMPLE_TEXT, exact
from support.strategies import models, states

NAME = QualifiedName("dev", "silver", "orders")
VALIDATOR = Draft202012Validator(state_schema())


def copied(state: TableState) -> TableState:
    values = json.loads(json.dumps(state_json(state), allow_nan=False))
    assert list(VALIDATOR.iter_errors(values)) == []
    return state_from_json(values)


@given(state=st.one_of(states(), models().map(desired_state)))
@settings(max_examples=50)
def test_any_state_is_read_back(state):
    assert exact(copied(state)) == exact(state)
    text = state_json_text(state)
    for content in (text, text.encode()):
        assert state_from_json_text(content) == state
        # The keys are not in the order of the declaration, and what states do not compare is equal as well.
        assert state_json(state_from_json_text(content)) == state_json(state)
    assert state_json_text(state_from_json_text(text)) == text


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


BAD_COLUMNS = {
    "columns": [
        {"name": "id", "type": 7},
        {"name": 1, "type": {"type": "strukt"}, "is_nullable": "yes"},
        {"type": {"type": "array", "element": {"type": "map", "key": "string"}}, "nulable": True},
        "id",
        {"name": "n", "type": "bigint", "identity": {"start": True, "step": 1.5, "always": None}},
    ]
}
BAD_REST = {
    "checks": {},
    "properties": ["x" * 90],
    "tags": {"id": {"pii": 1}, "ID": {}},
    "owns": {"colour": "manage", "comments": "own"},
    "evolution": ["strict"],
    "convert_from": {"format": "csv"},
    "deprecated": {"": {"since": "20260131"}, "id": {"since": "2026-01-31", "sunset": "2026-01-30"}},
}


def test_what_cannot_be_read_is_said_with_every_fault(reviewed):
    unversioned, named = {"name": "dev.silver.orders"}, {"version": 1, "name": "dev.silver.orders"}
    case = ReviewedCases(lambda values: refusal(state_from_json, values, error=JsonFormError))
    case("no object", [])
    case("another version", unversioned | {"version": 2, "new": 1})
    case("no version", unversioned)
    case("a version as a text", unversioned | {"version": "1"})
    case("unknown keys", named | {"colums": [], "nonsense": 1})
    case("no name", {"version": 1})
    case("a name that is no text", {"version": 1, "name": 7})
    case("a name of two parts", {"version": 1, "name": "silver.orders"})
    case("columns", named | BAD_COLUMNS)
    case("the rest", named | BAD_REST)
    assert case.text == reviewed


def test_types_of_too_many_levels_are_refused():
    data_type: object = "int"
    for _ in range(5_000):
        data_type = {"type": "array", "element": data_type}

    with pytest.raises(JsonFormError, match="is nested too deeply; write fewer levels"):
        state_from_json({"version": 1, "name": "a.b.c", "columns": [{"name": "id", "type": data_type}]})


def test_what_is_not_seen_is_escaped_and_the_rest_is_as_it_is():
    state = TableState(name=NAME, table_comment="\ud800 \u202e\x1b[31m\u2028\n é 😀 \U000e0041")

    assert state_json_text(state).split("\n")[3] == (
        r'  "comment": "\ud800 \u202e\u001b[31m\u2028\n é 😀 \udb40\udc41"'
    )


def test_what_cannot_be_read_is_one_clear_error(reviewed):
    case = ReviewedCases(lambda text: refusal(state_from_json_text, text, error=JsonFormError))
    text = state_json_text(EXAMPLE)
    case("a conflict", text.replace('  "comment": "Orders of the shop",\n', "<<<<<<< HEAD\n=======\n>>>>>>> b\n"))
    case("the end of a conflict", "{\n>>>>>>> b\n")
    case("nothing", "")
    case("a pointer of LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    case("not UTF-8", b"\xff\xfe{")
    case("a key twice", '{"version": 1, "name": "a.b.c", "properties": {"x": "1", "x": "2"}}')
    case("too many levels", "[" * 200_000)
    case("another form", "[]")
    case("a higher version", '{"version": 2, "name": "a.b.c"}')
    assert case.text == reviewed
