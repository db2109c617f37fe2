"""Logs with unknown metadata, without a backend: shown, imported and compared as text, and never planned over."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from runpy import run_path
from types import SimpleNamespace

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, MemoryCatalog, Merge, UnknownType, WriteOptions, check_write, model_source
from pytest_delta_schema.backends.databricks.catalog import CAPABILITIES as DATABRICKS
from pytest_delta_schema.backends.spark.sessions import OPEN_SOURCE_DELTA as LOCAL
from pytest_delta_schema.backends.spark_session.catalog import CLASSIC, REMOTE
from pytest_delta_schema.backends.unity.catalog import CAPABILITIES as UNITY
from pytest_delta_schema.delta.fields import with_collations_json
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.execute.protocols import unsupported_statements
from pytest_delta_schema.models.spark_types import unknown_types
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state import CatalogState
from pytest_delta_schema.state.desired import declared_table, desired_state
from pytest_delta_schema.state.types import describe_type
from pytest_delta_schema.write_check.verdict import FRAME_METHODS
from support.delta_logs.future_logs import QUANTUM, READABLE_LOGS
from support.tables import NAME, table

UNKNOWN = {name: log for name, log in READABLE_LOGS.items() if not log.is_known}
TABLE = "dev.silver.orders"

every_log = pytest.mark.parametrize("log", READABLE_LOGS.values(), ids=READABLE_LOGS)
every_unknown_type = pytest.mark.parametrize("log", UNKNOWN.values(), ids=UNKNOWN)


def part(log):
    """Return the part of the column with the unknown type, as messages write it."""
    return ("t.element", log.shown[6:-1]) if log.shown.startswith("array<") else ("t", log.shown)


def planned(model, log):
    return TablePlanner().plan([model], CatalogState(tables={NAME: log.state(NAME)}))


def violations(model, log):
    return [
        f"{fault.code} {fault.path}: {fault.message}" for fault in PlanValidator().plan_violations(planned(model, log))
    ]


def changed(log, *columns):
    """Return the imported model with other columns."""
    return replace(declared_table(log.state(NAME)), columns=columns)


def imported_columns(log):
    return declared_table(log.state(NAME)).columns


@every_log
def test_unknown_metadata_is_shown_as_text(log):
    state = log.state(NAME)

    assert [(column.name, describe_type(column.data_type)) for column in state.columns] == [
        ("id", "bigint"),
        ("t", log.shown),
    ]
    key, value = log.property
    assert state.table_properties[key] == value


@every_log
def test_the_imported_model_equals_the_table_and_only_unknown_properties_have_to_be_named(log, tmp_path):
    path = tmp_path / "models.py"
    path.write_text(model_source(log.state(NAME)), encoding="utf-8")
    model = run_path(str(path))["orders"]

    faults = [(fault.code, fault.path) for fault in PlanValidator().model_violations([model])]
    assert faults == ([("DS125", f"properties.{QUANTUM}")] if log.property[0] == QUANTUM else [])
    assert planned(model, log).is_empty
    assert list(unknown_types(model.columns[1].data_type)) == ([] if log.is_known else [part(log)[1]])


@every_unknown_type
def test_a_change_of_a_column_of_an_unknown_type_is_refused(log):
    (path, name), (id_column, unknown) = part(log), imported_columns(log)
    fact = f"DS220 columns.{path}: column {path} would be changed, and its type {name} is compared as text only"

    assert violations(changed(log, id_column, Column("t", spark.LongType())), log) == [fact]
    assert fact in violations(changed(log, id_column), log)
    assert fact in violations(changed(log, id_column, Column("u", unknown.data_type, renamed_from="t")), log)
    assert violations(changed(log, id_column, Column("t", unknown.data_type, default="NULL")), log) == [fact]


@every_unknown_type
def test_a_column_of_an_unknown_type_is_never_created(log):
    (path, name), model = part(log), declared_table(log.state(NAME))
    plain = READABLE_LOGS["property"].state(NAME)
    absent = CatalogState(tables={NAME: MemoryCatalog().snapshot([model]).tables[NAME]})
    stored = CatalogState(tables={NAME: plain})
    added = table(*imported_columns(READABLE_LOGS["property"]), Column("u", model.columns[1].data_type), name=TABLE)

    (creation,) = PlanValidator().plan_violations(TablePlanner().plan([model], absent))
    (addition,) = PlanValidator().plan_violations(TablePlanner().plan([added], stored))

    assert str(creation) == (
        f"{TABLE}: column {path} would be created with the type {name}, which is compared as text only; create the table"
        " with a client that knows the type, or declare a type that Delta stores [DS220 UnknownTypeChange]"
    )
    assert str(addition) == (
        f"{TABLE}: column {path.replace('t', 'u', 1)} would be changed, and its type {name} is compared as text only;"
        " change it with a client that knows the type, and declare what the table has then [DS220 UnknownTypeChange]"
    )


@every_log
def test_a_change_of_another_column_is_refused_only_where_delta_refuses_it(log):
    id_column, other = imported_columns(log)
    model = changed(log, Column("id", id_column.data_type, comment="Key"), other)
    (action,) = planned(model, log).align_tables

    refusals = {
        name: [fault.message for fault in unsupported_statements(action, SimpleNamespace(name=name, capabilities=able))]
        for name, able in {
            "local": LOCAL,
            "session": CLASSIC,
            "connect": REMOTE,
            "unity": UNITY,
            "databricks": DATABRICKS,
            "memory": MemoryCatalog.capabilities,
        }.items()
    }

    path, name = part(log)
    reason = f"Delta refuses to change a table with columns of types that it does not know ({path} {name})"
    by_spark = ("local", "session", "connect", "unity")
    assert violations(model, log) == []
    assert refusals == {
        backend: [f"the {backend} backend cannot comment on columns: {reason}"]
        if backend in by_spark and not log.is_known
        else []
        for backend in refusals
    }


def frame(**types):
    return spark.StructType([spark.StructField(name, data_type) for name, data_type in types.items()])


LONG, STRUCT_OF_LONG = spark.LongType(), spark.StructType([spark.StructField("a", spark.LongType())])
FRAMES = {
    "string": frame(id=LONG, t=spark.StringType()),
    "without it": frame(id=LONG),
    "struct and another": frame(id=LONG, t=STRUCT_OF_LONG, other=spark.ArrayType(LONG)),
    "void": frame(id=LONG, t=spark.NullType()),
    "interval": frame(t=spark.DayTimeIntervalType()),
}

WRITES = [
    *(WriteOptions(method=name, merge_schema=merges) for name, merges in product(FRAME_METHODS, (False, True))),
    *(WriteOptions(method="sql_insert", by=by, evolves=True) for by in ("position", "name")),
    WriteOptions(method="sql_insert"),
    WriteOptions(method="update"),
    *(Merge(matched="all", not_matched="all", evolves=evolves) for evolves in (False, True)),
]


@every_log
@pytest.mark.parametrize("schema", FRAMES.values(), ids=FRAMES)
def test_a_write_to_such_a_table_gets_a_verdict(log, schema):
    for options in WRITES:
        verdict = check_write(log.state(NAME), schema, options)

        assert verdict.accepted is not bool(verdict.findings)
        assert verdict.resulting_schema.fieldNames()[:2] == ["id", "t"]


def test_declared_types_that_delta_does_not_store_are_refused_as_before():
    model = table(Column("a", spark.DayTimeIntervalType()), Column("b", UnknownType("interval day to second")))

    assert [(fault.code, fault.path) for fault in PlanValidator().model_violations([model])] == [("DS105", "columns.a")]


@pytest.mark.parametrize("text", ["", " ", None, 5])
def test_an_unknown_type_has_a_text(text):
    with pytest.raises(DeclarationError, match=r"an unknown type is the text of a type, got .*; write UnknownType\("):
        UnknownType(text)


def test_an_unknown_type_is_a_value():
    geometry = UnknownType("geometry(OGC:CRS84)")

    assert geometry == UnknownType("geometry(OGC:CRS84)") != UnknownType("geometry(4326)")
    assert repr(geometry) == "UnknownType('geometry(OGC:CRS84)')"
    assert spark.StructType([spark.StructField("t", geometry)]).jsonValue()["fields"][0]["type"] == geometry.text
    inside = spark.MapType(spark.StringType(), spark.StructType([spark.StructField("x", spark.ArrayType(geometry))]))
    assert list(unknown_types(inside)) == ["geometry(OGC:CRS84)"]
    assert desired_state(table(Column("t", geometry))).columns[0].data_type == "geometry(OGC:CRS84)"


def array(element):
    return {"type": "array", "elementType": element, "containsNull": True}


def mapping(key, value):
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


STRUCT = {"type": "struct", "fields": []}
LOWER = "string collate UTF8_LCASE"


@pytest.mark.parametrize(
    ("in_log", "collations", "expected"),
    [
        ("string", {"c": "spark.UTF8_LCASE"}, LOWER),
        ("string", {"c": "icu.UNICODE_CI"}, "string collate UNICODE_CI"),
        ("string", {"c.element": "spark.UTF8_LCASE"}, "string"),
        ("long", {"c": "spark.UTF8_LCASE"}, "long"),
        (array("string"), {"c.element": "spark.UTF8_LCASE"}, array(LOWER)),
        (array(array("string")), {"c.element.element": "spark.UTF8_LCASE"}, array(array(LOWER))),
        (mapping("string", "string"), {"c.key": "spark.UTF8_LCASE"}, mapping(LOWER, "string")),
        (mapping("string", "string"), {"c.value": "spark.UTF8_LCASE"}, mapping("string", LOWER)),
        (STRUCT, {"c": "spark.UTF8_LCASE"}, STRUCT),
    ],
)
def test_collations_come_from_the_metadata_of_a_field(in_log, collations, expected):
    assert with_collations_json(in_log, "c", collations) == expected
