"""What the metadata in a Delta log declares about a table."""

from __future__ import annotations

import json

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.delta.protocol import clustering_in
from pytest_delta_schema.state import (
    ArrayState,
    CheckState,
    ColumnState,
    ForeignKeyState,
    KeyState,
    MapState,
    StructState,
)
from pytest_delta_schema.state.delta_log import state_from_metadata, tag_property
from pytest_delta_schema.state.keys import key_property
from support.tables import NAME


def field(name="a", data_type="long", nullable=True, **metadata):
    return {"name": name, "type": data_type, "nullable": nullable, "metadata": metadata}


def read(*fields, **metadata):
    schema = json.dumps({"type": "struct", "fields": fields})
    return state_from_metadata(NAME, metadata={"schemaString": schema, **metadata}, protocol={}, version=4)


@pytest.mark.parametrize(
    ("in_log", "canonical"),
    [
        ("long", "bigint"),
        ("integer", "int"),
        ("short", "smallint"),
        ("byte", "tinyint"),
        ("string", "string"),
        ("decimal(18,2)", "decimal(18,2)"),
        ("timestamp_ntz", "timestamp_ntz"),
        ("void", "void"),
        ({"type": "array", "elementType": "integer", "containsNull": False}, ArrayState("int", False)),
        (
            {"type": "map", "keyType": "string", "valueType": "short", "valueContainsNull": True},
            MapState("string", "smallint", True),
        ),
        (
            {"type": "struct", "fields": [field("x", "byte", nullable=False, comment="An x")]},
            StructState((ColumnState("x", "tinyint", False, "An x"),)),
        ),
        ({"type": "udt", "class": "x"}, '{"class": "x", "type": "udt"}'),
    ],
)
def test_types(in_log, canonical):
    assert read(field("a", in_log)).columns == (ColumnState("a", canonical, True, ""),)


@pytest.mark.parametrize(
    ("in_log", "text", "canonical"),
    [
        ("string", "varchar(10)", "varchar(10)"),
        ("string", "char(3)", "char(3)"),
        ("string", "something else", "string"),
        (
            {"type": "array", "elementType": "string", "containsNull": True},
            "array<varchar(5)>",
            ArrayState("varchar(5)", True),
        ),
        (
            {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True},
            "map<char(2),string>",
            MapState("char(2)", "string", True),
        ),
        (
            {"type": "struct", "fields": [field("a,b", "string"), field("n", "long"), field("d`e", "string")]},
            "struct<`a,b`:varchar(1),n:bigint,`d``e`:string>",
            StructState(
                (
                    ColumnState("a,b", "varchar(1)", True, ""),
                    ColumnState("n", "bigint", True, ""),
                    ColumnState("d`e", "string", True, ""),
                )
            ),
        ),
    ],
)
def test_char_and_varchar_come_from_the_field_metadata(in_log, text, canonical):
    shown = read(field("a", in_log, __CHAR_VARCHAR_TYPE_STRING=text))

    assert shown.columns[0].data_type == canonical


def test_a_type_of_an_unknown_form_keeps_its_strings():
    in_log = {"type": "range", "bound": "string"}

    shown = read(field("a", in_log, __CHAR_VARCHAR_TYPE_STRING="range<char(2)>"))

    assert shown.columns[0].data_type == '{"bound": "string", "type": "range"}'


def test_comments_nullability_and_the_version():
    shown = read(field("a", comment="An a"), field("b", nullable=False, comment=""), description="The table")

    assert shown.columns == (ColumnState("a", "bigint", True, "An a"), ColumnState("b", "bigint", False, ""))
    assert (shown.table_comment, shown.version, shown.exists) == ("The table", 4, True)


def test_a_description_that_is_null_is_no_comment():
    assert read(description=None, configuration=None).table_comment == ""


def test_the_protocol_is_shown_as_the_properties_that_set_it():
    shown = state_from_metadata(
        NAME,
        metadata={"schemaString": '{"type":"struct","fields":[]}', "configuration": {"team": "core"}},
        protocol={
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": ["columnMapping"],
            "writerFeatures": ["columnMapping", "appendOnly"],
        },
    )

    assert dict(shown.table_properties) == {
        "delta.minReaderVersion": "3",
        "delta.minWriterVersion": "7",
        "delta.feature.appendOnly": "supported",
        "delta.feature.columnMapping": "supported",
        "team": "core",
    }


