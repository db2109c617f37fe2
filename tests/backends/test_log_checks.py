"""Damage in a log, down to its lines: reported by every reader of files with the file and a remedy."""

from __future__ import annotations

import json
import shutil

import pytest
from deltalake import DeltaTable

from pytest_delta_schema.backends.logs.files import (
    LocalFiles,
    agrees_with_hadoop,
    hadoop_checksum_name,
    local_folder,
)
from pytest_delta_schema.backends.logs.log import DeltaLog
from pytest_delta_schema.backends.logs.stored import StoredFiles
from pytest_delta_schema.backends.unity.logs import read_log
from pytest_delta_schema.delta.log_files import commit_name
from support.damaged_logs import (
    CLASSIC,
    COMMITS,
    SECOND,
    WITH_CHECKPOINT,
    WITHOUT_CHECKPOINT,
    checkpoint_file,
    checksum_file,
    commit_file,
    damage_of,
)
from support.logs import commit, field, metadata, protocol
from support.models import NAME

ID = field("id", nullable=False)
SIDECAR = "00000000000000000003.checkpoint.0000000001.0000000001.0d7ab2b3-0000-4000-8000-000000000000.parquet"
V2 = "00000000000000000003.checkpoint.0d7ab2b3-0000-4000-8000-000000000001"


_DOMAIN = {"domain": "delta.clustering", "configuration": '{"clusteringColumns":[["id"]]}', "removed": False}
CLUSTERED = {"domainMetadata": _DOMAIN}
UNCLUSTERED = {"domainMetadata": {**_DOMAIN, "removed": True}}


def plain(folder):
    """Make a log of five commits, each with a checksum."""
    commit(folder, 0, protocol(), metadata(ID))
    for version in range(1, 5):
        commit(folder, version, {"txn": {"appId": "test", "version": version}})
    log = folder / "_delta_log"
    for version in range(5):
        path = commit_file(log, version)
        lines = path.read_text("utf-8").split("\n")
        info = json.loads(lines[0])
        info["commitInfo"]["txnId"] = f"transaction-{version}"
        path.write_text("\n".join([json.dumps(info), *lines[1:]]) + "\n", "utf-8")
        action = {"txnId": f"transaction-{version}", **metadata(ID), **protocol()}
        action["metadata"] = action.pop("metaData")
        checksum_file(log, version).write_text(json.dumps(action), "utf-8")
    return log


def classic(folder):
    """Make a log with a checkpoint of version 3."""
    log = plain(folder)
    last = commit_file(log), checksum_file(log)
    contents = [path.read_bytes() for path in last]
    for path in last:
        path.unlink()
    DeltaTable(folder).create_checkpoint()
    for path, content in zip(last, contents, strict=True):
        path.write_bytes(content)
    return log


def second(folder, *, is_json=True):
    """Make a log with a checkpoint of the second version and one sidecar."""
    log = classic(folder)
    (log / "_sidecars").mkdir()
    whole = checkpoint_file(log)
    shutil.copy(whole, log / "_sidecars" / SIDECAR)
    sidecar = {"path": SIDECAR, "sizeInBytes": whole.stat().st_size, "modificationTime": 1}
    actions = [{"checkpointMetadata": {"version": 3}}, {"sidecar": sidecar}, metadata(ID), protocol()]
    if is_json:
        (log / f"{V2}.json").write_text("\n".join(map(json.dumps, actions)) + "\n", "utf-8")
    else:
        shutil.copy(whole, log / f"{V2}.parquet")
    whole.unlink()
    hint = {"version": 3, "size": 4, "v2Checkpoint": {"path": f"{V2}.json", "sidecarFiles": [sidecar]}}
    (log / "_last_checkpoint").write_text(json.dumps(hint), "utf-8")
    return log


LOGS = {
    "plain": (plain, COMMITS | WITHOUT_CHECKPOINT),
    "classic": (classic, COMMITS | WITH_CHECKPOINT | CLASSIC),
    "second": (second, COMMITS | WITH_CHECKPOINT | SECOND),
}
READERS = {"local": lambda log: LocalFiles(str(log.parent)), "store": lambda log: StoredFiles(str(log.parent), {})}


def facts(folder):
    """Read the newest version as the unity backend does."""
    return read_log(str(folder), DeltaLog.facts, {})


def damage(log, reader="local"):
    return damage_of(READERS[reader](log))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", LOGS)
def test_damage(tmp_path, kind, reader):
    make, cases = LOGS[kind]
    whole = make(tmp_path / "whole").parent
    wrong = {}
    for number, (name, case) in enumerate(cases.items()):
        log = shutil.copytree(whole, tmp_path / str(number)) / "_delta_log"
        checkpoint = str(next(log.glob("*.checkpoint*"), ""))
        assert damage(log, reader) is None

        case.harm(log)

        problem = damage(log, reader)
        text = "" if problem is None else str(problem.of(NAME))
        message = "" if case.message is None else case.message.format(log=log, checkpoint=checkpoint)
        start = "dev.silver.orders: its Delta log is damaged (" if message else ""
        if not text.startswith(start) or message not in text or "\n" in text or bool(text) is not bool(message):
            wrong[name] = text
    assert wrong == {}


class Forbidden(LocalFiles):
    """A log that may not be listed."""

    def names(self):
        raise PermissionError(13, "Permission denied")


def test_a_log_that_may_not_be_listed(tmp_path):
    assert str(damage_of(Forbidden(str(tmp_path))).of(NAME)) == (
        f"dev.silver.orders: its Delta log cannot be read ({tmp_path}/_delta_log: [Errno 13] Permission denied); give the"
        " permission to read it, or restore it from a backup [DS502 UnreadableTable]"
    )


def test_locations_on_this_machine():
    folders = {
        "/lake/a%20b": "/lake/a%20b",
        "file:/lake/a%20b": "/lake/a b",
        "file:///lake/orders/": "/lake/orders/",
        "s3://lake/orders": None,
        "file://host/lake": None,
    }
    assert {location: local_folder(location) for location in folders} == folders


FEATURES = {"writerFeatures": ["clustering", "domainMetadata"]}
STATED = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, **FEATURES}}


def test_clustering_of_a_checkpoint_and_of_later_commits(tmp_path):
    for checkpoint, later, clustering in (
        ([], [], []),
        ([CLUSTERED], [], ["id"]),
        ([], [CLUSTERED], ["id"]),
        ([CLUSTERED], [UNCLUSTERED], []),
        ([UNCLUSTERED], [CLUSTERED], ["id"]),
    ):
        commit(tmp_path, 2, STATED, metadata(ID), *checkpoint)
        made = tmp_path / "_delta_log" / commit_name(2)
        content = json.dumps({"checkpointMetadata": {"version": 2}}) + "\n" + made.read_text("utf-8")
        made.with_name(f"{2:020d}.checkpoint.0d7ab2b3-0000-4000-8000-000000000001.json").write_text(content)
        commit(tmp_path, 3, *later)

        assert [str(path) for path in facts(tmp_path).state(NAME).clustering] == clustering


def test_hadoop_knows_this_form():
    """The checksum that Hadoop 3.5.0 has written for a file of the text ``abc``."""
    assert hadoop_checksum_name("0.json") == ".0.json.crc"
    assert agrees_with_hadoop(b"abc", bytes.fromhex("63726300 00000200 352441c2"))
