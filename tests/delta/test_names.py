"""Names and paths inside a table: matched without case, equal, ordered and written by laws."""

from __future__ import annotations

import copy
import pickle
import sys
import unicodedata
from typing import Any, NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from pytest_delta_schema.delta.names import (
    ELEMENT,
    KEY,
    TABLE,
    VALUE,
    ColumnPath,
    NameMap,
    NameSet,
    WrittenPart,
    column_of,
    folded,
    part_path,
    same_name,
    same_names,
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


@given(path=PATHS, name=NAMES)
def test_child_and_parent_are_inverse(path: ColumnPath, name: str) -> None:
    child = path.child(name)

    assert child.parent.parts == path.parts
    assert (child.name, len(child)) == (name, len(path) + 1)
    assert child.starts_with(path)
    assert not path.starts_with(child)


@given(path=PATHS)
def test_the_parts_of_a_path(path: ColumnPath) -> None:
    prefixes = [*path.prefixes()]

    assert [len(prefix) for prefix in prefixes] == [*range(1, len(path) + 1)]
    assert all(path.starts_with(prefix) for prefix in prefixes)
    assert prefixes[-1:] == ([path] if len(path) else [])
    assert [*path] == [*path.parts]
    if len(path):
        assert ColumnPath(path.root, *path.fields).parts == path.parts
        assert path.parent.child(path.name).parts == path.parts
    for twin in (copy.deepcopy(path), pickle.loads(pickle.dumps(path))):  # noqa: S301 - written right here
        assert (twin, twin.parts) == (path, path.parts)


@given(path=COLUMNS)
@example(path=ColumnPath(""))
@example(path=ColumnPath("", ""))
@example(path=ColumnPath("\ud83d", "\ude00"))
def test_the_text_of_a_path_is_read_as_that_path(path: ColumnPath) -> None:
    assert ColumnPath.parse(path.text).parts == path.parts


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


def test_the_table_is_the_path_of_no_parts_and_no_path_is_a_tuple() -> None:
    twin: object = ("id",)

    assert ColumnPath() == TABLE == ColumnPath("id").parent
    assert not TABLE
    assert TABLE.child("id") == ColumnPath("ID") != twin
    assert repr(ColumnPath("Id")) == "ColumnPath('Id')"


class Thing(NamedTuple):
    name: str
    number: int = 0


SPELLINGS = st.sampled_from(["id", "ID", "Id", "mail", "MAIL", "ä", "Ä", ""])


@given(left=SPELLINGS, right=SPELLINGS)
def test_names_are_the_same_where_their_folded_forms_are(left: str, right: str) -> None:
    assert same_name(left, right) is same_names([left], [right]) is (folded(left) == folded(right))
    assert same_names([left, right], [right.upper(), left]) is same_name(left, right)
    assert not same_names([left], [left, right])


def test_names_that_spark_takes_for_each_other() -> None:
    equal = [
        ("s\u0131ra", "SIRA"),
        ("\u0130d", "id"),
        ("\u017f", "s"),
        ("\u00b5", "μ"),
        ("\u03b1\u03c2", "\u0391\u03a3"),
    ]
    equal += [("Å", "å"), ("\u01c5", "\u01c6"), ("\u1fbc", "\u1fb3"), ("\u1e9e", "ß")]
    different = [
        ("ß", "ss"),
        ("ﬀ", "ff"),
        ("\ufb05", "\ufb06"),
        ("\u0390", "\u1fd3"),
        ("\u0130", "i\u0307"),
        ("é", "e"),
    ]

    assert [pair for pair in (*equal, *different) if spark_name(pair[0]) == spark_name(pair[1])] == equal


def test_characters_are_folded_as_by_spark() -> None:
    known = {character: other for character, other in LATER.items() if unicodedata.category(character) != "Cn"}

    changed = {character: spark_name(character) for character in map(chr, range(sys.maxunicode + 1))}

    assert {character: other for character, other in changed.items() if other != character} == JAVA_17 | known


@given(name=st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_names_are_folded_by_character(name: str) -> None:
    assert spark_name(name) == "".join(map(spark_name, name))
    assert spark_name(spark_name(name)) == spark_name(name)


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


def test_a_mapping_can_be_changed() -> None:
    numbers = NameMap([("Id", 1)])
    numbers["MAIL"] = 2

    assert (numbers.setdefault("ID", 7), numbers.setdefault("New", 8)) == (1, 8)
    assert (numbers.pop("mail"), numbers.pop("mail")) == (2, None)
    assert [*numbers] == ["id", "new"]


def test_a_path_has_back_quotes_around_the_names_of_columns_that_need_them() -> None:
    paths = {
        part_path("primary_key"): "primary_key",
        part_path("columns", "id"): "columns.id",
        part_path("columns", "id", "comment"): "columns.id.comment",
        part_path("columns", "order id", "tags", "a b.c"): "columns.`order id`.tags.a b.c",
        part_path("columns", "a.b"): "columns.`a.b`",
        part_path("columns", ColumnPath("a", "b.c"), "default"): "columns.a.`b.c`.default",
        part_path("checks", "is positive"): "checks.is positive",
        part_path("properties", "delta.appendOnly"): "properties.delta.appendOnly",
    }

    assert [*paths] == [*paths.values()]


@given(st.text(min_size=1), st.sampled_from(["", "comment", "tags.`a.b", "x.`y`"]))
def test_the_column_of_a_path_is_read_back(name: str, rest: str) -> None:
    path = part_path("columns", name, *([rest] if rest else []))

    assert column_of(path) == (name, rest)


def test_other_paths_have_no_column() -> None:
    for path in ("", "table", "columns", "columns.", "checks.id", "properties.columns.id"):
        assert column_of(path) == ("", "")
