"""The Databricks backend's queries, run by real Spark over relations with Databricks' documented columns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, ForeignKey, Orchestrator
from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog
from pytest_delta_schema.backends.databricks.connection import SparkConnection
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute.protocols import ABSENT
from pytest_delta_schema.plan import NotNull
from pytest_delta_schema.state import CheckState
from pytest_delta_schema.testing.scenario import BOTH, INT, TEXT, field, struct
from pytest_delta_schema.testing.scenario_runner import comparable
from support.catalogs.databricks import RELATIONS, Workspace
from support.tables import NAME, column, table

pytestmark = pytest.mark.spark

NUMBERS = ("ordinal_position", "position_in_unique_constraint")


@pytest.fixture(scope="module")
def databricks(spark_catalog):
    """The backend over the local session, in which a schema is called as Databricks calls it."""
    local = spark_catalog
    parent = table(column(is_nullable=False), name="dev.silver.parents", primary_key=["id"])
    model = table(
        column(is_nullable=False, comment="Key"),
        column("parent"),
        column("s", struct(field("x", INT), field("t", spark.ArrayType(spark.DecimalType(9, 3))))),
        column("v", spark.VarcharType(5)),
        column("day", TEXT, tags={"pii": "", "level": "2"}),
        comment="All",
        tags={"team": "sales"},
        primary_key=["id"],
        foreign_keys=[ForeignKey(["parent"], parent)],
        checks=[Check("positive", "id > 0")],
        clustered_by=["day", "s.x"],
        table_properties={**BOTH, "team": "x"},
    )
    Orchestrator.over(local).sync_tables([parent, model])
    local.create_schema("dev", "information_schema")
    for name, rows in Workspace(local).relations().items():
        columns = RELATIONS[name]
        fields = [spark.StructField(key, INT if key in NUMBERS else TEXT) for key in columns]
        values = [tuple(row.get(key) for key in columns) for row in rows]
        frame = local.spark.createDataFrame(values, spark.StructType(fields))
        frame.write.format("delta").saveAsTable(f"dev.information_schema.{name}")
    yield DatabricksCatalog(SparkConnection(local.spark), read_threads=2), [model, parent], local
    for schema in ("information_schema", "silver"):
        local.drop_schema("dev", schema)


def test_states_are_those_of_the_log(databricks):
    catalog, models, local = databricks

    from_queries, from_logs = (item.snapshot(models).tables for item in (catalog, local))

    # No CREATE statement is shown here, and no other query shows RELY.
    assert {name: comparable(state) for name, state in from_queries.items()} == {
        name: without_rely(comparable(state)) for name, state in from_logs.items()
    }
    assert Orchestrator.over(catalog).plan_tables(models).is_empty


def without_rely(state):
    return replace(
        state,
        primary_key=state.primary_key._replace(rely=None),
        foreign_keys=tuple(key._replace(rely=None) for key in state.foreign_keys),
    )


def test_data_checks_run(databricks):
    catalog, _, local = databricks
    local.insert(NAME, [{"id": 1}, {"id": 2, "day": "x"}])

    counts = catalog.data_checks(NAME).count_rows([NotNull(ColumnPath("day")), CheckState("two", "id > 1")])

    assert (counts.rows, counts.broken, catalog.version(NAME)) == (2, (1, 1), local.version(NAME))


def test_what_is_not_there(databricks):
    catalog, _, _ = databricks
    nope = table(column(), name="dev.silver.nope")

    assert [table.exists for table in catalog.snapshot([nope]).tables.values()] == [False]
    assert catalog.version(nope.name) is ABSENT
    assert str(NAME) in map(str, catalog.table_names("dev", "silver"))


def test_columns_of_one_name_are_read_by_position(databricks):
    connection = SparkConnection(databricks[2].spark)

    assert connection.values("SELECT 1 AS n, 2 AS n") == [(1, 2)]
    with pytest.raises(StatementError, match=r"several columns of one name \(n\)"):
        connection.rows("SELECT 1 AS n, 2 AS n")
