"""The commit that introduced a column, read from real tables."""

from __future__ import annotations

import os
import time

import pytest

from pytest_delta_schema import Column, DriftError, Orchestrator, assert_no_drift
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.logs import _first_version
from pytest_delta_schema.backends.spark.statements import setting
from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.testing.scenario import INT, TEXT, field, struct
from support.tables import NAME, table
from support.values.writes import DOUBLE, A, frame

pytestmark = pytest.mark.spark

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
        caught.value
    )
    assert f"column by_hand came with version 3, ADD COLUMNS of {commits[1].time} UTC" in str(caught.value)
    assert_no_drift(table(A, Column("place", PLACE), evolution="additive"), catalog=local)


def test_an_additive_contract_and_its_writers_take_turns(local):
    first = table(A, evolution="additive")
    Orchestrator.over(local).sync_tables([first])
    append(local, frame(a=INT, theirs=TEXT), mergeSchema="true")
    second = table(A, Column("ours", INT), evolution="additive")

    Orchestrator.over(local).sync_tables([second])
    append(local, frame(a=INT, ours=INT, more=TEXT), mergeSchema="true")

    assert local.spark.table(dotted(NAME)).columns == ["a", "ours", "theirs", "more"]
    notes = TablePlanner().plan([second], local.snapshot([second])).notes
    assert [note.path for note in notes] == ["columns.more", "columns.theirs"]
    assert_no_drift(second, catalog=local)


@pytest.mark.parametrize("backend", ["local", "session"])
def test_columns_that_are_gone_are_found_in_older_versions(local, remote, backend):
    catalog = local if backend == "local" else SessionCatalog(remote)
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

    assert catalog.past_columns(NAME, gone) == {ColumnPath("b"), ColumnPath("c"), ColumnPath("place", "lon")}
    assert catalog.past_columns(NAME, [ColumnPath("c")]) == {ColumnPath("c")}
    assert catalog.past_columns(NAME, []) == frozenset()


@pytest.mark.parametrize(
    ("versions", "since", "position"),
    [
        ([0], 0, 0),
        ([0, 1, 2, 3], 0, 0),
        ([0, 1, 2, 3], 2, 2),
        ([0, 1, 2, 3], 3, 3),
        ([7, 8, 9], 9, 9),
        ([7, 8, 9], 8, 8),
        ([7, 8, 9], 7, None),
        ([7, 8, 9], 3, None),
    ],
)
def test_a_version_is_found_or_older_than_the_history(versions, since, position):
    assert _first_version(versions, lambda version: version >= since) == position


def append(local, schema, **options):
    rows = [tuple(None for _ in schema.fields)]
    writer = local.spark.createDataFrame(rows, schema).write.format("delta").mode("append").options(**options)
    writer.saveAsTable(dotted(NAME))
