"""JSON as text: the same values, and a line for each record."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema.report.json_report import json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("values", "depth", "expected"),
    [
        ([{"a": 1, "b": [2, "\u00e9"]}], 0, '[{"a": 1, "b": [2, "\\u00e9"]}]\n'),
        ([{"a": 1, "b": [2]}, {}], 1, '[\n {"a": 1, "b": [2]},\n {}\n]\n'),
        ({"a": 1, "b": [{"c": 2}]}, 2, '{\n "a": 1,\n "b": [\n  {"c": 2}\n ]\n}\n'),
        ({"a\n": [], "b": {}, "c": ""}, 3, '{\n "a\\n": [],\n "b": {},\n "c": ""\n}\n'),
        ("x", 3, '"x"\n'),
    ],
)
def test_values_below_the_depth_are_on_one_line(values, depth, expected):
    assert json_text(values, depth) == expected


@given(VALUES, st.integers(0, 4))
def test_the_values_are_read_back(values, depth):
    written = json_text(values, depth)

    assert json.loads(written) == values
    assert written.isascii()


@given(VALUES)
def test_the_deepest_text_is_that_of_the_standard_library(values):
    assert json_text(values, 99) == f"{json.dumps(values, indent=1)}\n"
