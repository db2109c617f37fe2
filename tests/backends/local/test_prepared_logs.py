"""New tables whose logs are copied from those of equal ones."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from pyspark.sql.types import LongType

from pytest_delta_schema import Check, Column, ForeignKey, Table, assert_no_drift
from pytest_delta_schema.backends.local.clones import TableTemplates
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state.desired import desired_state
from support.models import prepared_models

NOW = 1_800_000_000
METADATA = {
    "id": "old",
    "schemaString": "{}",
    "configuration": {"team": "x", "pytest_delta_schema.primaryKey": '{"name": "pk_dev_s_a__id", "columns": ["id"]}'},
    "createdTime": 1,
}
PROPERTIES = '{"pytest_delta_schema.primaryKey":"{\\"name\\": \\"pk_dev_s_a__id\\", \\"columns\\": [\\"id\\"]}"}'
COMMITS: list[list[dict[str, object]]] = [
    [
        {"commitInfo": {"timestamp": 2, "inCommitTimestamp": 2, "operation": "CREATE TABLE"}},
        {"metaData": METADATA},
        {"protocol": {"minReaderVersion": 1}},
    ],
    [{"commitInfo": {"timestamp": 9, "operationParameters": {"properties": PROPERTIES}}}, {"metaData": METADATA}],
]
PROTOCOL_LINE = '{"protocol": {"minReaderVersion": 1}}'


def model(name, *checks):
    columns = [Column("id", LongType(), is_nullable=False)]
    return Table("dev", "s", name, columns, primary_key=["id"], checks=[Check("c", check) for check in checks])


def creation(name, *checks):
    return statements(TablePlanner().creation(desired_state(model(name, *checks)), creates_schema=False))


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """Logs in a folder, where a settings text can be changed and statements write what Delta would."""
    monkeypatch.setattr("pytest_delta_schema.backends.local.clones.time.time", lambda: NOW)
    session = SimpleNamespace(settings="one")
    prepared = TableTemplates(lambda name: tmp_path / name.table, lambda: session.settings)

    def run(name, *checks):
        replaced = [prepared.replace(statement) for statement in creation(name, *checks)]
        if not replaced[0]:
            written(tmp_path / name)
        return replaced

    return SimpleNamespace(prepared=prepared, session=session, run=run)


def written(folder):
    log = folder / "_delta_log"
    (log / "_staged_commits").mkdir(parents=True)
    (folder / "_delta_schema").write_text("a mark")
    for version, actions in enumerate(COMMITS):
        (log / f"{version:020}.json").write_text("".join(f"{json.dumps(action)}\n" for action in actions))
        (log / f".{version:020}.json.crc").write_text("Hadoop's checksum")
    (log / f"{0:020}.crc").write_text("no JSON")
    (log / f"{1:020}.crc").write_text(json.dumps({"metadata": METADATA, "inCommitTimestampOpt": 9, "numFiles": 0}))
    (log / f"{1:020}.checkpoint.parquet").write_text("a checkpoint")


def test_an_equal_table_is_copied_with_an_id_keys_and_times_of_its_own(logs, tmp_path):
    with logs.prepared.active():
        assert logs.run("a") == [False, False]
    with logs.prepared.active():
        assert logs.run("b") == [True, True]
        assert logs.prepared.copied == {model("b").name}

    assert logs.prepared.copied == set()
    folder = tmp_path / "b"
    log = folder / "_delta_log"
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path != log) == [
        *(f"_delta_log/{name}" for name in (f"{0:020}.json", f"{1:020}.crc", f"{1:020}.json", "_staged_commits")),
        "_delta_schema",
    ]
    lines = [(log / f"{version:020}.json").read_text().splitlines() for version in (0, 1)]
    first, second = (list(map(json.loads, commit)) for commit in lines)
    metadata = first[1]["metaData"]
    assert metadata.pop("id") not in {"old", ""}
    key = {"pytest_delta_schema.primaryKey": '{"name": "pk_dev_s_b__id", "columns": ["id"]}'}
    assert metadata == {
        "schemaString": "{}",
        "configuration": {"team": "x", **key},
        "createdTime": NOW * 1000,
    }
    assert first[0]["commitInfo"]["timestamp"] == first[0]["commitInfo"]["inCommitTimestamp"] == NOW * 1000
    assert second[0]["commitInfo"] == {
        "timestamp": NOW * 1000 + 1,
        "operationParameters": {"properties": PROPERTIES.replace("dev_s_a", "dev_s_b")},
    }
    assert PROTOCOL_LINE in lines[0]
    checksum = json.loads((log / f"{1:020}.crc").read_text())
    assert checksum == {"metadata": second[1]["metaData"], "inCommitTimestampOpt": NOW * 1000 + 1, "numFiles": 0}


@pytest.mark.parametrize("reason", ["settings", "statements", "folder", "log"])
def test_other_tables_are_created(logs, tmp_path, reason):
    with logs.prepared.active():
        logs.run("a")
        if reason == "log":
            (tmp_path / "a" / "_delta_log" / f"{0:020}.json").unlink()
    if reason == "settings":
        logs.session.settings = "two"
    if reason == "folder":
        (tmp_path / "b").mkdir()

    with logs.prepared.active():
        replaced = logs.run("b", *(["id > 0"] if reason == "statements" else []))

    assert replaced == [False, False]


@pytest.mark.spark
@pytest.mark.parametrize("part", range(4))
def test_a_copied_table_equals_a_created_one(local, part):
    for model in list(prepared_models().values())[part::4]:
        copy_equals_creation(local, model)


def copy_equals_creation(local, model):
    scratch = Scratch(local, "main")
    try:
        created = scratch.table(model, None, "created")
        copied = scratch.table(model, None, "copied")
        folders = [table_folder(local.warehouse, table.name) for table in (created, copied)]
        states = local.read_tables([created.name, copied.name]).tables
        ids = [next(table_ids(folder)) for folder in folders]
        versions = [local.version(table.name) for table in (created, copied)]

        assert not list((folders[1] / "_delta_log").glob(".*.crc"))
        assert ids[0] != ids[1]
        assert len(set(table_ids(folders[1]))) == 1
        assert versions[0] == versions[1]
        assert unnamed(states[created.name]) == unnamed(states[copied.name])
        assert_no_drift([created, copied], catalog=local)
        assert local.spark.table(copied.sql_name).schema == local.spark.table(created.sql_name).schema
    finally:
        scratch.clean_up()


@pytest.mark.spark
def test_a_copied_table_is_written_like_any_other(local):
    parent = Table("dev", "x", "parent", [Column("id", LongType(), is_nullable=False)], primary_key=["id"])
    child = Table(
        "dev",
        "x",
        "child",
        [Column("id", LongType()), Column("parent", LongType())],
        checks=[Check("positive", "id > 0")],
        foreign_keys=[ForeignKey(["parent"], parent)],
        table_properties={"delta.enableInCommitTimestamps": "true"},
    )
    scratches = [Scratch(local, "main"), Scratch(local, "main")]
    try:
        families = [scratch.tables([child, parent]) for scratch in scratches]
        for number, (table, above) in enumerate(families, 1):
            local.insert(table.name, [{"id": number, "parent": number}])
            assert table.foreign_keys[0].parent == above.name
        (first, _), (second, second_parent) = families
        commits = local.spark.sql(f"DESCRIBE HISTORY {second.sql_name}").collect()

        assert not list((table_folder(local.warehouse, second.name) / "_delta_log").glob(f".{0:020}.*"))
        assert [row.id for row in local.spark.table(first.sql_name).collect()] == [1]
        assert [row.id for row in local.spark.table(second.sql_name).collect()] == [2]
        assert local.read_tables([second.name]).tables[second.name].foreign_keys[0].parent == second_parent.name
        assert [row.operation for row in commits] == ["WRITE", "SET TBLPROPERTIES", "CREATE TABLE"]
        assert first.schema_name not in str(commits)
        times = [row.timestamp for row in commits]
        assert times == sorted(times, reverse=True)
        assert len(set(times)) == 3
        with pytest.raises(Exception, match="positive"):
            local.spark.createDataFrame([(-1, 1)], "id long, parent long").writeTo(second.sql_name).append()
    finally:
        for scratch in scratches:
            scratch.clean_up()


def table_ids(folder):
    """Yield the ids in the metadata of a log and of its checksums."""
    log = folder / "_delta_log"
    for path in sorted(log.glob("*.json")):
        for action in map(json.loads, path.read_text().splitlines()):
            if "metaData" in action:
                yield action["metaData"]["id"]
    for path in log.glob("0*.crc"):
        yield json.loads(path.read_text())["metadata"]["id"]


def unnamed(state):
    """Return a state without the names that come from that of its table."""
    return replace(
        state,
        name=state.name._replace(table=""),
        primary_key=state.primary_key and state.primary_key._replace(name=""),
        unique=tuple(sorted(key._replace(name="") for key in state.unique)),
        foreign_keys=tuple(
            sorted(key._replace(name="", parent=state.name._replace(table="")) for key in state.foreign_keys),
        ),
    )
