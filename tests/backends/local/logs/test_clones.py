"""Clones in the local warehouse: no write of one of the two tables reaches the other."""

from __future__ import annotations

import json

import pytest
from pyspark.sql.types import LongType, StringType

from pytest_delta_schema import Column, Table, assert_no_drift
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.compat import clear_cache
from pytest_delta_schema.backends.spark.statements import setting
from pytest_delta_schema.diagnostics.errors import StatementError
from support.catalogs.scratch_tables import scratch

pytestmark = pytest.mark.spark

EVERYTHING = {
    "delta.enableDeletionVectors": "true",
    "delta.enableChangeDataFeed": "true",
    "delta.enableInCommitTimestamps": "true",
    "delta.columnMapping.mode": "name",
    "delta.checkpointInterval": "2",
}
MERGE = (
    "MERGE INTO {table} t USING (SELECT 2L id, 'merged' note, 'a' day UNION ALL SELECT 9L, 'new', 'b') s ON t.id = s.id"
    " WHEN MATCHED THEN UPDATE SET note = s.note WHEN NOT MATCHED THEN INSERT *"
)
WRITES = (
    "DELETE FROM {table} WHERE id = 1",
    MERGE,
    "OPTIMIZE {table}",
    "VACUUM {table} RETAIN 0 HOURS",
    "ALTER TABLE {table} ADD COLUMNS (more STRING)",
)


def model(name, **options):
    columns = [Column("id", LongType(), is_nullable=False), Column("note", StringType()), Column("day", StringType())]
    return Table("dev", "silver", name, columns, primary_key=["id"], **options)


def rows(catalog, table):
    """Return the rows as somebody reads them who has never seen the table."""
    clear_cache(catalog.bridge.gateway)
    return sorted((row.id, row.note, row.day) for row in catalog.spark.table(table.sql_name).collect())


def run(catalog, table, *statements):
    with setting(catalog.spark, "spark.databricks.delta.retentionDurationCheck.enabled", "false"):
        for statement in statements:
            catalog.spark.sql(statement.format(table=table.sql_name)).collect()


def table_ids(log):
    ids = {json.loads(path.read_text())["metadata"]["id"] for path in log.glob("0*.crc")}
    for path in log.glob("*.json"):
        actions = map(json.loads, path.read_text().splitlines())
        ids |= {action["metaData"]["id"] for action in actions if "metaData" in action}
    return ids


def test_writes_reach_one_of_the_two_tables_only(local):
    table = model("orders", partitioned_by=["day"], table_properties=EVERYTHING)
    with scratch(local) as made:
        table = made.table(table, [{"id": 1, "note": "a", "day": "a"}, {"id": 2, "note": "b", "day": "a"}], None)
        run(local, table, "INSERT INTO {table} VALUES (3, 'c', 'b')", "DELETE FROM {table} WHERE id = 2")
        before = [(1, "a", "a"), (3, "c", "b")]
        clone, second = made.clone(table, None), made.clone(table, "second")
        folders = [table_folder(local.warehouse, one.name) for one in (table, clone, second)]

        assert rows(local, clone) == rows(local, table) == before
        assert len(set.union(*(table_ids(folder / "_delta_log") for folder in folders))) == 3
        assert local.version(clone.name) == local.version(table.name)
        assert_no_drift([table, clone, second], catalog=local)
        histories = [local.spark.sql(f"DESCRIBE HISTORY {one.sql_name}").collect() for one in (table, clone)]
        assert [(row.version, row.timestamp, row.operation) for row in histories[0]] == [
            (row.version, row.timestamp, row.operation) for row in histories[1]
        ]

        run(local, clone, *WRITES)
        changed = [(2, "merged", "a"), (3, "c", "b"), (9, "new", "b")]
        assert rows(local, clone) == changed
        assert rows(local, table) == rows(local, second) == before
        older = local.spark.read.option("versionAsOf", local.version(table.name) - 1).table(table.sql_name)
        assert older.count() == 3
        assert_no_drift([table, second], catalog=local)
        changes = local.spark.read.option("readChangeFeed", "true").option("startingVersion", 0).table(second.sql_name)
        assert [row.id for row in changes.where("_change_type = 'delete'").collect()] == [2]

        run(local, table, "OPTIMIZE {table}", "DELETE FROM {table}", "VACUUM {table} RETAIN 0 HOURS")
        assert rows(local, clone) == changed
        assert rows(local, second) == before
        assert rows(local, table) == []


