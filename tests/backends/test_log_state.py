"""The state of a table, and those of its past, from the files of its log alone."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from deltalake import DeltaTable

from pytest_delta_schema.backends import concurrency
from pytest_delta_schema.backends.kit import LocalFiles, state_of_log
from pytest_delta_schema.backends.logs.log import reading_log
from pytest_delta_schema.delta.log_files import checksum_name, commit_name
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from support.damaged_logs import commit_file
from support.logs import commit, delta_log, field, metadata, protocol
from support.models import NAME


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(concurrency, "PAUSES", (0, 0, 0))
    return tmp_path / "orders"


def lost(folder):
    (folder / "_delta_log").rename(folder / "gone")


def cut_off(folder):
    commit_file(folder / "_delta_log", 0).write_text("")


def only_a_checkpoint(folder):
    log = folder / "_delta_log"
    (log / f"{0:020d}.checkpoint.parquet").write_bytes(b"PAR1" + bytes(8) + (4).to_bytes(4, "little") + b"PAR1")
    commit_file(log, 0).unlink()
    commit(folder, 1)


def malformed(folder):
    entry = metadata(field("id"))
    entry["metaData"]["schemaString"] = json.dumps({"type": "struct", "fields": [{"name": "id"}]})
    commit(folder, 1, entry)


@pytest.mark.parametrize(
    ("damage", "code", "message"),
    [
        (lost, "DS503", "its Delta log is gone ({folder}/_delta_log)"),
        (cut_off, "DS503", "its Delta log is damaged ({folder}/_delta_log/00000000000000000000.json is empty)"),
        (
            only_a_checkpoint,
            "DS502",
            "its Delta log cannot be read ({folder}/_delta_log/00000000000000000000.checkpoint.parquet: ",
        ),
        (malformed, "DS502", "its Delta log cannot be read (00000000000000000001.json holds the field {{"),
    ],
)
def test_a_log_that_does_not_show_the_state_is_a_problem(folder, damage, code, message):
    delta_log(folder, field("id"))
    damage(folder)

    problem = state_of_log(NAME, LocalFiles(str(folder)))

    assert problem.code == code
    assert problem.message.startswith(message.format(folder=folder))
    assert problem.remedy


def clustering(*columns):
    text = json.dumps({"clusteringColumns": [[column] for column in columns]})
    return {"domainMetadata": {"domain": "delta.clustering", "configuration": text, "removed": False}}


@pytest.fixture
def table_folder(tmp_path):
    """A table with a column more in version 2, and other clustering columns in version 3."""
    commit(tmp_path, 0, protocol("clustering", "domainMetadata"), metadata(field("id")), clustering("id"))
    commit(tmp_path, 1, {"add": {"path": "a", "dataChange": True, "stats": '{"numRecords":2}'}})
    commit(tmp_path, 2, metadata(field("id"), field("x", "string"), team="shop"))
    commit(tmp_path, 3, clustering("x"))
    return tmp_path


class Opened:
    """Asks the log of a table, whose faults are those of the table."""

    def __init__(self, folder):
        self.files = LocalFiles(str(folder))

    def __getattr__(self, name):
        def ask(*arguments):
            with reading_log(NAME, self.files) as log:
                return getattr(log, name)(*arguments)

        return ask

    def state(self, version=None):
        """Return the state of a version, by default of the newest one."""
        return self.facts(*([] if version is None else [version])).state(NAME)


def test_commits_from_a_version_on(table_folder):
    log = Opened(table_folder)

    assert [made.version for made in log.commits()] == [0, 1, 2, 3]
    assert [(made.version, made.operation, made.changes_rows) for made in log.commits(1)] == [
        (1, "TEST", True),
        (2, "TEST", False),
        (3, "TEST", False),
    ]
    assert log.commits(4) == ()


def test_columns_under_the_names_of_the_version_before(table_folder):
    renamed = {**field("other"), "metadata": {"delta.columnMapping.physicalName": "id"}}
    commit(table_folder, 4, metadata(renamed, field("x", "string")))
    log = Opened(table_folder)

    names = {version: [column.name for column in log.columns_before(version)] for version in (1, 2, 3, 4)}

    assert names == {1: ["id"], 2: ["id", "id?"], 3: ["id", "x"], 4: ["id", "x"]}
    with pytest.raises(CatalogReadError, match="its log has no commit of version -1"):
        log.columns_before(0)


def test_states_of_versions(table_folder):
    for version, columns, team, clustered_by in (
        (0, ["id"], None, ["id"]),
        (1, ["id"], None, ["id"]),
        (2, ["id", "x"], "shop", ["id"]),
        (3, ["id", "x"], "shop", ["x"]),
    ):
        state = Opened(table_folder).state(version)

        assert [column.name for column in state.columns] == columns
        assert state.table_properties.get("team") == team
        assert state.clustering == tuple(map(ColumnPath, clustered_by))
        assert (state.name, state.version) == (NAME, version)
    commit(table_folder, 4, protocol(), metadata(field("id"), field("day", "date"), comment="Orders"))
    newest = state_of_log(NAME, LocalFiles(str(table_folder)))
    assert newest == Opened(table_folder).state(4)
    assert [(column.name, column.data_type) for column in newest.columns] == [("id", "bigint"), ("day", "date")]
    assert (newest.exists, newest.version, newest.table_comment, newest.clustering) == (True, 4, "Orders", ())


def test_a_checksum_has_the_whole_state_and_one_of_another_form_is_not_used(table_folder):
    entry = {"metadata": metadata(field("new"))["metaData"], "protocol": protocol("clustering")["protocol"]}
    whole = json.dumps({**entry, "domainMetadata": [clustering("new")["domainMetadata"]]})
    for content, columns, clustered_by in (
        (whole, ["new"], "new"),
        ("{", ["id", "x"], "x"),
    ):
        (table_folder / "_delta_log" / checksum_name(3)).write_text(content, "utf-8")

        state = Opened(table_folder).state(3)

        assert [column.name for column in state.columns] == columns
        assert state.clustering == (ColumnPath(clustered_by),)


def spoil(log):
    (log / commit_name(0)).write_text("{", "utf-8")


def lose(*versions):
    return lambda log: [(log / commit_name(version)).unlink() for version in versions]


@pytest.mark.parametrize(
    ("change", "version", "message"),
    [
        (lose(), 7, "its log has no commit of version 7; it has those from 0 to 3; give one of them"),
        (
            lose(0),
            3,
            "the metadata of version 3 is in commit 0, which its log does not hold any more; read a newer version",
        ),
        (spoil, 1, "00000000000000000000.json is cut off or damaged in line 1 of 1"),
        (
            lambda log: commit(log.parent, 0, metadata(field("id"))),
            0,
            "holds the metadata and the protocol",
        ),
    ],
    ids=["no such version", "cleaned up", "damaged", "no protocol"],
)
def test_versions_that_cannot_be_read(table_folder, change, version, message):
    change(table_folder / "_delta_log")

    with pytest.raises(CatalogReadError) as caught:
        Opened(table_folder).state(version)

    assert message in str(caught.value)


GAPS = [
    (lose(1, 2), 0, "00000000000000000001.json, 00000000000000000002.json"),
    (lose(0, 2), 0, "00000000000000000002.json"),
    (
        lambda log: (log / commit_name(10**15)).touch(),
        3,
        f"{', '.join(commit_name(version) for version in range(4, 9))} and 999999999999991 more",
    ),
]


def test_commits_that_are_cleaned_up_are_left_out_and_gaps_are_named(table_folder, tmp_path_factory):
    def changed(change):
        folder = shutil.copytree(table_folder, tmp_path_factory.mktemp("log") / "orders")
        change(folder / "_delta_log")
        return folder

    for change, first, versions in (
        (lose(0), 0, [1, 2, 3]),
        (lose(3), 0, [0, 1, 2]),
        (lose(1), 2, [2, 3]),
    ):
        assert [made.version for made in Opened(changed(change)).commits(first)] == versions
    for change, first, names in GAPS:
        folder = changed(change)
        with pytest.raises(CatalogReadError) as caught:
            Opened(folder).commits(first)
        assert str(caught.value.diagnostics[0]) == (
            f"dev.silver.orders: its Delta log is damaged ({folder}/_delta_log lacks {names}, and later commits are there);"
            " restore them from a backup, or read newer versions only [DS503 DamagedTable]"
        )


@pytest.fixture
def cleaned_up(tmp_path):
    """A log whose checkpoint of version 1 holds what its first commit did, which is gone, and one commit after it."""
    commit(tmp_path, 0, protocol("clustering", "domainMetadata"), metadata(field("id"), team="shop"), clustering("id"))
    commit(tmp_path, 1)
    DeltaTable(tmp_path).create_checkpoint()
    (tmp_path / "_delta_log" / commit_name(0)).unlink()
    commit(tmp_path, 2, {"txn": {"appId": "test", "version": 2}})
    return tmp_path


def test_a_checkpoint_in_parquet_is_read_by_pyarrow(cleaned_up):
    newest, older = Opened(cleaned_up).facts(), Opened(cleaned_up).facts(1)

    assert [facts.state(NAME).clustering for facts in (newest, older)] == [(ColumnPath("id"),)] * 2
    assert [(facts.version, facts.configuration["team"]) for facts in (newest, older)] == [(2, "shop"), (1, "shop")]
    assert [[column.name for column in columns] for columns in Opened(cleaned_up).schemas()] == [["id"]]


def test_without_pyarrow_a_checkpoint_in_parquet_is_not_read(cleaned_up, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    name = f"{cleaned_up}/_delta_log/{1:020d}.checkpoint.parquet"

    assert str(state_of_log(NAME, LocalFiles(str(cleaned_up)))) == (
        f"dev.silver.orders: its Delta log cannot be read (only its checkpoint {name} shows its columns); install pyarrow,"
        " read it through Spark, or write to it once more [DS502 UnreadableTable]"
    )
    assert Opened(cleaned_up).newest().listing.newest == 2
