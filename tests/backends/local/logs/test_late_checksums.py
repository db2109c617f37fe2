"""The newest version has no checksum yet, as next to a Spark writer: an older one and later commits are read."""

from __future__ import annotations

import json

import pytest

from pytest_delta_schema.backends.local.reading import WarehouseLogs
from pytest_delta_schema.backends.logs.checks import damage_of
from pytest_delta_schema.backends.logs.files import LocalLog
from support.delta_logs.damage import checksum_file, commit_file
from support.logs import commit, field, metadata
from support.tables import NAME

OLD, NEW = metadata(field("id"), comment="Old"), metadata(field("id"), field("n"), comment="New")
NEWEST = 14


def protocol(*features):
    versions = {"minReaderVersion": 1, "minWriterVersion": 7}
    return {"protocol": {**versions, "writerFeatures": ["clustering", "domainMetadata", *features]}}


def clustered(*columns, removed=False):
    configuration = json.dumps({"clusteringColumns": [[column] for column in columns]})
    return {"domainMetadata": {"domain": "delta.clustering", "configuration": configuration, "removed": removed}}


def checksum(**changes):
    entries = {
        "metadata": OLD["metaData"],
        "protocol": protocol()["protocol"],
        "domainMetadata": [clustered("id")["domainMetadata"]],
    }
    return json.dumps({**entries, **changes})


def write(folder, commits, checksums, *, checkpoint=10, first=1):
    """Write the commits of a log with a checkpoint that holds nothing that could be read."""
    for version in range(first, NEWEST + 1):
        commit(folder, version, *commits.get(version, [{"txn": {"appId": "test", "version": version}}]))
    log = folder / "_delta_log"
    (log / f"{checkpoint:020d}.checkpoint.parquet").write_bytes(b"PAR1" + bytes(40) + b"\x10\x00\x00\x00PAR1")
    for version, content in checksums.items():
        checksum_file(log, version).write_text(content, "utf-8")
    return log


TXN = {"commitInfo": {"txnId": "a", "operation": "TEST"}}
OF_12 = {12: checksum()}
BEFORE = ("Old", ["id"], ["id"], False)
READ = {
    "nothing is changed": ({}, OF_12, BEFORE),
    "metadata is changed": ({13: [NEW]}, OF_12, ("New", ["id", "n"], ["id"], False)),
    "metadata is changed twice": ({13: [NEW], 14: [OLD]}, OF_12, BEFORE),
    "metadata is changed last": ({14: [NEW]}, OF_12, ("New", ["id", "n"], ["id"], False)),
    "metadata that the checksum holds": ({12: [OLD]}, OF_12, BEFORE),
    "metadata before the checksum": ({11: [NEW], 12: [OLD], 13: [NEW]}, OF_12, ("New", ["id", "n"], ["id"], False)),
    "the protocol is raised": ({14: [protocol("appendOnly")]}, OF_12, ("Old", ["id"], ["id"], True)),
    "clustering is changed": ({13: [clustered("n"), NEW]}, OF_12, ("New", ["id", "n"], ["n"], False)),
    "clustering is removed": ({14: [clustered(removed=True)]}, OF_12, ("Old", ["id"], [], False)),
    "clustering that the checksum holds": ({11: [clustered("id")]}, OF_12, BEFORE),
    "not clustered before": ({}, {12: checksum(domainMetadata=[])}, ("Old", ["id"], [], False)),
    "domains only in a commit": ({13: [clustered("id")]}, {12: checksum(domainMetadata=None)}, BEFORE),
    "of two checksums the newer": ({}, {11: checksum(metadata=NEW["metaData"]), 12: checksum()}, BEFORE),
    "the newest checksum is being written": ({14: [NEW]}, {**OF_12, 14: "{"}, ("New", ["id", "n"], ["id"], False)),
    "the checksum of the checkpoint": ({11: [NEW]}, {10: checksum()}, ("New", ["id", "n"], ["id"], False)),
    "a checksum before the checkpoint": ({9: [NEW]}, {8: checksum()}, ("New", ["id", "n"], ["id"], False)),
    "its commit has its transaction": ({12: [TXN]}, {12: checksum(txnId="a")}, BEFORE),
}


