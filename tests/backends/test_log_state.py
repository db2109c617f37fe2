"""The state of a table from the files of its log alone, as backends of other distributions read it."""

from __future__ import annotations

import json

import pytest

from pytest_delta_schema.backends import concurrency
from pytest_delta_schema.backends.kit import LocalLog, state_of_log
from support.delta_logs.damage import checksum_file, commit_file
from support.logs import commit, delta_log, field, metadata, protocol
from support.tables import NAME


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(concurrency, "PAUSES", (0, 0, 0))
    return tmp_path / "orders"


def test_the_state_is_that_of_the_newest_commit(folder):
    delta_log(folder, field("id"), comment="Orders")
    commit(folder, 1, metadata(field("id"), field("day", "date"), comment="Orders", delta__appendOnly="true"))

    state = state_of_log(NAME, LocalLog(str(folder)))

    assert [(column.name, column.data_type) for column in state.columns] == [("id", "bigint"), ("day", "date")]
    assert (state.exists, state.version, state.table_comment) == (True, 1, "Orders")
    assert state.table_properties["delta.appendOnly"] == "true"


def lost(folder):
    (folder / "_delta_log").rename(folder / "gone")


def cut_off(folder):
    commit_file(folder / "_delta_log", 0).write_text("")


def misnamed(folder):
    commit(folder, 1)
    commit_file(folder / "_delta_log", 1).rename(folder / "_delta_log" / "1.json")


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
        (misnamed, "DS502", "its Delta log may be damaged (the number in the name of 1.json does not have 20 digits"),
        (only_a_checkpoint, "DS502", "its Delta log changes, or only a checkpoint in parquet shows its columns"),
        (malformed, "DS503", "its metadata is damaged (MalformedLog"),
    ],
)
def test_a_log_that_does_not_show_the_state_is_a_problem(folder, damage, code, message):
    delta_log(folder, field("id"))
    damage(folder)

    problem = state_of_log(NAME, LocalLog(str(folder)))

    assert problem.code == code
    assert problem.message.startswith(message.format(folder=folder))
    assert problem.remedy


def test_a_checksum_shows_what_a_checkpoint_hides(folder):
    delta_log(folder, field("id"))
    only_a_checkpoint(folder)
    checksum = {"metadata": metadata(field("id"))["metaData"], **protocol(), "domainMetadata": []}
    checksum_file(folder / "_delta_log", 1).write_text(json.dumps(checksum))

    assert state_of_log(NAME, LocalLog(str(folder))).version == 1
