"""What the actions in a Delta log say about a table, its commits included, also where a newer client wrote them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from itertools import product
from runpy import run_path
from types import SimpleNamespace

from pyspark.sql import types as spark

from pytest_delta_schema import Column, MemoryCatalog, Merge, QualifiedName, UnknownType, WriteOptions, check_write
from pytest_delta_schema.backends.databricks.catalog import CAPABILITIES as DATABRICKS
from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA as LOCAL
from pytest_delta_schema.backends.spark_session.catalog import CLASSIC, REMOTE
from pytest_delta_schema.backends.unity.catalog import CAPABILITIES as UNITY
from pytest_delta_schema.delta.fields import logical_path, with_collations_json
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.delta.protocol import clustering_in, may_be_clustered
from pytest_delta_schema.delta.well_formed import MalformedLog
from pytest_delta_schema.execute.protocols import unsupported_statements
from pytest_delta_schema.models.spark_types import unknown_types
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.report import model_source
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state import (
    ArrayState,
    CatalogState,
    CheckState,
    ColumnState,
    Commit,
    DataFile,
    EntryState,
    ForeignKeyState,
    KeyState,
    MapState,
    StructState,
)
from pytest_delta_schema.state.commits import commit_of
from pytest_delta_schema.state.delta_log import LogFacts, emulated_property, tag_property
from pytest_delta_schema.state.desired import declared_table, desired_state
from pytest_delta_schema.state.keys import key_property, keys_in_properties
from pytest_delta_schema.state.types import ColumnGeneration, IdentityState, describe_type
from pytest_delta_schema.write_check.verdict import FRAME_METHODS
from support.case_tables import cases, named_cases, refusal
from support.damaged_logs import QUANTUM, READABLE_LOGS
from support.hand_made_logs.files import METADATA, PROTOCOL, features
from support.models import NAME, table
from support.violations import violations_of_plan


def field(name="a", data_type="long", nullable=True, **metadata):
    return {"name": name, "type": data_type, "nullable": nullable, "metadata": metadata}


def read(*fields, **metadata):
    schema = json.dumps({"type": "struct", "fields": fields})
    return LogFacts({"schemaString": schema, **metadata}, {}, version=4).state(NAME)


def test_types():
    with cases(lambda in_log: read(field("a", in_log)).columns[0].data_type) as case:
        case("long", "bigint")
        case("integer", "int")
        case("short", "smallint")
        case("byte", "tinyint")
        case("string", "string")
        case("decimal(18,2)", "decimal(18,2)")
        case("timestamp_ntz", "timestamp_ntz")
        case("void", "void")
        case({"type": "array", "elementType": "integer", "containsNull": False}, ArrayState("int", False))
        case(
            {"type": "map", "keyType": "string", "valueType": "short", "valueContainsNull": True},
            MapState("string", "smallint", True),
        )
        case(
            {"type": "struct", "fields": [field("x", "byte", nullable=False, comment="An x")]},
            StructState((ColumnState("x", "tinyint", False, "An x"),)),
        )
        case({"type": "udt", "class": "x"}, '{"class": "x", "type": "udt"}')


def test_char_and_varchar_come_from_the_field_metadata():
    with cases(
        lambda in_log, text: read(field("a", in_log, __CHAR_VARCHAR_TYPE_STRING=text)).columns[0].data_type
    ) as case:
        case("string", "varchar(10)", "varchar(10)")
        case("string", "char(3)", "char(3)")
        case("string", "something else", "string")
        case({"type": "range", "bound": "string"}, "range<char(2)>", '{"bound": "string", "type": "range"}')
        case(
            {"type": "array", "elementType": "string", "containsNull": True},
            "array<varchar(5)>",
            ArrayState("varchar(5)", True),
        )
        case(
            {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True},
            "map<char(2),string>",
            MapState("char(2)", "string", True),
        )
        case(
            {"type": "struct", "fields": [field("a,b", "string"), field("n", "long"), field("d`e", "string")]},
            "struct<`a,b`:varchar(1),n:bigint,`d``e`:string>",
            StructState(
                (
                    ColumnState("a,b", "varchar(1)", True, ""),
                    ColumnState("n", "bigint", True, ""),
                    ColumnState("d`e", "string", True, ""),
                )
            ),
        )


def test_two_tables_are_equal_whatever_their_ids_are():
    log = LogFacts({"schemaString": '{"fields": []}', "id": "1"}, {})
    other = replace(log, metadata={**log.metadata, "id": "2"})

    assert log.state(NAME) == other.state(NAME)
    assert [log.state(NAME).version, log.state(NAME).table_id, other.state(NAME).table_id] == [None, "1", "2"]


def test_facts_are_read_once_and_have_texts_where_spark_reads_texts():
    entry = {**METADATA, "configuration": {"team": "core"}, "description": 5}
    facts = LogFacts(entry, PROTOCOL).well_formed()

    assert (facts.comment, facts.parsed) == ("5", json.loads(METADATA["schemaString"]))
    assert facts.well_formed() is facts
    wrong = replace(facts, metadata={**entry, "schemaString": "{"}, parsed=None)
    assert refusal(wrong.well_formed, error=MalformedLog) == "a schema that is not JSON"


def test_features_say_who_commits_to_a_log_and_whether_a_table_may_be_clustered():
    def facts(*names):
        protocol = features(*names) if names else PROTOCOL
        return LogFacts({}, protocol).is_catalog_managed, may_be_clustered(protocol)

    with cases(facts) as case:
        case((False, False))
        case("catalogManaged", "clustering", (True, True))
        case("catalogOwned-preview", (True, False))


def test_comments_nullability_and_the_version():
    shown = read(field("a", comment="An a"), field("b", nullable=False, comment=""), description="The table")

    assert shown.columns == (ColumnState("a", "bigint", True, "An a"), ColumnState("b", "bigint", False, ""))
    assert (shown.table_comment, shown.version, shown.exists) == ("The table", 4, True)


NULLS = ("comment", "CURRENT_DEFAULT", "delta.generationExpression", "__CHAR_VARCHAR_TYPE_STRING", "__COLLATIONS", "x")
"""Keys of the metadata of a field whose value Spark writes as null for ``{"comment": None}``."""


def test_metadata_of_a_field_that_is_null_is_not_there():
    for key, others in product(NULLS, ({}, {"comment": "An a"})):
        odd = field("a", "string", **{**others, key: None})
        inside = {"type": "struct", "fields": [odd]}
        listed = {"type": "array", "elementType": inside, "containsNull": True}
        plain = ColumnState("a", "string", True, {**others, key: ""}.get("comment", ""))
        assert read(odd, field("s", inside), field("l", listed)).columns == (
            plain,
            ColumnState("s", StructState((plain,)), True, ""),
            ColumnState("l", ArrayState(StructState((plain,)), True), True, ""),
        )


def test_what_is_null_in_a_log_is_not_there_and_parts_of_an_identity_are_zero_and_false():
    keys = ("delta.identity.start", "delta.identity.step", "delta.identity.allowExplicitInsert")
    unnamed = {"type": "struct", "fields": [field("a", **{"delta.columnMapping.physicalName": None})]}

    assert read(field("a", **dict.fromkeys(keys))).columns[0].value == ColumnGeneration(
        None, None, IdentityState(0, 0, True)
    )
    assert logical_path(unnamed, ["a"]) == ColumnPath("a")
    assert read(description=None, configuration=None).table_comment == ""


def test_the_protocol_is_shown_as_the_properties_that_set_it_and_checks_are_none():
    versions = {"minReaderVersion": 3, "minWriterVersion": 7}
    features = {"readerFeatures": ["columnMapping"], "writerFeatures": ["columnMapping", "appendOnly"]}
    configuration = {"team": "core", "delta.constraints.b": "id > 0", "Delta.Constraints.A b.c": "id < 9"}
    metadata = {"schemaString": '{"type":"struct","fields":[]}', "configuration": configuration}

    shown = LogFacts(metadata=metadata, protocol={**versions, **features}).state(NAME)

    assert dict(shown.table_properties) == {
        "delta.minReaderVersion": "3",
        "delta.minWriterVersion": "7",
        "delta.feature.appendOnly": "supported",
        "delta.feature.columnMapping": "supported",
        "team": "core",
    }
    assert shown.checks == (CheckState("A b.c", "id < 9"), CheckState("b", "id > 0"))


def test_properties_that_delta_does_not_know_are_read_from_one_property_each():
    own = "pytest_delta_schema.property.delta."

    shown = read(configuration={f"{own}targetFileSize": "1", f"{own}twice": "own", "delta.Twice": "real"})

    assert shown.table_properties.items() >= {"delta.targetFileSize": "1", "delta.Twice": "real"}.items()
    assert "delta.twice" not in shown.table_properties
    assert shown.emulated_properties == ("delta.targetFileSize",)


def test_each_key_is_one_property():
    primary = KeyState("pk_x", ("id", "día"))
    unique = KeyState("One_account", ("mail",), kind="unique constraint")
    parent = QualifiedName("dev", "silver", "p.q")
    foreign = ForeignKeyState("A_key", ("a",), parent, ("día",)), ForeignKeyState("b", ("x", "y"), parent, ())
    relied = [key._replace(rely=True) for key in (primary, unique, foreign[0])]

    properties = {name: text for key in (primary, unique, *foreign) for name, text in key_property(key).items()}

    own, reference = "pytest_delta_schema.", '"parent": ["dev", "silver", "p.q"]'
    assert properties == {
        f"{own}primaryKey": '{"name": "pk_x", "columns": ["id", "día"]}',
        f"{own}unique.one_account": '{"name": "One_account", "columns": ["mail"]}',
        f"{own}foreignKey.a_key": f'{{"name": "A_key", "columns": ["a"], {reference}, "parentColumns": ["día"]}}',
        f"{own}foreignKey.b": f'{{"name": "b", "columns": ["x", "y"], {reference}, "parentColumns": []}}',
    }
    keys = {"primary_key": primary, "unique": (unique,), "foreign_keys": foreign}
    assert keys_in_properties(properties) == keys
    read_back = [keys_in_properties(key_property(key)) for key in relied]
    assert read_back == [
        {"primary_key": relied[0], "unique": (), "foreign_keys": ()},
        {"primary_key": None, "unique": (relied[1],), "foreign_keys": ()},
        {"primary_key": None, "unique": (), "foreign_keys": (relied[2],)},
    ]
    shown = read(configuration={**properties, f"{own}other": "1", "team": "core"})
    assert {name: getattr(shown, name) for name in keys} == keys
    assert [name for name in shown.table_properties if not name.startswith("delta.")] == ["team"]


def test_tags_are_read_from_one_property_each():
    tags = {"tag.team": "sales", "tag.a.b.pii": "", "tag.a.b.level": "2", "tag.gone.pii": ""}
    observed = read(field("A.b"), configuration={f"pytest_delta_schema.{key}": value for key, value in tags.items()})

    assert observed.tags == {TABLE: {"team": "sales"}, ColumnPath("A.b"): {"level": "2", "pii": ""}}
    assert tag_property(ColumnPath("A.b"), "pii") == "pytest_delta_schema.tag.a.b.pii"
    assert tag_property(TABLE, "team") == "pytest_delta_schema.tag.team"
    assert emulated_property("delta.a") == "pytest_delta_schema.property.delta.a"


def clustered(*columns):
    return {
        "domain": "delta.clustering",
        "configuration": json.dumps({"clusteringColumns": [[column] for column in columns]}),
    }


ROWS = {"domain": "delta.rowTracking", "configuration": "{}"}


def test_clustering_is_found_among_the_domains():
    with cases(lambda *domains: clustering_in(domains)) as case:
        case(None)
        case(ROWS, None)
        case(clustered("a", "b"), ROWS, [["a"], ["b"]])
        case(ROWS, clustered("a"), [["a"]])
        case({**clustered("a"), "removed": True}, ())


def info(**values):
    return {"commitInfo": values}


def test_commits_of_actions():
    with named_cases(lambda actions: commit_of(7, actions)) as case:
        case("empty", [], Commit(version=7, operation=""))
        case(
            "merge",
            [
                info(
                    timestamp=1000,
                    inCommitTimestamp=86_400_000,
                    operation="MERGE",
                    operationParameters={"predicate": '["(id = 1)"]', "notMatchedPredicates": [], "none": None},
                    operationMetrics={"numOutputRows": "12", "numTargetRowsUpdated": 3, "ratio": "0.5", "text": "a"},
                    userMetadata="nightly",
                )
            ],
            Commit(
                version=7,
                operation="MERGE",
                timestamp=datetime(1970, 1, 2, tzinfo=timezone.utc),
                metrics={"numOutputRows": 12, "numTargetRowsUpdated": 3},
                parameters={"predicate": '["(id = 1)"]', "notMatchedPredicates": "[]"},
                user_metadata="nightly",
            ),
        )
        case(
            "deletion vector",
            [
                info(operation="DELETE", timestamp=0),
                {
                    "add": {
                        "path": "a%20b",
                        "dataChange": True,
                        "stats": '{"numRecords":5}',
                        "deletionVector": {"cardinality": 2},
                    }
                },
                {"remove": {"path": "a%20b", "dataChange": True, "stats": '{"numRecords":5}'}},
                {"remove": {"path": "c", "dataChange": True}},
                {"remove": {"path": "d", "stats": "{"}},
            ],
            Commit(
                version=7,
                operation="DELETE",
                added=(DataFile(path="a b", rows=3),),
                removed=(DataFile(path="a b", rows=5), DataFile(path="c"), DataFile(path="d")),
                changes_rows=True,
            ),
        )
        case(
            "files only",
            [info(operation="OPTIMIZE"), {"add": {"path": "a", "dataChange": False}}, {"cdc": {"path": "x"}}],
            Commit(version=7, operation="OPTIMIZE", added=(DataFile(path="a"),)),
        )
        case(
            "a file of which nobody says whether its rows are new",
            [info(operation="WRITE"), {"add": {"path": "a"}}],
            Commit(version=7, operation="WRITE", added=(DataFile(path="a"),), changes_rows=True),
        )
        case(
            "creation",
            [info(operation="CREATE TABLE"), {"metaData": {"id": "one"}}, {"protocol": {}}],
            Commit(version=7, operation="CREATE TABLE", table_id="one"),
        )


UNKNOWN = {name: log for name, log in READABLE_LOGS.items() if not log.is_known}


def part(log):
    """Return the part of the column with the unknown type, as messages write it."""
    return ("t.element", log.shown[6:-1]) if log.shown.startswith("array<") else ("t", log.shown)


def planned(model, log):
    return TablePlanner().plan([model], CatalogState(tables={NAME: log.state(NAME)}))


def test_unknown_metadata_is_shown_as_text():
    for log in READABLE_LOGS.values():
        state = log.state(NAME)
        columns = [(column.name, describe_type(column.data_type)) for column in state.columns]
        assert columns == [("id", "bigint"), ("t", log.shown)]
        key, value = log.property
        assert state.table_properties[key] == value


def test_the_imported_model_equals_the_table_and_only_unknown_properties_have_to_be_named(tmp_path):
    for log in READABLE_LOGS.values():
        path = tmp_path / "models.py"
        path.write_text(model_source(log.state(NAME)), encoding="utf-8")
        model = run_path(str(path))["orders"]

        faults = [(fault.code, fault.path) for fault in PlanValidator().model_violations([model])]
        assert faults == ([("DS125", f"properties.{QUANTUM}")] if log.property[0] == QUANTUM else [])
        assert planned(model, log).is_empty
        assert list(unknown_types(model.columns[1].data_type)) == ([] if log.is_known else [part(log)[1]])


def test_a_change_of_a_column_of_an_unknown_type_is_refused():
    for log in UNKNOWN.values():
        imported, (path, name) = declared_table(log.state(NAME)), part(log)
        id_column, unknown = imported.columns

        def violations(*columns, log=log, imported=imported):
            faults = PlanValidator().plan_violations(planned(replace(imported, columns=columns), log))
            return [f"{fault.code} {fault.path}: {fault.message}" for fault in faults]

        fact = f"DS220 columns.{path}: column {path} would be changed, and its type {name} is compared as text only"
        assert violations(id_column, Column("t", spark.LongType())) == [fact]
        assert fact in violations(id_column)
        assert fact in violations(id_column, Column("u", unknown.data_type, renamed_from="t"))
        assert violations(id_column, Column("t", unknown.data_type, default="NULL")) == [fact]


def test_a_column_of_an_unknown_type_is_never_created():
    plain = READABLE_LOGS["property"].state(NAME)
    for log in UNKNOWN.values():
        (path, name), model = part(log), declared_table(log.state(NAME))
        added = table(*declared_table(plain).columns, Column("u", model.columns[1].data_type))

        assert violations_of_plan(model, replace(log.state(NAME), exists=False)) == (
            f"column {path} would be created with the type {name}, which is compared as text only; create the table with a"
            " client that knows the type, or declare a type that Delta stores [DS220 UnknownTypeChange]"
        )
        assert violations_of_plan(added, plain) == (
            f"column {path.replace('t', 'u', 1)} would be changed, and its type {name} is compared as text only; change it"
            " with a client that knows the type, and declare what the table has then [DS220 UnknownTypeChange]"
        )


def test_a_change_of_another_column_is_refused_only_where_delta_refuses_it():
    by_spark = {"local": LOCAL, "session": CLASSIC, "connect": REMOTE, "unity": UNITY}
    backends = {**by_spark, "databricks": DATABRICKS, "memory": MemoryCatalog.capabilities}
    for log in READABLE_LOGS.values():
        imported = declared_table(log.state(NAME))
        id_column, other = imported.columns
        model = replace(imported, columns=(Column("id", id_column.data_type, comment="Key"), other))
        (action,) = planned(model, log).align_tables
        path, name = part(log)
        reason = f"Delta refuses to change a table with columns of types that it does not know ({path} {name})"

        assert PlanValidator().plan_violations(planned(model, log)) == ()
        for backend, able in backends.items():
            refused = unsupported_statements(action, SimpleNamespace(name=backend, capabilities=able))
            assert [fault.message for fault in refused] == (
                [f"the {backend} backend cannot comment on columns: {reason}"]
                if backend in by_spark and not log.is_known
                else []
            )


def frame(**types):
    return spark.StructType([spark.StructField(name, data_type) for name, data_type in types.items()])


LONG, STRUCT_OF_LONG = spark.LongType(), spark.StructType([spark.StructField("a", spark.LongType())])
FRAMES = (
    frame(id=LONG, t=spark.StringType()),
    frame(id=LONG),
    frame(id=LONG, t=STRUCT_OF_LONG, other=spark.ArrayType(LONG)),
    frame(id=LONG, t=spark.NullType()),
    frame(t=spark.DayTimeIntervalType()),
)
WRITES = [
    *(WriteOptions(method=name, merge_schema=merges) for name, merges in product(FRAME_METHODS, (False, True))),
    *(WriteOptions(method="sql_insert", by=by, evolves=True) for by in ("position", "name")),
    WriteOptions(method="sql_insert"),
    WriteOptions(method="update"),
    *(Merge(matched="all", not_matched="all", evolves=evolves) for evolves in (False, True)),
]


def test_a_write_to_such_a_table_gets_a_verdict():
    for log, schema, options in product(READABLE_LOGS.values(), FRAMES, WRITES):
        verdict = check_write(log.state(NAME), schema, options)

        assert verdict.accepted is not bool(verdict.findings)
        assert verdict.resulting_schema.fieldNames()[:2] == ["id", "t"]


def test_an_unknown_type_is_a_value():
    geometry = UnknownType("geometry(OGC:CRS84)")

    assert geometry == UnknownType("geometry(OGC:CRS84)") != UnknownType("geometry(4326)")
    assert repr(geometry) == "UnknownType('geometry(OGC:CRS84)')"
    assert spark.StructType([spark.StructField("t", geometry)]).jsonValue()["fields"][0]["type"] == geometry.text
    inside = spark.MapType(spark.StringType(), spark.StructType([spark.StructField("x", spark.ArrayType(geometry))]))
    assert list(unknown_types(inside)) == ["geometry(OGC:CRS84)"]
    assert desired_state(table(Column("t", geometry))).columns[0].data_type == "geometry(OGC:CRS84)"
    for text in ("", " ", None, 5):
        assert refusal(UnknownType, text).startswith("an unknown type is the text of a type, got ")


def array(element):
    return {"type": "array", "elementType": element, "containsNull": True}


def mapping(key, value):
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


STRUCT = {"type": "struct", "fields": []}
LOWER = "string collate UTF8_LCASE"


def test_collations_come_from_the_metadata_of_a_field():
    with cases(lambda in_log, collations: with_collations_json(in_log, "c", collations)) as case:
        case("string", {"c": "spark.UTF8_LCASE"}, LOWER)
        case("string", {"c": "icu.UNICODE_CI"}, "string collate UNICODE_CI")
        case("string", {"c.element": "spark.UTF8_LCASE"}, "string")
        case("long", {"c": "spark.UTF8_LCASE"}, "long")
        case(array("string"), {"c.element": "spark.UTF8_LCASE"}, array(LOWER))
        case(array(array("string")), {"c.element.element": "spark.UTF8_LCASE"}, array(array(LOWER)))
        case(mapping("string", "string"), {"c.key": "spark.UTF8_LCASE"}, mapping(LOWER, "string"))
        case(mapping("string", "string"), {"c.value": "spark.UTF8_LCASE"}, mapping("string", LOWER))
        case(STRUCT, {"c": "spark.UTF8_LCASE"}, STRUCT)


def test_an_entry_does_not_show_its_location_which_may_hold_a_signature():
    known = {"table_id": "1", "table_type": "EXTERNAL", "data_format": "DELTA", "owner": "", "comment": ""}
    entry = EntryState(name=NAME, columns=(), properties={}, location="https://lake/a?sig=hunter2", **known)

    assert "hunter2" not in repr(entry)
