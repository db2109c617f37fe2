"""Clones of tables by their files: which files are linked, copied, changed and left out, and which are refused."""

from __future__ import annotations

import errno
import json
import os

import pytest
from pyspark.sql.types import LongType, StringType

from pytest_delta_schema import Column, Table, assert_no_drift
from pytest_delta_schema.backends.local import clones
from pytest_delta_schema.backends.local.clones import ChangingTableError, clone_folder
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.compat import clear_cache
from pytest_delta_schema.backends.spark.sessions import setting, settings
from support.catalogs import scratch

DATA = (
    "part-0.parquet",
    ".part-0.parquet.crc",
    "deletion_vector_0.bin",
    "day=1/part-1.parquet",
    "_day=1/part-2.parquet",
    ".day=1/part-3.parquet",
    "_change_data/cdc-0.parquet",
)
HIDDEN = ("_checkpoints/0/metadata", ".hidden/file")


def commit(version, table_id):
    return (
        f'{{"commitInfo":{{"timestamp":{version},"operation":"{table_id} is no id here"}}}}\n'
        f'{{"metaData":{{"id":"{table_id}","configuration":{{}}}}}}\n'
    )


@pytest.fixture
def source(tmp_path):
    """A table that was replaced in its second version."""
    folder = tmp_path / "source"
    for name in (*DATA, *HIDDEN):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    log = folder / "_delta_log"
    (log / "_sidecars").mkdir(parents=True)
    (log / "_sidecars" / "0.parquet").write_text("a sidecar")
    for version, table_id in enumerate(("first", "second", "second")):
        path = log / f"{version:020}.json"
        path.write_text(commit(version, table_id))
        os.utime(path, (1000 + version, 1000 + version))
        (log / f".{version:020}.json.crc").write_text("Hadoop's checksum")
        (log / f"{version:020}.crc").write_text(json.dumps({"metadata": {"id": table_id}, "numFiles": 1}))
    (log / f"{2:020}.crc").write_text("no JSON")
    (log / f"{0:020}.{1:020}.compacted.json").write_text(commit(1, "second"))
    (log / "_last_checkpoint").write_text('{"version": 1}')
    return folder


@pytest.fixture
def target(tmp_path):
    return tmp_path / "target"


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def no_parquet(*_):
    pytest.fail("no checkpoint is needed")


def copied(source, target, ids):
    target.write_text(f"{source.name} of {ids.of('first')}")


def test_a_whole_log_is_copied_without_checkpoints(source, target):
    (source / "_delta_log" / f"{1:020}.checkpoint.parquet").write_text("a checkpoint")

    clone_folder(source, target, no_parquet)

    log = target / "_delta_log"
    versions = [log / f"{version:020}.json" for version in range(3)]
    sums = [log / f"{version:020}.crc" for version in range(2)]
    assert files(target) == sorted([*DATA, *(str(path.relative_to(target)) for path in [*versions, *sums])])
    assert all((target / name).samefile(source / name) for name in DATA)
    commits = [path.read_text() for path in versions]
    first, second, again = (json.loads(text.splitlines()[1])["metaData"]["id"] for text in commits)
    assert second == again
    assert len({first, second, "first", "second"}) == 4
    ids = {"first": first, "second": second}
    assert commits == [
        commit(version, old).replace(f'"id":"{old}"', f'"id":"{ids[old]}"')
        for version, old in enumerate(("first", "second", "second"))
    ]
    assert json.loads(sums[1].read_text()) == {"metadata": {"id": second}, "numFiles": 1}
    assert [path.stat().st_mtime for path in versions] == [1000, 1001, 1002]
    # The original is as before.
    assert (source / "_delta_log" / f"{0:020}.json").read_text() == commit(0, "first")


def test_a_log_without_its_first_commits_begins_with_the_newest_checkpoint(source, target):
    log = source / "_delta_log"
    (log / f"{0:020}.json").unlink()
    for name in (f"{0:020}.checkpoint.parquet", f"{1:020}.checkpoint.parquet"):
        (log / name).write_text("a checkpoint")

    clone_folder(source, target, copied)

    own = target / "_delta_log"
    assert files(own) == [
        f"{1:020}.checkpoint.parquet",
        f"{1:020}.crc",
        f"{1:020}.json",
        f"{2:020}.json",
        "_sidecars/0.parquet",
    ]
    assert (own / f"{1:020}.checkpoint.parquet").read_text().startswith(f"{1:020}.checkpoint.parquet of ")
    assert (own / "_sidecars" / "0.parquet").samefile(log / "_sidecars" / "0.parquet")


def test_files_are_copied_where_the_file_system_cannot_link(source, target, monkeypatch):
    def across_devices(*_):
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", across_devices)

    clone_folder(source, target, no_parquet)

    assert [(target / name).read_text() for name in DATA] == list(DATA)
    assert not any((target / name).samefile(source / name) for name in DATA)


def append(folder, version, *actions):
    path = folder / "_delta_log" / f"{version:020}.json"
    path.write_text("\n".join(json.dumps(action) for action in actions))


def add(path, **values):
    return {"add": {"path": path, "dataChange": True, **values}}


