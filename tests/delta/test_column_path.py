"""Paths inside a table: one value object whose equality, order and text are laws."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_delta_schema.delta.names import ELEMENT, KEY, TABLE, VALUE, ColumnPath, WrittenPart, split_path

NAMES = st.text(max_size=8) | st.sampled_from(["id", "ID", "a.b", "`", "``", "\\u0041", "\u001b", "😀", "", ELEMENT])
PATHS = st.lists(NAMES, max_size=4).map(lambda parts: ColumnPath(*parts))
COLUMNS = PATHS.filter(len)


@given(path=PATHS)
def test_another_spelling_is_equal_and_has_the_same_hash(path: ColumnPath) -> None:
    other = ColumnPath(*path.folded)

    assert (path, hash(path)) == (other, hash(other))
    assert path.starts_with(other)
    assert not path < other


@given(left=PATHS, right=PATHS)
def test_paths_are_equal_where_their_folded_parts_are(left: ColumnPath, right: ColumnPath) -> None:
    assert (left == right) is (left.folded == right.folded)
    assert len({left, right}) == (1 if left == right else 2)


@given(paths=st.lists(PATHS))
def test_the_order_is_that_of_the_folded_parts(paths: list[ColumnPath]) -> None:
    assert [path.folded for path in sorted(paths)] == sorted(path.folded for path in paths)


@given(path=PATHS, name=NAMES)
def test_child_and_parent_are_inverse(path: ColumnPath, name: str) -> None:
    child = path.child(name)

    assert child.parent.parts == path.parts
    assert (child.name, len(child)) == (name, len(path) + 1)
    assert child.starts_with(path)
    assert not path.starts_with(child)


@given(path=COLUMNS)
def test_a_path_is_its_column_and_the_parts_below_it(path: ColumnPath) -> None:
    assert ColumnPath(path.root, *path.fields).parts == path.parts
    assert path.parent.child(path.name).parts == path.parts
    assert [*path] == [*path.parts]


@given(path=PATHS)
def test_the_prefixes_of_a_path_are_the_paths_that_it_starts_with(path: ColumnPath) -> None:
    prefixes = [*path.prefixes()]

    assert [len(prefix) for prefix in prefixes] == [*range(1, len(path) + 1)]
    assert all(path.starts_with(prefix) for prefix in prefixes)
    assert prefixes[-1:] == ([path] if len(path) else [])


@given(path=COLUMNS)
@example(path=ColumnPath(""))
@example(path=ColumnPath("", ""))
@example(path=ColumnPath("\ud83d", "\ude00"))
def test_the_text_of_a_path_is_read_as_that_path(path: ColumnPath) -> None:
    assert ColumnPath.parse(path.text).parts == path.parts


@given(path=PATHS)
def test_copies_keep_the_spelling(path: ColumnPath) -> None:
    for twin in (copy.deepcopy(path), pickle.loads(pickle.dumps(path))):  # noqa: S301 - written right here
        assert (twin, twin.parts) == (path, path.parts)


PARSED = {
    "id": ["id"],
    "Address.Street": ["Address", "Street"],
    "tags.element.key": ["tags", ELEMENT, KEY],
    "prices.value": ["prices", VALUE],
    "`a.b`.c": ["a.b", "c"],
    "`a``b`": ["a`b"],
    r"`\u001b`": ["\u001b"],
    r"\u001b": [r"\u001b"],
    "two words.x": ["two words", "x"],
    "a`b.c": ["a`b", "c"],
    "`a`b.c": ["`a`b", "c"],
    "`a.b": ["`a", "b"],
    "a..b": ["a", "", "b"],
    ".a.": ["", "a", ""],
    "": [""],
}


@pytest.mark.parametrize("text", PARSED)
def test_a_text_is_split_at_the_dots_outside_of_back_quotes(text: str) -> None:
    assert [*ColumnPath.parse(text)] == PARSED[text]


def test_a_written_part_remembers_its_back_quotes() -> None:
    assert split_path("`a`.b") == (WrittenPart("a", is_quoted=True), WrittenPart("b", is_quoted=False))


TEXTS = {
    ColumnPath("Id"): ("Id", "Id"),
    ColumnPath("address", "zip-code"): ("address.zip-code", "address.zip-code"),
    ColumnPath("a.b", "it's"): ("a.b.it's", r"`a.b`.`it\u0027s`"),
    ColumnPath("a`b"): ("a`b", "`a``b`"),
    TABLE: ("", ""),
}


@pytest.mark.parametrize("path", TEXTS, ids=str)
def test_messages_show_the_names_and_texts_to_copy_have_back_quotes(path: ColumnPath) -> None:
    assert (str(path), path.text) == TEXTS[path]


def test_the_table_is_the_path_of_no_parts() -> None:
    assert ColumnPath() == TABLE
    assert not TABLE
    assert TABLE.child("id") == ColumnPath("ID")
    assert ColumnPath("id").parent == TABLE


def test_a_path_is_no_tuple() -> None:
    twin: object = ("id",)

    assert ColumnPath("id") != twin
    assert repr(ColumnPath("Id")) == "ColumnPath('Id')"
