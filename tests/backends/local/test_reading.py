"""Tables of the warehouse that are read from their logs; what is not plainly readable is left to Spark."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.local.reading import WarehouseLogs
from pytest_delta_schema.backends.logs.files import LocalFiles
from pytest_delta_schema.state import TableState
from support.damaged_logs import (
    CHECKPOINT,
    checksum_file,
    commit_file,
    damage_of,
)
from support.logs import TIME, commit, delta_log, field, metadata, protocol
from support.models import NAME

DELTA = (4, 4)
ID = field("id", nullable=False)


def features(*writer, reader=()):
    versions = {"minReaderVersion": 3, "minWriterVersion": 7}
    return {"protocol": {**versions, "readerFeatures": [*reader], "writerFeatures": [*reader, *writer]}}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "dev" / "silver" / "orders"


@pytest.fixture
def logs(tmp_path):
    return WarehouseLogs(tmp_path, DELTA)


def read(logs, name=NAME):
    return logs.read([name]).get(name)


def with_checksum(folder, version, *actions, **entries):
    """Write the checksum of a version."""
    known = {kind: value for action in actions for kind, value in action.items()}
    if "metaData" in known:
        known["metadata"] = known.pop("metaData")
    checksum_file(folder / "_delta_log", version).write_text(json.dumps({**known, **entries}))


ODD = ["dev/silver/UPPER", "dev/silver/Order Items", "dev/silver/hex_4f6b", "Test-EU/silver/orders"]
"""Folders of tables that other programs write; the third is ``Ok`` in hexadecimal."""


@pytest.mark.parametrize("path", ODD)
def test_tables_in_folders_of_other_forms_are_listed_and_read_by_one_name(logs, tmp_path, path):
    delta_log(tmp_path / path, ID, comment="There")
    catalog, schema, table = path.lower().replace("hex_4f6b", "ok").split("/")
    name = QualifiedName(catalog, schema, table)

    assert logs.table_names(catalog, schema) == (name,)
    assert read(logs, name).table_comment == "There"
    assert len(logs.history(name).commits) == 1
    assert logs._knows(catalog)


def test_names_with_special_characters_and_tables_elsewhere_are_found(logs, folder, tmp_path):
    name = QualifiedName("my catalog", "Größe", "Straße")
    delta_log(tmp_path / "hex_6d7920636174616c6f67" / "hex_6772c3b6c39f65" / "hex_73747261c39f65", ID)
    delta_log(tmp_path / "elsewhere", ID, comment="Elsewhere")
    put(folder / "_location", f"{tmp_path}/elsewhere\n")

    assert read(logs, name).exists
    assert read(logs).table_comment == "Elsewhere"


def put(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_usual_folder_of_a_table_goes_before_others(logs, tmp_path):
    delta_log(tmp_path / "dev/silver/Orders", ID, comment="Other")
    assert read(logs).table_comment == "Other"

    delta_log(tmp_path / "dev/silver/orders", ID, comment="Usual")

    assert read(logs).table_comment == "Usual"
    assert logs.table_names("dev", "silver") == (NAME,)


def test_without_its_commits_a_log_is_read_from_a_checksum_or_left_to_spark(logs, folder):
    """The parquet of the checkpoint holds nothing that could be read."""
    delta_log(folder, ID)
    for version in range(1, 5):
        commit(folder, version, {"txn": {"appId": "test", "version": version}})
    log = folder / "_delta_log"
    (log / f"{CHECKPOINT:020d}.checkpoint.parquet").write_bytes(b"PAR1" + bytes(40) + b"\x10\x00\x00\x00PAR1")
    assert read(logs) is None

    with_checksum(folder, 4, features("clustering", "domainMetadata"), metadata(ID))
    assert read(logs) is None
    with_checksum(folder, 4, protocol(), metadata(ID, comment="Orders"))
    assert (read(logs).table_comment, read(logs).version) == ("Orders", 4)


OLD_DELTA = (3, 3)
READABLE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (protocol(), metadata(ID)),
    (protocol("inCommitTimestamp"), metadata(ID, delta__enableInCommitTimestamps="true")),
    (features(reader=["columnMapping"]), metadata(ID, delta__columnMapping__mode="name")),
    (features(reader=["typeWidening"]), metadata(ID)),
    (features(reader=["variantType"]), metadata(ID, field("v", "variant"))),
]
LEFT_BY_AN_OLD_DELTA: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (features(reader=["typeWidening"]), metadata(ID)),
    (features(reader=["variantType"]), metadata(ID, field("v", "variant"))),
]


def test_only_what_spark_certainly_opens_is_read(tmp_path, folder):
    wrong = []
    for rows, delta, is_read in (
        (READABLE, DELTA, True),
        (LEFT_BY_AN_OLD_DELTA, OLD_DELTA, False),
    ):
        for row in rows:
            commit(folder, 0, *row)
            result = read(WarehouseLogs(tmp_path, delta))
            if not (isinstance(result, TableState) if is_read else result is None):
                wrong.append((row, result))
    assert wrong == []


def absent(*, schema_exists):
    return TableState(name=NAME, exists=False, schema_exists=schema_exists)


def test_a_table_whose_folder_is_missing_does_not_exist(logs, folder):
    assert read(logs) == absent(schema_exists=False)
    folder.parent.mkdir(parents=True)
    assert read(logs) == absent(schema_exists=True)


FOLDER, LINK = object(), object()
"""An empty folder, and a link to itself."""
ELSE = [
    ("orders", FOLDER),
    ("orders/part-0.parquet", ""),
    (f"orders/_delta_log/{1:020d}.checkpoint.{1:010d}.{2:010d}.parquet", ""),
    ("", ""),
    ("orders/_delta_log", LINK),
    ("orders/_location", "elsewhere\n"),
    ("orders/_location", "/nowhere/at/all\n"),
]


@pytest.mark.parametrize(("below", "content"), ELSE)
def test_whatever_else_is_in_the_place_of_a_table_is_left_to_spark(logs, folder, below, content):
    path = folder.parent / below
    path.parent.mkdir(parents=True)
    if content is FOLDER:
        path.mkdir()
    elif content is LINK:
        path.symlink_to(path)
    else:
        path.write_text(content)

    assert read(logs) is None


def test_the_tables_of_a_schema_are_listed(logs, folder, tmp_path):
    schema = folder.parent
    delta_log(schema / "orders", ID)
    delta_log(schema / "hex_4120c3a4".lower(), ID)
    delta_log(tmp_path / "elsewhere", ID)
    put(schema / "linked" / "_location", f"{tmp_path}/elsewhere\n")
    (schema / "killed" / "_delta_log").mkdir(parents=True)
    put(schema / "files" / "part-0.parquet")
    put(schema / "note.txt")

    names = [name.table for name in logs.table_names("dev", "silver")]

    assert names == ["a ä", "linked", "orders"]
    assert logs.table_names("dev", "gold") == ()


def test_folders_of_parquet_files_are_listed_apart_from_tables(logs, tmp_path):
    schema = tmp_path / "dev" / "silver"
    delta_log(schema / "orders", ID)
    for file in (
        "Plain/part-0.parquet",
        "partitioned/day=1/hour=2/part-0.snappy.parquet",
        "lost/_delta_log/00000000000000000010.checkpoint.parquet.tmp",
        "lost/part-0.parquet",
        "hidden/_temporary/0/part-0.parquet",
        "hidden/_metadata.parquet",
        "by_underscore/_day=1/part-0.parquet",
        "linked/part-0.parquet",
        "linked/_location",
        "file.parquet",
    ):
        put(schema / file)

    names = [name.table for name in logs.parquet_names("dev", "silver")]

    assert names == ["by_underscore", "lost", "partitioned", "plain"]
    assert logs.parquet_names("dev", "gold") == ()


def test_the_history_shows_each_commit(logs, folder):
    delta_log(folder, ID)
    commit(folder, 1, metadata(ID, field("amount", "double")))
    path = commit_file(folder / "_delta_log", 1)
    path.write_text(path.read_text().replace('"operation"', '"userMetadata": "nightly", "operation"'))
    commit(folder, 2, {"add": {"path": "part-0.parquet"}})
    for version in range(3):
        os.utime(commit_file(folder / "_delta_log", version), (TIME / 1000, TIME / 1000))

    commits, columns_at = logs.history(NAME)

    assert sorted(commits) == [0, 1, 2]
    assert {key: str(value) for key, value in commits[1].items()} == {
        "timestamp": "2026-09-21 14:13:20.001000+00:00",
        "operation": "TEST",
        "operationParameters": "None",
        "userMetadata": "nightly",
    }
    names = [[column.name for column in columns_at(version)] for version in range(3)]
    assert names == [["id"], ["id", "amount"], ["id", "amount"]]


def test_a_history_that_only_spark_knows_is_left_to_it(logs, folder):
    assert logs.history(NAME) is None
    delta_log(folder, ID)
    commit(folder, 1)
    first, second = (commit_file(folder / "_delta_log", version) for version in (0, 1))
    for path, old, new in (
        (second, '"operation"', '"inCommitTimestamp": 5, "operation"'),
        (second, "commitInfo", "note"),
        (first, "metaData", "note"),
    ):
        whole = path.read_text()
        assert logs.history(NAME) is not None
        path.write_text(whole.replace(old, new))
        assert logs.history(NAME) is None, new
        path.write_text(whole)
    first.unlink()
    assert logs.history(NAME) is None


OLD, NEW = metadata(field("id"), comment="Old"), metadata(field("id"), field("n"), comment="New")
NEWEST = 14


def protocol_of(*features):
    versions = {"minReaderVersion": 1, "minWriterVersion": 7}
    return {"protocol": {**versions, "writerFeatures": ["clustering", "domainMetadata", *features]}}


def clustered(*columns, removed=False):
    configuration = json.dumps({"clusteringColumns": [[column] for column in columns]})
    return {"domainMetadata": {"domain": "delta.clustering", "configuration": configuration, "removed": removed}}


def checksum(**changes):
    entries = {
        "metadata": OLD["metaData"],
        "protocol": protocol_of()["protocol"],
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
    "metadata before the checksum": ({11: [NEW], 12: [OLD], 13: [NEW]}, OF_12, ("New", ["id", "n"], ["id"], False)),
    "the protocol is raised": ({14: [protocol_of("appendOnly")]}, OF_12, ("Old", ["id"], ["id"], True)),
    "clustering is changed": ({13: [clustered("n"), NEW]}, OF_12, ("New", ["id", "n"], ["n"], False)),
    "clustering is removed": ({14: [clustered(removed=True)]}, OF_12, ("Old", ["id"], [], False)),
    "not clustered before": ({}, {12: checksum(domainMetadata=[])}, ("Old", ["id"], [], False)),
    "the newest checksum is being written": ({14: [NEW]}, {**OF_12, 14: "{"}, ("New", ["id", "n"], ["id"], False)),
    "the checksum of the checkpoint": ({11: [NEW]}, {10: checksum()}, ("New", ["id", "n"], ["id"], False)),
    "a checksum before the checkpoint": ({9: [NEW]}, {8: checksum()}, ("New", ["id", "n"], ["id"], False)),
    "its commit has its transaction": ({12: [TXN]}, {12: checksum(txnId="a")}, BEFORE),
}


def test_an_older_checksum_and_later_commits_are_read(logs, folder):
    seen = {}
    for case, (commits, checksums, _) in READ.items():
        shutil.rmtree(folder, ignore_errors=True)
        write(folder, commits, checksums)
        state = read(logs)
        assert state.version == NEWEST, case
        seen[case] = (
            state.table_comment,
            [column.name for column in state.columns],
            [str(path) for path in state.clustering],
            "delta.feature.appendOnly" in state.table_properties,
        )
    assert seen == {case: expected for case, (*_, expected) in READ.items()}


LATE_CHECKSUMS = {
    "not JSON": ({13: [NEW]}, {12: "{"}),
    "without metadata": ({}, {12: checksum(metadata=None)}),
    "metadata of another commit": ({11: [NEW]}, OF_12),
    "another protocol": ({11: [protocol_of("appendOnly")]}, OF_12),
    "other clustering": ({11: [clustered("n")]}, OF_12),
    "another transaction": ({12: [TXN]}, {12: checksum(txnId="b")}),
}


def test_an_older_checksum_that_does_not_agree_is_ignored(logs, folder):
    for case, (commits, checksums) in LATE_CHECKSUMS.items():
        shutil.rmtree(folder, ignore_errors=True)
        write(folder, commits, checksums)

        assert read(logs) is None, case
        assert damage_of(LocalFiles(str(folder))) is None, case
