"""The table features that a table needs, and why."""

from __future__ import annotations

from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.features import required_features
from support.case_tables import named_cases
from support.models import column, state, stored, table

NESTED = spark.StructType([spark.StructField("b", spark.ArrayType(spark.TimestampNTZType()), nullable=False)])


def test_what_a_declaration_needs():
    with named_cases(
        lambda model: [(need.name, need.path, need.causes) for need in required_features(desired_state(model))]
    ) as case:
        case("nothing", table(column()), [])
        case(
            "NOT NULL and types at any depth",
            table(column(is_nullable=False), column("b"), Column("s", NESTED)),
            [
                ("invariants", "columns.id", ("NOT NULL of column id", "NOT NULL of column s.b")),
                ("timestampNtz", "columns.s", ("column s of type timestamp_ntz",)),
            ],
        )
        case(
            "types",
            table(Column("v", "variant"), Column("at", "timestamp_ntz"), Column("v2", "variant")),
            [
                ("timestampNtz", "columns.at", ("column at of type timestamp_ntz",)),
                ("variantType", "columns.v", ("column v of type variant", "column v2 of type variant")),
            ],
        )
        case(
            "values",
            table(
                Column("d", "int", default=0),
                Column("g", "int", generated_as="d + 1"),
                Column("i", "bigint", identity=True),
            ),
            [
                ("allowColumnDefaults", "columns.d.default", ("default of column d",)),
                ("generatedColumns", "columns.g", ("generated column g",)),
                ("identityColumns", "columns.i", ("identity column i",)),
            ],
        )
        case(
            "checks and clustering",
            table(column(), column("b"), clustered_by=["b", "id"], checks=[Check("p", "id > 0"), Check("q", "b > 0")]),
            [
                ("checkConstraints", "checks.p", ("check p", "check q")),
                ("clustering", "layout", ("clustered_by",)),
                ("domainMetadata", "layout", ("clustered_by",)),
            ],
        )
        case(
            "properties",
            table(
                column(),
                table_properties={
                    "delta.enableRowTracking": True,
                    "delta.feature.appendOnly": "supported",
                    "delta.appendOnly": "true",
                    "delta.enableChangeDataFeed": None,
                    "team": "sales",
                },
            ),
            [
                (
                    "appendOnly",
                    "properties.delta.appendOnly",
                    ("property delta.appendOnly", "property delta.feature.appendOnly"),
                ),
                ("domainMetadata", "properties.delta.enableRowTracking", ("property delta.enableRowTracking",)),
                ("rowTracking", "properties.delta.enableRowTracking", ("property delta.enableRowTracking",)),
            ],
        )


def test_what_a_stored_table_has():
    there = state(
        stored("id"),
        clustering=(ColumnPath("id"),),
        table_properties={"delta.feature.newFeature": "supported", "delta.minWriterVersion": "7"},
    )

    assert [need.name for need in required_features(there)] == ["clustering", "domainMetadata", "newFeature"]
