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
from support.case_tables import named_cases, refusal
from support.json_schemas import state_schema
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
    ],
}
BAD_COLUMN_FAULTS = [
    'columns[0].type is 7; write a string, or an object with "type": "struct" or "array" or "map"',
    "columns[1].name is 1; write a string",
    "columns[1].type is {'type': 'strukt'}; write a string, or an object with",
    "columns[1].is_nullable is 'yes'; write true or false",
    "columns[2] has the unknown key 'nulable'; write 'is_nullable'",
    "columns[2] has no name; add it",
    "columns[2].type.element has no value; add it",
    "columns[3] is 'id'; write an object",
    "columns[4].identity.start is True; write a whole number",
    "columns[4].identity.step is 1.5; write a whole number",
    "columns[4].identity.always is None; write true or false",
]
BAD_REST = {
    "checks": {},
    "properties": ["x" * 90],
    "tags": {"id": {"pii": 1}, "ID": {}},
    "owns": {"colour": "manage", "comments": "own"},
    "evolution": ["strict"],
    "convert_from": {"format": "csv"},
    "deprecated": {"": {"since": "20260131"}, "id": {"since": "2026-01-31", "sunset": "2026-01-30"}},
}
BAD_REST_FAULTS = [
    "checks is {}; write an array",
    f"properties is ['{'x' * 55}...; write an object",
    "tags['id']['pii'] is 1; write a string",
    "tags has two spellings of one key; write one of them",
    "convert_from is {'format': 'csv'}; write an object with \"format\": \"parquet\"",
    'owns is \'colour\'; write "columns" or "types" or ',
    'owns[\'comments\'] is \'own\'; write "manage" or "report" or "ignore"',
    'evolution is [\'strict\']; write "strict" or "additive"',
    "deprecated[''].since is '20260131'; write a day, such as 2026-01-31",
    (
        "deprecated['id'] is invalid: sunset of Deprecated is 2026-01-30, which is not after since,"
        " 2026-01-31; write a later day"
    ),
]


def test_what_cannot_be_read_is_said_with_every_fault():
    unversioned, named = {"name": "dev.silver.orders"}, {"version": 1, "name": "dev.silver.orders"}
    dotted = "write three names with dots, such as dev.silver.orders"
    higher = "is of version 2, and this release reads version 1; upgrade pytest-delta-schema"
    unknown = ["has the unknown key 'colums'; write 'columns'", "has the unknown key 'nonsense'; remove it; keys are "]
    rows = [
        ([], 'state of a table: is []; write an object with a "version"'),
        (unversioned | {"version": 2, "new": 1}, f"dev.silver.orders: {higher}"),
        (unversioned, 'dev.silver.orders: has no version; write "version": 1'),
        (unversioned | {"version": "1"}, 'dev.silver.orders: has no version; write "version": 1'),
        (named | {"colums": [], "nonsense": 1}, *(f"dev.silver.orders: {fault}" for fault in unknown)),
        ({"version": 1}, "state of a table: has no name; add it"),
        ({"version": 1, "name": 7}, f"state of a table: name is 7; {dotted}"),
        ({"version": 1, "name": "silver.orders"}, f"silver.orders: name is 'silver.orders'; {dotted}"),
        (named | BAD_COLUMNS, *(f"dev.silver.orders: {fault}" for fault in BAD_COLUMN_FAULTS)),
        (named | BAD_REST, *(f"dev.silver.orders: {fault}" for fault in BAD_REST_FAULTS)),
    ]
    for values, *messages in rows:
        lines = refusal(state_from_json, values, error=JsonFormError).splitlines()
        assert len(lines) == len(messages), values
        assert [line for line, start in zip(lines, messages, strict=True) if not line.startswith(start)] == [], values


def test_types_of_too_many_levels_are_refused():
    data_type: object = "int"
    for _ in range(5_000):
        data_type = {"type": "array", "element": data_type}

    with pytest.raises(JsonFormError, match="is nested too deeply; write fewer levels"):
        state_from_json({"version": 1, "name": "a.b.c", "columns": [{"name": "id", "type": data_type}]})


