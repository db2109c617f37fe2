"""Paths of the parts of a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema.delta.names import ColumnPath, column_of, part_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (part_path("primary_key"), "primary_key"),
        (part_path("columns", "id"), "columns.id"),
        (part_path("columns", "id", "comment"), "columns.id.comment"),
        (part_path("columns", "order id", "tags", "a b.c"), "columns.`order id`.tags.a b.c"),
        (part_path("columns", "a.b"), "columns.`a.b`"),
        (part_path("columns", ColumnPath("a", "b.c"), "default"), "columns.a.`b.c`.default"),
        (part_path("checks", "is positive"), "checks.is positive"),
        (part_path("properties", "delta.appendOnly"), "properties.delta.appendOnly"),
    ],
)
def test_a_path_has_back_quotes_around_the_names_of_columns_that_need_them(path: str, expected: str) -> None:
    assert path == expected


@given(st.text(min_size=1), st.sampled_from(["", "comment", "tags.`a.b", "x.`y`"]))
def test_the_column_of_a_path_is_read_back(name: str, rest: str) -> None:
    path = part_path("columns", name, *([rest] if rest else []))

    assert column_of(path) == (name, rest)


@pytest.mark.parametrize("path", ["", "table", "columns", "columns.", "checks.id", "properties.columns.id"])
def test_other_paths_have_no_column(path: str) -> None:
    assert column_of(path) == ("", "")