def read(tmp_path):
    return WarehouseLogs(tmp_path, (4, 4)).read([NAME]).get(NAME)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "dev" / "silver" / "orders"


@pytest.mark.parametrize(("commits", "checksums", "expected"), READ.values(), ids=READ)
def test_an_older_checksum_and_later_commits_are_read(tmp_path, folder, commits, checksums, expected):
    write(folder, commits, checksums)

    state = read(tmp_path)

    assert state.version == NEWEST
    assert (
        state.table_comment,
        [column.name for column in state.columns],
        [str(path) for path in state.clustering],
        "delta.feature.appendOnly" in state.table_properties,
    ) == expected


def test_the_newest_version_may_be_that_of_the_checkpoint(tmp_path, folder):
    write(folder, {14: [NEW]}, {13: checksum()}, checkpoint=NEWEST)

    assert (read(tmp_path).version, read(tmp_path).table_comment) == (NEWEST, "New")


LEFT_TO_SPARK = {
    "no checksum": ({}, {}),
    "not JSON": ({13: [NEW]}, {12: "{"}),
    "without metadata": ({}, {12: checksum(metadata=None)}),
    "without a protocol": ({}, {12: checksum(protocol=None)}),
    "without domains": ({}, {12: checksum(domainMetadata=None)}),
    "metadata of another commit": ({11: [NEW]}, OF_12),
    "metadata of another commit, changed later": ({11: [NEW], 13: [NEW]}, OF_12),
    "another protocol": ({11: [protocol("appendOnly")]}, OF_12),
    "another protocol, raised later": (
        {11: [protocol("appendOnly")], 13: [protocol()]},
        {12: checksum(metadata=NEW["metaData"])},
    ),
    "other clustering": ({11: [clustered("n")]}, OF_12),
    "another transaction": ({12: [TXN]}, {12: checksum(txnId="b")}),
}


@pytest.mark.parametrize(("commits", "checksums"), LEFT_TO_SPARK.values(), ids=LEFT_TO_SPARK)
def test_an_older_checksum_that_does_not_agree_is_ignored(tmp_path, folder, commits, checksums):
    write(folder, commits, checksums)

    assert read(tmp_path) is None
    assert damage_of(LocalLog(str(folder))) is None


def gap(log):
    commit_file(log, 9).unlink()


def cut(log):
    commit_file(log, 9).write_text("{", "utf-8")


def folder_of_its_name(log):
    checksum_file(log, 8).unlink()
    checksum_file(log, 8).mkdir()


@pytest.mark.parametrize("harm", [gap, cut, folder_of_its_name])
def test_files_before_the_checkpoint_are_not_damage(tmp_path, folder, harm):
    log = write(folder, {}, {8: checksum()})
    assert read(tmp_path).table_comment == "Old"

    harm(log)

    assert read(tmp_path) is None


@pytest.mark.parametrize(("checkpoint", "is_read"), [(103, True), (104, False)])
def test_few_commits_before_the_checkpoint_are_read(tmp_path, folder, checkpoint, is_read):
    log = write(folder, {}, {3: checksum()}, checkpoint=checkpoint)
    for version in range(NEWEST + 1, 106):
        commit_file(log, version).write_text('{"txn": {"appId": "test", "version": 1}}', "utf-8")

    assert (read(tmp_path) is not None) is is_read


class Vanished(LocalLog):
    """A log whose older commit is deleted after it was listed, the first time."""

    first = True

    def read(self, name):
        if type(self).first and name == "00000000000000000009.json":
            type(self).first = False
            raise FileNotFoundError(2, "No such file", name)
        return super().read(name)


def test_an_older_commit_that_is_deleted_meanwhile_is_listed_again(tmp_path, folder, monkeypatch):
    monkeypatch.setattr("pytest_delta_schema.backends.concurrency.PAUSES", (0, 0, 0))
    monkeypatch.setattr("pytest_delta_schema.backends.local.reading.LocalLog", Vanished)
    monkeypatch.setattr(Vanished, "first", True)
    write(folder, {}, {8: checksum()})

    assert read(tmp_path).table_comment == "Old"
    assert not Vanished.first