def overwritten(folder, old, new, version):
    """Replace a file, and remove the old one, as an overwrite and a VACUUM do."""

    def job():
        (folder / new).write_text(new)
        append(folder, version, add(new), {"remove": {"path": old}})
        (folder / old).unlink()

    return job


def test_a_table_that_changes_during_each_attempt_is_refused(source, target, monkeypatch):
    append(source, 3, add("0.parquet"))
    (source / "0.parquet").write_text("0")
    jobs = iter([overwritten(source, f"{number}.parquet", f"{number + 1}.parquet", 4 + number) for number in range(3)])
    listed = clones._link_files

    def linked(folder, to):
        if folder == source:
            next(jobs)()
        listed(folder, to)

    monkeypatch.setattr(clones, "_link_files", linked)

    with pytest.raises(ChangingTableError):
        clone_folder(source, target, no_parquet)

    assert not target.exists()
    assert next(jobs, None) is None


@pytest.mark.parametrize("lost", [0, 1])
def test_a_log_with_a_gap_is_not_cloned(source, target, lost):
    (source / "_delta_log" / f"{lost:020}.json").unlink()

    with pytest.raises(FileNotFoundError):
        clone_folder(source, target, no_parquet)

    assert not target.exists()


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
    "ALTER TABLE {table} ADD COLUMNS (more STRING)",
)


def model(name, **options):
    columns = [Column("id", LongType(), is_nullable=False), Column("note", StringType()), Column("day", StringType())]
    return Table("dev", "silver", name, columns, **options)


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


@pytest.mark.spark
def test_writes_reach_one_of_the_two_tables_only(local):
    table = model("orders", partitioned_by=["day"], table_properties=EVERYTHING, primary_key=["id"])
    with scratch(local) as made:
        table = made.table(table, [{"id": 1, "note": "a", "day": "a"}, {"id": 2, "note": "b", "day": "a"}], None)
        run(local, table, "INSERT INTO {table} VALUES (3, 'c', 'b')", "DELETE FROM {table} WHERE id = 2")
        before = [(1, "a", "a"), (3, "c", "b")]
        clone, second = made.clone(table, None), made.clone(table, "second")
        folders = [table_folder(local.warehouse, one.name) for one in (table, clone, second)]

        assert rows(local, clone) == rows(local, table) == before
        assert len(set.union(*(table_ids(folder / "_delta_log") for folder in folders))) == 3
        assert_no_drift([table, clone, second], catalog=local)
        first, other = (local.spark.sql(f"DESCRIBE HISTORY {one.sql_name}").collect() for one in (table, clone))
        seen = [(row.version, row.timestamp, row.operation) for row in first]
        assert seen == [(row.version, row.timestamp, row.operation) for row in other]

        run(local, clone, *WRITES)
        changed = [(2, "merged", "a"), (3, "c", "b"), (9, "new", "b")]
        assert rows(local, clone) == changed
        assert rows(local, table) == rows(local, second) == before
        changes = local.spark.read.option("readChangeFeed", "true").option("startingVersion", 0).table(second.sql_name)
        assert [row.id for row in changes.where("_change_type = 'delete'").collect()] == [2]

        run(local, table, "DELETE FROM {table}", "VACUUM {table} RETAIN 0 HOURS")
        assert (rows(local, clone), rows(local, second), rows(local, table)) == (changed, before, [])


V2, V2_FORMAT = {"delta.checkpointPolicy": "v2"}, "spark.databricks.delta.checkpointV2.topLevelFileFormat"
CHECKPOINTS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "several parts": ({}, {"spark.databricks.delta.checkpoint.partSize": "1"}),
    "v2 in JSON": (V2, {V2_FORMAT: "json"}),
}


@pytest.mark.spark
@pytest.mark.parametrize("kind", CHECKPOINTS)
def test_a_log_that_begins_with_a_checkpoint_is_cloned(local, kind):
    properties, conf = CHECKPOINTS[kind]
    table = model(kind.replace(" ", "_"), table_properties={"delta.checkpointInterval": "2", **properties})
    with settings(local.spark, conf), scratch(local) as made:
        table = made.table(table, [{"id": 1, "note": "a", "day": "a"}, {"id": 2, "note": "b", "day": "a"}], None)
        run(local, table, "DELETE FROM {table} WHERE id = 2", "INSERT INTO {table} VALUES (3, 'c', 'b')")
        log = table_folder(local.warehouse, table.name) / "_delta_log"
        assert list(log.glob(f"{2:020}.checkpoint*"))
        for path in [path for version in range(2) for path in log.glob(f"*{version:020}.*")]:
            path.unlink()

        clone = made.clone(table, None)

        own = table_folder(local.warehouse, clone.name) / "_delta_log"
        (own / f"{3:020}.crc").unlink()
        (own / f"{2:020}.crc").unlink(missing_ok=True)
        assert rows(local, clone) == rows(local, table) == [(1, "a", "a"), (3, "c", "b")]
        assert_no_drift(clone, catalog=local)
        stored = {local.spark.sql(f"DESCRIBE DETAIL {one.sql_name}").head().id for one in (table, clone)}
        assert len(stored) == 2


@pytest.mark.spark
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
