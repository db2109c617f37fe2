"""Commits and older states, from the files of a log."""

from __future__ import annotations

import json

import pytest

from pytest_delta_schema import CatalogReadError, QualifiedName
from pytest_delta_schema.backends.logs.files import LocalLog
from pytest_delta_schema.backends.logs.state import CommitLog
from pytest_delta_schema.delta.log_files import checksum_name, commit_name
from pytest_delta_schema.delta.names import ColumnPath
from support.logs import commit, field, metadata, protocol

NAME = QualifiedName("dev", "silver", "orders")


def clustering(*columns, removed=False):
    text = json.dumps({"clusteringColumns": [[column] for column in columns]})
    return {"domainMetadata": {"domain": "delta.clustering", "configuration": text, "removed": removed}}


@pytest.fixture
def folder(tmp_path):
    """A table with a column more in version 2, and other clustering columns in version 3."""
    commit(tmp_path, 0, protocol("clustering", "domainMetadata"), metadata(field("id")), clustering("id"))
    commit(tmp_path, 1, {"add": {"path": "a", "dataChange": True, "stats": '{"numRecords":2}'}})
    commit(tmp_path, 2, metadata(field("id"), field("x", "string"), team="shop"))
    commit(tmp_path, 3, clustering("x"))
    return tmp_path


def opened(folder):
    return CommitLog(table=NAME, log=LocalLog(str(folder)))


def test_commits_from_a_version_on(folder):
    log = opened(folder)

    assert [made.version for made in log.commits()] == [0, 1, 2, 3]
    assert [(made.version, made.operation, made.changes_rows) for made in log.commits(1)] == [
        (1, "TEST", True),
        (2, "TEST", False),
        (3, "TEST", False),
    ]
    assert log.commits(4) == ()


def test_columns_under_the_names_of_the_version_before(folder):
    renamed = {**field("other"), "metadata": {"delta.columnMapping.physicalName": "id"}}
    commit(folder, 4, metadata(renamed, field("x", "string")))
    log = opened(folder)

    names = {version: [column.name for column in log.columns_before(version)] for version in (1, 2, 3, 4)}

    assert names == {1: ["id"], 2: ["id", "id?"], 3: ["id", "x"], 4: ["id", "x"]}
    with pytest.raises(CatalogReadError, match="its log has no commit of version -1"):
        log.columns_before(0)


@pytest.mark.parametrize(
    ("version", "columns", "team", "clustered_by"),
    [
        (0, ["id"], None, ["id"]),
        (1, ["id"], None, ["id"]),
        (2, ["id", "x"], "shop", ["id"]),
        (3, ["id", "x"], "shop", ["x"]),
    ],
)
def test_states_of_versions(folder, version, columns, team, clustered_by):
    state = opened(folder).state_at(version)

    assert [column.name for column in state.columns] == columns
    assert state.table_properties.get("team") == team
    assert state.clustering == tuple(map(ColumnPath, clustered_by))
    assert (state.name, state.version) == (NAME, version)


def test_a_table_without_clustering_needs_no_domain(tmp_path):
    commit(tmp_path, 5, protocol(), metadata(field("id")))

    assert opened(tmp_path).state_at(5).clustering == ()


def test_a_checksum_has_the_whole_state(folder):
    entry = {"metadata": metadata(field("new"))["metaData"], "protocol": protocol("clustering")["protocol"]}
    path = folder / "_delta_log" / checksum_name(3)
    path.write_text(json.dumps({**entry, "domainMetadata": [clustering("new")["domainMetadata"]]}), "utf-8")

    state = opened(folder).state_at(3)

    assert [column.name for column in state.columns] == ["new"]
    assert state.clustering == (ColumnPath("new"),)


@pytest.mark.parametrize("content", ["{", "[]", "{}"])
def test_a_checksum_of_another_form_is_not_used(folder, content):
    (folder / "_delta_log" / checksum_name(3)).write_text(content, "utf-8")

    assert [column.name for column in opened(folder).state_at(3).columns] == ["id", "x"]


def lose_the_first(log):
    (log / commit_name(0)).unlink()


