"""Names and paths inside a table: matched without case, equal, ordered and written by laws."""

from __future__ import annotations

import sys
import unicodedata
from typing import Any, NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from pytest_delta_schema.delta.names import (
    ELEMENT,
    KEY,
    TABLE,
    ColumnPath,
    NameMap,
    NameSet,
    WrittenPart,
    column_of,
    folded,
    part_path,
    same_name,
    spark_name,
    split_path,
)
from support.strategies import JAVA_17, LATER

NAMES = st.text(max_size=8) | st.sampled_from(["id", "ID", "a.b", "`", "``", "\\u0041", "\u001b", "😀", "", ELEMENT])
PATHS = st.lists(NAMES, max_size=4).map(lambda parts: ColumnPath(*parts))
COLUMNS = PATHS.filter(len)


@given(left=PATHS, right=PATHS)
def test_paths_are_equal_where_their_folded_parts_are(left: ColumnPath, right: ColumnPath) -> None:
    other = ColumnPath(*left.folded)

    assert (left, hash(left)) == (other, hash(other))
    assert left.starts_with(other)
    assert not left < other
    assert (left == right) is (left.folded == right.folded)
    assert len({left, right}) == (1 if left == right else 2)


@given(paths=st.lists(PATHS))
def test_the_order_is_that_of_the_folded_parts(paths: list[ColumnPath]) -> None:
    assert [path.folded for path in sorted(paths)] == sorted(path.folded for path in paths)


@given(path=COLUMNS)
@example(path=ColumnPath(""))
@example(path=ColumnPath("", ""))
@example(path=ColumnPath("\ud83d", "\ude00"))
def test_the_text_of_a_path_is_read_as_that_path(path: ColumnPath) -> None:
    assert ColumnPath.parse(path.text).parts == path.parts


PARSED = {
    "Address.Street": ["Address", "Street"],
    "tags.element.key": ["tags", ELEMENT, KEY],
    "`a.b`.c": ["a.b", "c"],
    "`a``b`": ["a`b"],
    r"`\u001b`": ["\u001b"],
    r"\u001b": [r"\u001b"],
    "`a`b.c": ["`a`b", "c"],
    "a..b": ["a", "", "b"],
    "": [""],
}


def test_a_text_is_split_at_the_dots_outside_of_back_quotes() -> None:
    assert {text: [*ColumnPath.parse(text)] for text in PARSED} == PARSED
    assert split_path("`a`.b") == (WrittenPart("a", is_quoted=True), WrittenPart("b", is_quoted=False))


TEXTS = {
    ColumnPath("Id"): ("Id", "Id"),
    ColumnPath("address", "zip-code"): ("address.zip-code", "address.zip-code"),
    ColumnPath("a.b", "it's"): ("a.b.it's", r"`a.b`.`it\u0027s`"),
    ColumnPath("a`b"): ("a`b", "`a``b`"),
    TABLE: ("", ""),
}


def test_messages_show_the_names_and_texts_to_copy_have_back_quotes() -> None:
    assert {path: (str(path), path.text) for path in TEXTS} == TEXTS
    assert repr(ColumnPath("Id")) == "ColumnPath('Id')"


class Thing(NamedTuple):
    name: str
    number: int = 0


SPELLINGS = st.sampled_from(["id", "ID", "Id", "mail", "MAIL", "ä", "Ä", ""])


def test_characters_are_folded_as_by_spark() -> None:
    known = {character: other for character, other in LATER.items() if unicodedata.category(character) != "Cn"}

    changed = {character: spark_name(character) for character in map(chr, range(sys.maxunicode + 1))}

    assert {character: other for character, other in changed.items() if other != character} == JAVA_17 | known


@given(names=st.lists(SPELLINGS), name=SPELLINGS)
def test_a_set_holds_every_spelling_and_names_only(names: list[str], name: str) -> None:
    number: Any = 1

    assert (name in NameSet(names)) is any(same_name(name, other) for other in names)
    assert set(NameSet(names)) == {folded(other) for other in names}
    assert number not in NameSet(["1"])
    assert [*NameSet.of([Thing("Id")])] == ["id"]
    assert NameSet(["ID"]) <= NameSet(["id", "mail"])


def test_a_mapping_finds_every_spelling() -> None:
    things = NameMap.of([Thing("Id", 1), Thing("Mail", 2), Thing("MAIL", 3)])

    assert [*things] == ["id", "mail"]
    assert [*things.values()] == [Thing("Id", 1), Thing("MAIL", 3)]
    assert things["ID"] == things.get("iD") == Thing("Id", 1)
    assert things.get("gone") is None
    assert ("MAIL" in things, "gone" in things, len(things)) == (True, False, 2)


@given(st.text(min_size=1), st.sampled_from(["", "comment", "tags.`a.b", "x.`y`"]))
def test_the_column_of_a_path_is_read_back(name: str, rest: str) -> None:
    path = part_path("columns", name, *([rest] if rest else []))

    assert column_of(path) == (name, rest)


def test_other_paths_have_no_column() -> None:
    for path in ("", "table", "columns", "columns.", "checks.id", "properties.columns.id"):
        assert column_of(path) == ("", "")