def test_our_own_properties_are_hidden_and_the_key_is_read_from_them():
    key = KeyState("pk_x", ("id", "día"))

    shown = read(configuration={**key_property(key), "pytest_delta_schema.other": "1", "team": "core"})

    assert shown.primary_key == key
    assert [name for name in shown.table_properties if not name.startswith("delta.")] == ["team"]


def test_properties_that_delta_does_not_know_are_read_from_one_property_each():
    own = "pytest_delta_schema.property.delta."

    shown = read(configuration={f"{own}targetFileSize": "1", f"{own}twice": "own", "delta.Twice": "real"})

    assert {key: shown.table_properties[key] for key in ("delta.targetFileSize", "delta.Twice")} == {
        "delta.targetFileSize": "1",
        "delta.Twice": "real",
    }
    assert "delta.twice" not in shown.table_properties
    assert shown.emulated_properties == ("delta.targetFileSize",)


def test_the_key_is_stored_readably():
    assert key_property(KeyState("pk", ("día",))) == {
        "pytest_delta_schema.primaryKey": '{"name": "pk", "columns": ["día"]}'
    }
    assert read(configuration={"pytest_delta_schema.other": "1"}).primary_key is None


def test_checks_are_taken_out_of_the_properties():
    shown = state_from_metadata(
        NAME,
        metadata={
            "schemaString": '{"type": "struct", "fields": []}',
            "configuration": {"delta.constraints.b": "id > 0", "Delta.Constraints.A b.c": "id < 9", "delta.x": "1"},
        },
        protocol={},
    )

    assert shown.checks == (CheckState("A b.c", "id < 9"), CheckState("b", "id > 0"))
    assert [key for key in shown.table_properties if "constraints" in key.lower()] == []


def test_foreign_keys_come_from_one_property_each():
    keys = (
        ForeignKeyState("A_key", ("a",), QualifiedName("dev", "silver", "parents"), ("día",)),
        ForeignKeyState("b", ("x", "y"), QualifiedName("dev", "gold", "p.q"), ()),
    )
    configuration = {**key_property(keys[1]), **key_property(keys[0])}

    state = read(configuration=configuration)

    assert sorted(configuration) == ["pytest_delta_schema.foreignKey.a_key", "pytest_delta_schema.foreignKey.b"]
    assert '"parentColumns": ["día"]' in configuration["pytest_delta_schema.foreignKey.a_key"]
    assert state.foreign_keys == keys
    assert [key for key in state.table_properties if key in configuration] == []


def test_tags_are_read_from_one_property_each():
    tags = {"tag.team": "sales", "tag.a.b.pii": "", "tag.a.b.level": "2", "tag.gone.pii": ""}
    observed = read(field("A.b"), configuration={f"pytest_delta_schema.{key}": value for key, value in tags.items()})

    assert observed.tags == {TABLE: {"team": "sales"}, ColumnPath("A.b"): {"level": "2", "pii": ""}}
    assert tag_property(ColumnPath("A.b"), "pii") == "pytest_delta_schema.tag.a.b.pii"
    assert tag_property(TABLE, "team") == "pytest_delta_schema.tag.team"


def clustered(*columns):
    return {
        "domain": "delta.clustering",
        "configuration": json.dumps({"clusteringColumns": [[column] for column in columns]}),
    }


ROWS = {"domain": "delta.rowTracking", "configuration": "{}"}


@pytest.mark.parametrize(
    ("domains", "clustering"),
    [
        ([], None),
        ([ROWS], None),
        ([clustered("a", "b"), ROWS], [["a"], ["b"]]),
        ([ROWS, clustered("a")], [["a"]]),
        ([{**clustered("a"), "removed": True}], ()),
    ],
)
def test_clustering_is_found_among_the_domains(domains, clustering):
    assert clustering_in(domains) == clustering
