"""Reading with Spark: histories, tables after every mutation, and other things under the name of a table."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from pytest_delta_schema import (
    Column,
    DriftError,
    Orchestrator,
    SessionCatalog,
    assert_no_drift,
)
from pytest_delta_schema.backends.local.warehouse import physical_schema, table_folder
from pytest_delta_schema.backends.logs.history import _first_version
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.sql import dotted
from pytest_delta_schema.testing.scenario import INT, field, struct
from support.models import NAME, column, table
from support.writes import DOUBLE, A, frame

pytestmark = pytest.mark.spark

ID = column("id", is_nullable=False)


@pytest.fixture
def made(local):
    """A table that is there, and a catalog that knows it."""
    Orchestrator.over(local).sync_tables([table(ID)])
    yield local
    local.spark.catalog.clearCache()


def problem(local, model=None):
    model = model or table(ID)
    state = local.snapshot([model])
    assert model.name not in state.tables
    with pytest.raises(CatalogReadError) as caught:
        Orchestrator.over(local).sync_tables([model])
    assert str(state.problems[model.name]) == str(caught.value)
    return str(caught.value)


def test_many_tables_are_read_in_one_round_trip_without_a_spark_job(made, monkeypatch):
    calls = []
    read = made.bridge.read
    monkeypatch.setattr(made.bridge, "read", lambda request: (calls.append(request), read(request))[1])
    tracker = made.spark.sparkContext.statusTracker()
    jobs = len(tracker.getJobIdsForGroup(None))

    state = made.snapshot([table(ID), table(ID, name="dev.silver.b"), table(ID, name="dev.gold.c")])

    assert state.tables[NAME].version == 0
    assert [request.count("\n") for request in calls] == [3]
    assert len(tracker.getJobIdsForGroup(None)) == jobs


def test_what_is_not_a_delta_table(made):
    made.spark.sql("CREATE OR REPLACE VIEW spark_catalog.dev__silver.v AS SELECT 1 AS id")
    made.spark.sql("CREATE TABLE spark_catalog.dev__silver.p (id INT) USING parquet")

    assert problem(made, table(ID, name="dev.silver.v")) == (
        "dev.silver.v: is a view, not a table; drop the view, or declare the table under another name"
        " [DS504 ViewInPlaceOfTable]"
    )
    assert problem(made, table(ID, name="dev.silver.p")) == (
        'dev.silver.p: is a parquet table, not a Delta table; consent to its conversion with convert_from="parquet" if it'
        " is parquet, or declare the table under another name [DS505 NotDeltaTable]"
    )
    made.spark.sql("DROP VIEW spark_catalog.dev__silver.v")


def test_a_folder_that_nobody_may_look_into_is_no_absent_table(local, warehouse):
    folder = table_folder(warehouse, NAME)
    folder.mkdir(parents=True)
    (folder / "_delta_log").symlink_to(folder / "_delta_log")

    text = problem(local)

    assert text.startswith(
        f"dev.silver.orders: its Delta log cannot be read (nobody may look into {folder / '_delta_log'}: ",
    )


def test_the_remedy_of_a_malformed_own_property_helps(made):
    for key, value in (
        ("pytest_delta_schema.primaryKey", "id"),
        ("pytest_delta_schema.unique.u", "[]"),
        ("pytest_delta_schema.foreignKey.f", '{"name": "f", "columns": ["id"], "parent": "p"}'),
        ("pytest_delta_schema.ownedProperties", "7"),
    ):
        made.spark.sql(f"ALTER TABLE {NAME} SET TBLPROPERTIES ('{key}' = '{value}')")

        fact, remedy = problem(made).split("; remove it (")
        made.spark.sql(remedy.partition("), and apply")[0])

        assert fact == f"dev.silver.orders: the property {key} is malformed"
    model = table(ID, primary_key=["id"])
    Orchestrator.over(made).sync_tables([model])
    assert made.snapshot([model]).tables[NAME].primary_key.columns == ("id",)


def test_a_table_whose_folder_was_removed_behind_the_sessions_back(made, warehouse):
    shutil.rmtree(table_folder(warehouse, NAME))
    made.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    assert problem(made) == (
        "dev.silver.orders: the catalog has an entry for it, but its Delta log in"
        f" {table_folder(warehouse, NAME)} is gone; restore _delta_log from a backup, because without it rows that were"
        " deleted or replaced come back, or drop the table [DS503 DamagedTable]"
    )


def test_names_that_the_backend_cannot_use(local):
    local.spark.conf.set("spark.sql.catalog.foreign", "com.example.Catalog")

    assert problem(local, table(ID, name="dev.dev__silver.x")) == (
        "dev.dev__silver.x: the name dev__silver looks like the physical name of a schema of dev in the local backend; choose"
        " another name for the schema [DS509 UnusableName]"
    )
    assert problem(local, table(ID, name="foreign.a.b")) == (
        "foreign.a.b: the catalog foreign of this session is a com.example.Catalog, which the local backend cannot read;"
        " leave spark.sql.catalog.foreign unset, or rename the catalog [DS509 UnusableName]"
    )


def test_the_session_catalog_itself(local):
    model = table(ID, name="spark_catalog.default.plain", comment="Plain")
    orchestrator = Orchestrator.over(local)

    assert len(orchestrator.sync_tables([model]).statements) == 1
    assert orchestrator.plan_tables([model]).is_empty
    (location,) = local.spark.sql("DESCRIBE DETAIL spark_catalog.default.plain").select("location").collect()[0]
    assert (Path(location.removeprefix("file:")) / "_delta_schema").is_file()

    local.spark.sql("DROP TABLE spark_catalog.default.plain")


def test_tables_of_a_schema_are_listed_without_its_views(local):
    Orchestrator.over(local).sync_tables([table(column()), table(column(), name="dev.silver.odd name")])
    local.bridge.sql("CREATE SCHEMA spark_catalog.listed")
    local.bridge.sql("CREATE TABLE spark_catalog.listed.orders (id INT) USING delta")
    local.bridge.sql("CREATE VIEW spark_catalog.listed.looking AS SELECT 1")
    for name in ("orders", "another"):
        local.bridge.sql(f"CREATE TEMPORARY VIEW {name} AS SELECT 1")

    try:
        assert [str(name) for name in local.table_names("spark_catalog", "listed")] == ["spark_catalog.listed.orders"]
        assert local.bridge.list_schema("dev", "silver", physical_schema("dev", "silver")) == (
            [],
            ["odd name", "orders"],
        )
        assert [str(name) for name in local.table_names("dev", "silver")] == [
            "dev.silver.odd name",
            "dev.silver.orders",
        ]
    finally:
        local.bridge.sql("DROP SCHEMA spark_catalog.listed CASCADE")
        for name in ("orders", "another"):
            local.bridge.sql(f"DROP VIEW {name}")
    assert local.table_names("dev", "nowhere") == ()


PLACE = struct(field("lat", DOUBLE))


def test_drift_names_the_commit_that_introduced_each_column(local):
    model = table(A, Column("place", PLACE))
    Orchestrator.over(local).sync_tables([model])
    spark, name = local.spark, dotted(NAME)
    append(local, frame(a=INT))
    with setting(spark, "spark.databricks.delta.commitInfo.userMetadata", "nightly load 'x'"):
        append(local, frame(a=INT, discount=DOUBLE), mergeSchema="true")
    spark.sql(f"ALTER TABLE {name} ADD COLUMNS (by_hand INT)")
    append(local, frame(place=struct(field("lat", DOUBLE), field("lon", DOUBLE))), mergeSchema="true")
    append(local, frame(a=INT))
    for path in (table_folder(local.warehouse, NAME) / "_delta_log").glob("*.json"):
        # The history shows the times of the files, each later than the one before.
        os.utime(path, (time.time() - 3600,) * 2)

    paths = [ColumnPath("discount"), ColumnPath("by_hand"), ColumnPath("place", "lon")]
    commits = local.introduced_by(NAME, paths)

    assert [(origin.version, origin.operation, origin.user_metadata) for origin in commits] == [
        (2, "WRITE", "nightly load 'x'"),
        (3, "ADD COLUMNS", ""),
        (4, "WRITE", ""),
    ]
    with pytest.raises(DriftError) as caught:
        assert_no_drift(model, catalog=local)
    assert f"column discount was appended by a writer, in version 2, WRITE of {commits[0].time} UTC" in str(
        caught.value,
    )
    assert f"column by_hand came with version 3, ADD COLUMNS of {commits[1].time} UTC" in str(caught.value)
    assert_no_drift(table(A, Column("place", PLACE), evolution="additive"), catalog=local)


def test_columns_that_are_gone_are_found_in_older_versions(local, remote):
    mapped = {"delta.columnMapping.mode": "name"}
    first = table(A, Column("b", INT), Column("c", INT), Column("place", PLACE), table_properties=mapped)
    Orchestrator.over(local).sync_tables([first])
    spark, name = local.spark, dotted(NAME)
    append(local, frame(a=INT))
    spark.sql(f"ALTER TABLE {name} ADD COLUMNS (place.lon INT)")
    spark.sql(f"ALTER TABLE {name} DROP COLUMN place.lon")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN b TO b2")
    spark.sql(f"ALTER TABLE {name} ADD COLUMNS (d INT)")
    spark.sql(f"ALTER TABLE {name} DROP COLUMN c")
    spark.sql(f"OPTIMIZE {name}")

    gone = [*map(ColumnPath.parse, ["b", "c", "never", "place.lon", "place.never", "c.never"])]

    for catalog in (local, SessionCatalog(remote)):
        assert catalog.past_columns(NAME, gone) == {ColumnPath("b"), ColumnPath("c"), ColumnPath("place", "lon")}
        assert catalog.past_columns(NAME, [ColumnPath("c")]) == {ColumnPath("c")}
        assert catalog.past_columns(NAME, []) == frozenset()


def test_a_version_is_found_or_older_than_the_history():
    for versions, since, position in (
        ([0], 0, 0),
        ([0, 1, 2, 3], 0, 0),
        ([0, 1, 2, 3], 2, 2),
        ([7, 8, 9], 9, 9),
        ([7, 8, 9], 8, 8),
        ([7, 8, 9], 7, None),
        ([7, 8, 9], 3, None),
    ):
        assert _first_version(versions, since.__le__) == position


def append(local, schema, **options):
    rows = [tuple(None for _ in schema.fields)]
    writer = local.spark.createDataFrame(rows, schema).write.format("delta").mode("append").options(**options)
    writer.saveAsTable(dotted(NAME))
