"""The JSON form of a state as the text of a file: canonical, legible, and read back from any layout."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.diagnostics.errors import JsonFormError
from pytest_delta_schema.state import ColumnState, TableState, state_json
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_state import state_from_json_text, state_json_text
from support.values.state_json import EXAMPLE, EXAMPLE_TEXT
from support.values.strategies import models, states

NAME = QualifiedName("dev", "silver", "orders")

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


@given(state=st.one_of(states(), models().map(desired_state)))
@settings(max_examples=50)
def test_any_state_is_read_back(state):
    text = state_json_text(state)

    for content in (text, text.encode()):
        assert state_from_json_text(content) == state
        # The keys are not in the order of the declaration, and what states do not compare is equal as well.
        assert state_json(state_from_json_text(content)) == state_json(state)
    assert state_json_text(state_from_json_text(text)) == text


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
    state = TableState(
        name=NAME, columns=(ColumnState(text, "int", True, text),), table_properties={text: text}, table_comment=text
    )

    lines = state_json_text(state).split("\n")

    assert state_from_json_text("\n".join(lines)) == state
    assert lines[4] == '  "columns": ['
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


@pytest.mark.parametrize("text", OTHER_LAYOUTS.values(), ids=OTHER_LAYOUTS)
def test_another_layout_reads_to_the_same_state(text):
    assert state_json_text(state_from_json_text(text)) == TEXT


CONFLICT = TEXT.replace('  "comment": "Orders of the shop",\n', '<<<<<<< HEAD\n  "comment": "a",\n=======\n>>>>>>> b\n')
BAD = {
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


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_is_one_clear_error(text, message):
    with pytest.raises(JsonFormError) as caught:
        state_from_json_text(text)

    assert str(caught.value) == message
