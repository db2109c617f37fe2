"""The table features that a table needs, and why."""

from __future__ import annotations

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.features import required_features
from support.models import column, state, stored, table

NESTED = spark.StructType([spark.StructField("b", spark.ArrayType(spark.TimestampNTZType()), nullable=False)])


def needs_of(model):
    return [(need.name, need.path, *need.causes) for need in required_features(desired_state(model))]


def test_what_a_declaration_needs():
    assert needs_of(table(column())) == []
    assert needs_of(table(column(is_nullable=False), column("b"), Column("s", NESTED))) == [
        ("invariants", "columns.id", "NOT NULL of column id", "NOT NULL of column s.b"),
        ("timestampNtz", "columns.s", "column s of type timestamp_ntz"),
    ]
    assert needs_of(table(Column("v", "variant"), Column("at", "timestamp_ntz"), Column("v2", "variant"))) == [
        ("timestampNtz", "columns.at", "column at of type timestamp_ntz"),
        ("variantType", "columns.v", "column v of type variant", "column v2 of type variant"),
    ]
    filled = (
        Column("d", "int", default=0),
        Column("g", "int", generated_as="d + 1"),
        Column("i", "bigint", identity=True),
    )
    assert needs_of(table(*filled)) == [
        ("allowColumnDefaults", "columns.d.default", "default of column d"),
        ("generatedColumns", "columns.g", "generated column g"),
        ("identityColumns", "columns.i", "identity column i"),
    ]
    checks = [Check("p", "id > 0"), Check("q", "b > 0")]
    assert needs_of(table(column(), column("b"), clustered_by=["b", "id"], checks=checks)) == [
        ("checkConstraints", "checks.p", "check p", "check q"),
        ("clustering", "layout", "clustered_by"),
        ("domainMetadata", "layout", "clustered_by"),
    ]
    append = {"delta.feature.appendOnly": "supported", "delta.appendOnly": "true"}
    others = {"delta.enableRowTracking": True, "delta.enableChangeDataFeed": None, "team": "sales"}
    tracking = "properties.delta.enableRowTracking", "property delta.enableRowTracking"
    assert needs_of(table(column(), table_properties={**others, **append})) == [
        ("appendOnly", "properties.delta.appendOnly", "property delta.appendOnly", "property delta.feature.appendOnly"),
        ("domainMetadata", *tracking),
        ("rowTracking", *tracking),
    ]


def test_what_a_stored_table_has():
    there = state(
        stored("id"),
        clustering=(ColumnPath("id"),),
        table_properties={"delta.feature.newFeature": "supported", "delta.minWriterVersion": "7"},
    )

    assert [need.name for need in required_features(there)] == ["clustering", "domainMetadata", "newFeature"]
