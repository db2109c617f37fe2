"""Names and paths inside a table: matched without case, equal, ordered and written by laws."""

from __future__ import annotations

import copy
import pickle
import sys
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pytest_delta_schema
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


class Thing(NamedTuple):
    name: str
    number: int = 0


SPELLINGS = st.sampled_from(["id", "ID", "Id", "mail", "MAIL", "ä", "Ä", ""])


@pytest.mark.parametrize(("left", "right", "equal"), [("Id", "iD", True), ("id", "id_", False)])
def test_names_are_the_same_without_regard_to_case(left: str, right: str, equal: bool) -> None:
    assert same_name(left, right) is equal


@given(left=SPELLINGS, right=SPELLINGS)
def test_names_are_the_same_where_their_folded_forms_are(left: str, right: str) -> None:
    assert same_name(left, right) is same_names([left], [right]) is (folded(left) == folded(right))


def test_lists_of_names_are_the_same_in_the_same_order() -> None:
    assert same_names(["Id", "MAIL"], ["id", "mail"])
    assert not same_names(["Id", "MAIL"], ["mail", "id"])
    assert not same_names(["id"], ["id", "mail"])


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("s\u0131ra", "SIRA", True),
        ("\u0130d", "id", True),
        ("\u017f", "s", True),
        ("\u00b5", "μ", True),
        ("\u03b1\u03c2", "\u0391\u03a3", True),
        ("Å", "å", True),
        ("\u01c5", "\u01c6", True),
        ("\u1fbc", "\u1fb3", True),
        ("\u1e9e", "ß", True),
        ("ß", "ss", False),
        ("ﬀ", "ff", False),
        ("\ufb05", "\ufb06", False),
        ("\u0390", "\u1fd3", False),
        ("\u0130", "i\u0307", False),
        ("é", "e", False),
    ],
)
def test_names_that_spark_takes_for_each_other(left: str, right: str, equal: bool) -> None:
    assert (spark_name(left) == spark_name(right)) is equal


def test_characters_are_folded_as_by_spark() -> None:
    known = {character: other for character, other in LATER.items() if unicodedata.category(character) != "Cn"}

    changed = {character: spark_name(character) for character in map(chr, range(sys.maxunicode + 1))}

    assert {character: other for character, other in changed.items() if other != character} == JAVA_17 | known


@given(name=st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_names_are_folded_by_character(name: str) -> None:
    assert spark_name(name) == "".join(map(spark_name, name))
    assert spark_name(spark_name(name)) == spark_name(name)


@given(names=st.lists(SPELLINGS), name=SPELLINGS)
def test_a_set_holds_every_spelling(names: list[str], name: str) -> None:
    assert (name in NameSet(names)) is any(same_name(name, other) for other in names)
    assert set(NameSet(names)) == {folded(other) for other in names}


def test_a_set_holds_names_only() -> None:
    number: Any = 1

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


OTHER_TEXTS = {
    "exchange/statements.py": "types that no parser knows",
    "test_kit/values.py": "values of a column that a check compares in one case",
    "backends/databricks/catalog.py": "what a relation is, and its format",
    "backends/databricks/connection.py": "the state of a warehouse",
    "backends/databricks/descriptions.py": "types, and the value of a property",
    "testing/databricks.py": "positions of the columns of keys",
    "backends/local/probes.py": "a boolean of Spark",
    "backends/local/conversion.py": "a table provider",
    "backends/local/reading.py": "a table provider",
    "backends/problems.py": "a table provider",
    "backends/spark_session/reading.py": "a table provider",
    "backends/unity/storage.py": "booleans of Hadoop and deltalake",
    "backends/unity/transport.py": "headers of HTTP",
    "backends/unity/entries.py": "what an entry is, and its format",
    "delta/char_varchar.py": "types in JSON",
    "delta/protocol.py": "values of properties",
    "delta/properties.py": "values of properties",
    "delta/well_formed.py": "types in JSON",
    "configuration/files.py": "the name of a section",
    "configuration/values.py": "a boolean of TOML",
    "models/arguments.py": "a mistyped argument",
    "source_code/modules.py": "a variable in Python",
    "exchange/definitions.py": "booleans of SQL",
    "models/types.py": "names of types",
    "plan/entry_comparison.py": "types of catalog entries",
    "plan/kinds.py": "a member of an enum",
    "plugin/model_files.py": "a variable in Python",
    "diagnostics/redaction.py": "the scheme of an address",
    "rules/layout.py": "a value in the name of a folder",
    "settings/table.py": "a mistyped setting",
    "state/expressions/faults.py": "a function of SQL",
    "state/expressions/parsing.py": "functions and numbers of SQL",
    "state/expressions/evaluation.py": "the function lower, and the exponent of a number",
    "testing/unity_tables.py": "the server double shares no code with what it tests",
}
"""The modules that make another text than a name lower case, with what it is."""


def test_names_are_folded_in_one_place() -> None:
    root = Path(pytest_delta_schema.__file__).parent
    lower = {path.relative_to(root).as_posix() for path in root.rglob("*.py") if ".lower" in path.read_text("utf-8")}

    assert sorted(lower - OTHER_TEXTS.keys()) == ["delta/names.py"]
    assert OTHER_TEXTS.keys() <= lower


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