TEXT = r"""{
  "version": 1,
  "name": "dev.silver.Orders",
  "logical_name": "prod.silver.`odd.name`",
  "exists": false,
  "schema_exists": false,
  "observed_version": 7,
  "comment": "Orders of the shop",
  "columns": [
    {"name": "id", "type": "bigint", "is_nullable": false, "identity": {"start": 1, "step": 1, "always": true}},
    {"name": "status", "type": "varchar(10)", "comment": "As shown to customers", "default": "'open'"},
    {"name": "created", "type": "timestamp"},
    {"name": "day", "type": "date", "generated_as": "CAST(created AS DATE)"},
    {"name": "address", "type": {"type": "struct", "fields": [{"name": "street", "type": "string", "is_nullable": false}, {"name": "lines", "type": {"type": "array", "element": "string", "contains_null": false}}]}},
    {"name": "extras", "type": {"type": "map", "key": "string", "value": "geometry(4326)", "value_contains_null": false}}
  ],
  "primary_key": {"name": "pk_orders", "columns": ["id"], "rely": true},
  "unique": [
    {"name": "uq_orders", "columns": ["status", "created"]}
  ],
  "checks": [
    {"name": "is_known", "expression": "status <> ''"}
  ],
  "foreign_keys": [
    {"name": "fk_orders", "columns": ["id"], "parent": "dev.silver.parents", "parent_columns": ["key"], "rely": true}
  ],
  "partitioned_by": ["day"],
  "clustered_by": ["id", "address.street"],
  "properties": {
    "delta.appendOnly": "true",
    "team": null
  },
  "owned_properties": ["delta.appendOnly"],
  "emulated_properties": ["delta.parquet.vorder.enabled"],
  "tags": {
    "": {"owner": "sales"},
    "address.street": {"old": null, "pii": "high"}
  },
  "source": {"provider": "parquet", "path": "/lake/orders", "is_registered": true, "is_in_place": true, "folders": [[], ["day=2026-01-31"]], "files": 12, "conflict": "b.parquet has another type", "sign": "deletion_vector.bin"},
  "convert_from": {"format": "parquet", "path": "/lake/orders", "statistics": false},
  "renames": [
    {"path": "address.street", "renamed_from": "str"}
  ],
  "column_order": "report",
  "owns": {
    "comments": "ignore"
  },
  "evolution": "additive",
  "clients": ["trino>=470"],
  "deprecated": {
    "": {"since": "2026-01-31", "use": "dev.gold.orders"},
    "status": {"since": "2026-01-31", "sunset": "2026-07-31", "use": "state"}
  }
}
"""


def test_the_text_of_a_state_that_has_every_key():
    assert state_json_text(EXAMPLE) == TEXT
    assert state_json(state_from_json_text(TEXT)) == state_json(EXAMPLE)


# A low surrogate after a high one reads as one character, as in every JSON text.
CHARACTERS = st.one_of(st.characters(exclude_categories=()), st.sampled_from('\r\u2028\u202e\x7f"\\'))


@given(
    text=st.text(CHARACTERS, min_size=1).filter(
        lambda text: text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"),
    ),
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


OTHER_LAYOUTS = {
    "written by hand": EXAMPLE_TEXT,
    "one line": json.dumps(json.loads(EXAMPLE_TEXT)),
    "sorted keys, indented": json.dumps(json.loads(EXAMPLE_TEXT), indent=4, sort_keys=True),
    "defaults written out": TEXT.replace('"version": 1,', '"version": 1, "read_only": false, "kind": "",'),
    "Windows line ends": TEXT.replace("\n", "\r\n"),
}


def test_another_layout_reads_to_the_same_state():
    texts = {name: state_json_text(state_from_json_text(text)) for name, text in OTHER_LAYOUTS.items()}

    assert texts == dict.fromkeys(OTHER_LAYOUTS, TEXT)


CONFLICT = TEXT.replace('  "comment": "Orders of the shop",\n', '<<<<<<< HEAD\n  "comment": "a",\n=======\n>>>>>>> b\n')
BAD_TEXTS = {
    "conflict": (CONFLICT, "state of a table: has a conflict of a merge in line 8; restore it"),
    "end of a conflict": ("{\n>>>>>>> b\n", "state of a table: has a conflict of a merge in line 2; restore it"),
    "empty": ("", "state of a table: is not valid JSON: Expecting value: line 1 column 1 (char 0); restore it"),
    "pointer of LFS": (
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        "state of a table: is not valid JSON: Expecting value: line 1 column 1 (char 0); restore it",
    ),
    "not UTF-8": (b"\xff\xfe{", "state of a table: is not UTF-8; restore it"),
    "a key twice": (
        '{"version": 1, "name": "a.b.c", "properties": {"x": "1", "x": "2"}}',
        "state of a table: is not valid JSON: the key 'x' is written twice; restore it",
    ),
    "too many levels": ("[" * 200_000, "state of a table: is nested too deeply; restore it"),
    "another form": ("[]", 'state of a table: is []; write an object with a "version"'),
    "a higher version": (
        '{"version": 2, "name": "a.b.c"}',
        "a.b.c: is of version 2, and this release reads version 1; upgrade pytest-delta-schema",
    ),
}


def test_what_cannot_be_read_is_one_clear_error():
    with named_cases(lambda text: refusal(state_from_json_text, text, error=JsonFormError)) as case:
        for name, (text, message) in BAD_TEXTS.items():
            case(name, text, message)