def spoil(log):
    (log / commit_name(0)).write_text("{", "utf-8")


def make_a_folder(log):
    (log / commit_name(0)).unlink()
    (log / commit_name(0)).mkdir()


@pytest.mark.parametrize(
    ("change", "version", "message"),
    [
        (lambda _: None, 7, "its log has no commit of version 7; it has those from 0 to 3; give one of them"),
        (
            lose_the_first,
            3,
            "the metadata of version 3 is in commit 0, which its log does not hold any more; read a newer version",
        ),
        (spoil, 1, "its metadata is damaged (JSONDecodeError"),
        (make_a_folder, 1, "its Delta log cannot be read ([Errno 21] Is a directory"),
    ],
    ids=["no such version", "cleaned up", "damaged", "unreadable"],
)
def test_versions_that_cannot_be_read(folder, change, version, message):
    change(folder / "_delta_log")

    with pytest.raises(CatalogReadError) as caught:
        opened(folder).state_at(version)

    assert message in str(caught.value)


def test_a_log_without_a_protocol_is_damaged(tmp_path):
    commit(tmp_path, 0, metadata(field("id")))

    with pytest.raises(CatalogReadError, match=r"its metadata is damaged \(KeyError\('protocol'\)\)"):
        opened(tmp_path).state_at(0)


def test_an_empty_log_has_no_version(tmp_path):
    (tmp_path / "_delta_log").mkdir()

    with pytest.raises(CatalogReadError, match="no commit of version 0; it has those of which none is left"):
        opened(tmp_path).state_at(0)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("[" * 100_000, "RecursionError"),
        ('{"commitInfo": {"timestamp": 1e400}}', "OverflowError"),
        ('{"commitInfo": null}', "AttributeError"),
        ('{"add": {"path": null}}', "TypeError"),
    ],
    ids=["nested deeply", "time", "no commit info", "path"],
)
def test_malformed_commits_are_damage(folder, content, error):
    (folder / "_delta_log" / commit_name(0)).write_text(content, "utf-8")

    with pytest.raises(CatalogReadError, match=rf"its metadata is damaged \({error}"):
        opened(folder).commits()


def test_commits_that_cannot_be_read(folder):
    spoil(folder / "_delta_log")

    with pytest.raises(CatalogReadError, match=r"dev\.silver\.orders: its metadata is damaged"):
        opened(folder).commits()
    with pytest.raises(CatalogReadError, match=r"files of its Delta log are gone .*; check whether it was dropped"):
        opened(folder / "nothing").commits()


def lose(*versions):
    return lambda log: [(log / commit_name(version)).unlink() for version in versions]


@pytest.mark.parametrize(
    ("change", "first", "versions", "listed_names"),
    [
        (lose(0), 0, [1, 2, 3], None),
        (lose(0, 1), 1, [2, 3], None),
        (lose(3), 0, [0, 1, 2], None),
        (lose(1), 2, [2, 3], None),
        (lose(1), 0, None, "00000000000000000001.json"),
        (lose(1, 2), 0, None, "00000000000000000001.json, 00000000000000000002.json"),
        (lose(2), 2, None, "00000000000000000002.json"),
        (lose(0, 2), 0, None, "00000000000000000002.json"),
        (
            lambda log: (log / commit_name(10**15)).touch(),
            3,
            None,
            f"{', '.join(commit_name(version) for version in range(4, 9))} and 999999999999991 more",
        ),
    ],
    ids=["cleaned up", "more cleaned up", "the newest", "before", "one", "two", "the first", "two places", "many"],
)
def test_gaps_in_a_history_are_named(folder, change, first, versions, listed_names):
    log = folder / "_delta_log"
    change(log)

    if listed_names is None:
        assert [made.version for made in opened(folder).commits(first)] == versions
    else:
        with pytest.raises(CatalogReadError) as caught:
            opened(folder).commits(first)
        assert str(caught.value.diagnostics[0]) == (
            f"dev.silver.orders: its history has a gap ({log} lacks {listed_names}, and later commits are there); restore them"
            " from a backup, or read newer versions only [DS503 DamagedTable]"
        )
