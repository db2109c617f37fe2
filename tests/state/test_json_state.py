"""The JSON form of a table's state: it loses nothing, stays as it is written down, and says why it cannot be read."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_delta_schema import Column, MemoryCatalog, QualifiedName, Table
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import JsonFormError
from pytest_delta_schema.state import ColumnState, StructState, TableState, state_from_json, state_json
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_state import STATE, state_from_json_text, state_json_text
from pytest_delta_schema.testing.data_access import MEMORY
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from pytest_delta_schema.testing.scenarios import SCENARIOS
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


def test_the_states_of_scenarios_are_read_back():
    for scenario in SCENARIOS:
        catalog = MemoryCatalog()
        create_initial_tables(scenario, catalog, MEMORY)
        tables = [scenario.after, *(table for table, _ in scenario.other_tables)]
        observed = catalog.snapshot(tables).tables.values()

        for state in [*map(desired_state, [*tables, scenario.before or scenario.after]), *observed]:
            assert exact(copied(state)) == exact(state), scenario.name


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


def test_a_table_that_is_only_compared_is_read_back():
    view = TableState(name=NAME, kind="materialized view")
    for state in (view, desired_state(Table(*NAME, [Column("id", "bigint")], read_only=True))):
        assert exact(copied(state)) == exact(state)


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


def test_the_text_of_a_state_that_has_every_key(reviewed):
    text = state_json_text(EXAMPLE)

    assert text == reviewed
    assert state_json(state_from_json_text(text)) == state_json(EXAMPLE)


# A low surrogate after a high one reads as one character, as in every JSON text.
CHARACTERS = st.one_of(st.characters(exclude_categories=()), st.sampled_from('\r\u2028\u202e\x7f"\\'))


@given(
    text=st.text(CHARACTERS, min_size=1).filter(
        lambda text: text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    )
)
@example("\ud800 \u202e\x1b[31m\u2028 é 😀 \U000e0041")
@settings(max_examples=50)
def test_any_characters_are_read_back_and_can_be_seen(text):
    path = ColumnPath(text, "")
    inner = StructState((ColumnState(text, "int", False, text),))
    state = TableState(
        name=QualifiedName("a", "b", text.lower()),
        columns=(ColumnState(text, inner, True, text),),
        clustering=(path,),
        tags={path: {text: text}},
        table_properties={text: text},
        table_comment=text,
    )

    lines = state_json_text(state).split("\n")

    again = state_from_json_text("\n".join(lines))
    assert copied(state) == again == state
    assert (again.name.table, again.clustering[0].parts) == (text.lower(), (text, ""))
    assert '  "columns": [' in lines
    assert not {*"\x1b\x7f\r\u2028\u202e\U000e0041"} & {*"".join(lines)}
    "".join(lines).encode()


def test_what_is_not_seen_is_escaped_and_the_rest_is_as_it_is():
    state = TableState(name=NAME, table_comment="\ud800 \u202e\x1b[31m\u2028\n é 😀 \U000e0041")

    assert state_json_text(state).split("\n")[3] == (
        r'  "comment": "\ud800 \u202e\u001b[31m\u2028\n é 😀 \udb40\udc41"'
    )


def test_the_order_of_properties_and_tags_is_that_of_their_names():
    first = TableState(name=NAME, table_properties={"b": "1", "a": None, "B": "2"})
    second = TableState(name=NAME, table_properties={"a": None, "B": "2", "b": "1"})

    assert state_json_text(first) == state_json_text(second)
    assert state_json_text(first).split("\n")[3:7] == [
        '  "properties": {',
        '    "B": "2",',
        '    "a": null,',
        '    "b": "1"',
    ]


def test_another_layout_reads_to_the_same_state():
    text, values = state_json_text(EXAMPLE), json.loads(EXAMPLE_TEXT)
    for other in (
        *(EXAMPLE_TEXT, json.dumps(values), json.dumps(values, indent=4, sort_keys=True), text.replace("\n", "\r\n")),
        text.replace('"version": 1,', '"version": 1, "read_only": false, "kind": "",'),
    ):
        assert state_json_text(state_from_json_text(other)) == text


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
