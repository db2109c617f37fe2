"""Names that match without case: sets and mappings to look them up."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pytest_delta_schema
from pytest_delta_schema.delta.names import NameMap, NameSet, folded, same_name, same_names, spark_name
from support.delta_logs.java_characters import JAVA_17, LATER


class Thing(NamedTuple):
    name: str
    number: int = 0


NAMES = st.sampled_from(["id", "ID", "Id", "mail", "MAIL", "ä", "Ä", ""])


@pytest.mark.parametrize(("left", "right", "equal"), [("Id", "iD", True), ("id", "id_", False)])
def test_names_are_the_same_without_regard_to_case(left: str, right: str, equal: bool) -> None:
    assert same_name(left, right) is equal


@given(left=NAMES, right=NAMES)
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


@given(names=st.lists(NAMES), name=NAMES)
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
    "sql/words.py": "types of Databricks",
    "backends/databricks/catalog.py": "what a relation is, and its format",
    "backends/databricks/connection.py": "the state of a warehouse",
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