@pytest.mark.parametrize(
    ("kind", "properties", "settings"),
    [
        ("one file", {}, {}),
        ("several parts", {}, {"spark.databricks.delta.checkpoint.partSize": "1"}),
        (
            "v2 in parquet",
            {"delta.checkpointPolicy": "v2"},
            {"spark.databricks.delta.checkpointV2.topLevelFileFormat": "parquet"},
        ),
        (
            "v2 in JSON",
            {"delta.checkpointPolicy": "v2"},
            {"spark.databricks.delta.checkpointV2.topLevelFileFormat": "json"},
        ),
    ],
)
def test_a_log_that_begins_with_a_checkpoint_is_cloned(local, kind, properties, settings):
    table = model(kind.replace(" ", "_"), table_properties={"delta.checkpointInterval": "3", **properties})
    for key, value in settings.items():
        local.spark.conf.set(key, value)
    try:
        with scratch(local) as made:
            table = made.table(table, [{"id": 1, "note": "a", "day": "a"}, {"id": 2, "note": "b", "day": "a"}], None)
            run(local, table, "DELETE FROM {table} WHERE id = 2", "INSERT INTO {table} VALUES (3, 'c', 'b')")
            log = table_folder(local.warehouse, table.name) / "_delta_log"
            assert local.version(table.name) == 4
            assert list(log.glob(f"{3:020}.checkpoint*"))
            for version in range(3):
                for path in log.glob(f"*{version:020}.*"):
                    path.unlink()

            clone = made.clone(table, None)

            own = table_folder(local.warehouse, clone.name) / "_delta_log"
            (own / f"{4:020}.crc").unlink()
            (own / f"{3:020}.crc").unlink(missing_ok=True)
            assert rows(local, clone) == rows(local, table) == [(1, "a", "a"), (3, "c", "b")]
            assert_no_drift(clone, catalog=local)
            stored = [str(local.spark.sql(f"DESCRIBE DETAIL {one.sql_name}").collect()[0].id) for one in (table, clone)]
            assert len(set(stored)) == 2
            run(local, clone, "DELETE FROM {table} WHERE id = 1")
            assert rows(local, table) == [(1, "a", "a"), (3, "c", "b")]
    finally:
        for key in settings:
            local.spark.conf.unset(key)


def test_a_clone_of_an_external_table_is_in_the_warehouse(local, tmp_path):
    local.create_schema("dev", "silver")
    local.spark.sql(f"CREATE TABLE dev.silver.outside (id BIGINT) USING DELTA LOCATION '{tmp_path / 'outside'}'")
    local.insert(Table("dev", "silver", "outside", [Column("id", LongType())]).name, [{"id": 1}])
    table = Table("dev", "silver", "outside", [Column("id", LongType())])
    with scratch(local) as made:
        clone = made.clone(table, None)
        local.insert(clone.name, [{"id": 2}])

        assert sorted(row.id for row in local.spark.table(clone.sql_name).collect()) == [1, 2]
        assert (table_folder(local.warehouse, clone.name) / "_delta_log").is_dir()

    assert [row.id for row in local.spark.table(table.sql_name).collect()] == [1]


def test_files_outside_of_the_table_are_used_by_both(local, tmp_path):
    base, shallow = tmp_path / "base", tmp_path / "shallow"
    local.spark.range(3).write.format("delta").save(str(base))
    local.spark.sql(f"CREATE TABLE delta.`{shallow}` SHALLOW CLONE delta.`{base}`").collect()
    local.create_schema("dev", "silver")
    local.spark.sql(f"CREATE TABLE dev.silver.shallow USING DELTA LOCATION '{shallow}'")
    table = Table("dev", "silver", "shallow", [Column("id", LongType())])
    with scratch(local) as made:
        clone = made.clone(table, None)
        run(local, clone, "DELETE FROM {table} WHERE id = 0", "VACUUM {table} RETAIN 0 HOURS")

        assert sorted(row.id for row in local.spark.table(clone.sql_name).collect()) == [1, 2]
    assert sorted(row.id for row in local.spark.table(table.sql_name).collect()) == [0, 1, 2]


def test_a_table_whose_files_cannot_be_read_is_refused(local, monkeypatch):
    def denied(*_):
        raise PermissionError(13, "Permission denied", "/x")

    monkeypatch.setattr("pytest_delta_schema.backends.local.clones.clone_folder", denied)
    with scratch(local) as made:
        table = made.table(model("orders"), None, None)
        with pytest.raises(
            StatementError, match=r"orders cannot be cloned: .*Permission denied.*; free space, or give"
        ):
            made.clone(table, None)
