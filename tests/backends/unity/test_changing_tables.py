"""Tables of a Unity Catalog server that are changed while they are read."""

from __future__ import annotations

import re
import shutil
from contextlib import nullcontext

import pytest

from pytest_delta_schema.backends import concurrency
from pytest_delta_schema.backends.logs.files import LocalFiles
from pytest_delta_schema.backends.logs.stored import StoredFiles
from pytest_delta_schema.backends.unity.logs import ExternalLogs
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import StatementError
from support.logs import TIME, commit, field, metadata
from support.models import NAME
from support.unity import MODEL, lake


@pytest.fixture
def unity(tmp_path, monkeypatch):
    """A table whose entry equals its log."""
    monkeypatch.setattr(concurrency, "PAUSES", (0, 0, 0))
    with lake(tmp_path) as made:
        made.table()
        made.catalog.sync_entries([MODEL])
        yield made


def before_each_log(monkeypatch, *writers):
    """Let writers in between the reads of an entry and of its log, one a time."""
    waiting, read_log = list(writers), ExternalLogs.facts

    def read(logs, entry):
        if waiting:
            waiting.pop(0)()
        return read_log(logs, entry)

    monkeypatch.setattr(ExternalLogs, "facts", read)


def writer(unity, version, *, syncs=True):
    """Return what commits a comment, and writes it to the entry."""

    def write():
        commit(unity.folder / "dev/silver/orders", version, metadata(field("id"), comment=f"Version {version}"))
        if syncs:
            unity.entry()["comment"] = f"Version {version}"

    return write


def test_an_entry_that_is_synchronised_while_it_is_read_is_not_stale_and_one_that_stays_as_it_is_is(unity, monkeypatch):
    before_each_log(monkeypatch, writer(unity, 1), writer(unity, 2))
    assert unity.differences() == []

    before_each_log(monkeypatch, writer(unity, 3, syncs=False))
    assert unity.differences() == ["comment: the catalog entry has 'Version 2', the log has 'Version 3'"]


def test_an_entry_that_changes_during_each_read_is_not_judged(unity, monkeypatch):
    before_each_log(monkeypatch, *(writer(unity, version) for version in (1, 2, 3)))

    state = unity.state()

    assert state.tables[NAME].exists
    assert str(state.entries[NAME]) == (
        "dev.silver.orders: its catalog entry was changed during each of 3 reads; read it again when the jobs that change"
        " it have ended [DS502 UnreadableTable]"
    )


def test_a_table_that_is_dropped_while_it_is_read_is_absent(unity, monkeypatch):
    unity.table("dev.silver.other")

    def drop():
        shutil.rmtree(unity.folder / "dev/silver/orders")
        del unity.server.metastore.tables[str(NAME)]

    before_each_log(monkeypatch, drop)

    state = unity.state()

    assert (state.problems, state.tables[NAME].exists, state.tables[NAME].schema_exists) == ({}, False, True)


@pytest.mark.parametrize(
    ("failures", "is_read"),
    [(["1 is gone"], True), (["1 is gone", "2 is gone", "3 is gone"], True), (["1 is gone", "1 is gone"], False)],
    ids=["once", "another one each time", "twice the same"],
)
def test_a_log_whose_files_are_deleted_while_it_is_read_is_opened_again(unity, monkeypatch, failures, is_read):
    waiting, listed = list(failures), LocalFiles.names

    def names(files):
        if waiting:
            raise OSError(waiting.pop(0))
        return listed(files)

    monkeypatch.setattr(LocalFiles, "names", names)

    assert (str(NAME) not in map(str, unity.state().problems)) is is_read


def after_update(monkeypatch, unity, writers):
    """Let writers in after the first update of the entry and before it is read back."""
    update = unity.catalog.client.update_table

    def updated(*arguments):
        update(*arguments)
        while writers:
            writers.pop(0)()

    monkeypatch.setattr(unity.catalog.client, "update_table", updated)


@pytest.mark.parametrize(
    ("goes_on", "was", "log", "comment"), [(False, "", 1, "Version 2"), (True, "Version 2", 3, "Version 3")]
)
def test_an_entry_that_another_process_synchronises_to_a_newer_version(unity, monkeypatch, goes_on, was, log, comment):
    writer(unity, 1, syncs=False)()
    writers = [writer(unity, 2), *([writer(unity, 3, syncs=False)] if goes_on else [])]
    after_update(monkeypatch, unity, writers)

    (done,) = unity.catalog.sync_entries([MODEL])

    written = f"comment: the catalog entry has '{was}', the log has 'Version {log}'"
    assert list(map(str, done.differences)) == [written]
    assert (unity.entry()["comment"], unity.differences()) == (comment, [])


CLUSTERED = {
    "protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["clustering", "domainMetadata"]},
}
BY_ID = {"domain": "delta.clustering", "configuration": '{"clusteringColumns":[["id"]]}', "removed": False}


@pytest.fixture
def fail(unity, monkeypatch):
    """Let the first reads of the log of a clustered table fail, which is read as a remote one."""
    monkeypatch.setattr("pytest_delta_schema.backends.unity.logs.local_folder", lambda _: None)
    commit(unity.folder / "dev/silver/orders", 0, CLUSTERED, metadata(field("id")), {"domainMetadata": BY_ID})
    waiting: list[Exception] = []
    read = StoredFiles.open

    def failing(folder, *arguments):
        if waiting:
            raise waiting.pop()
        return read(folder, *arguments)

    monkeypatch.setattr(StoredFiles, "open", failing)
    return lambda times: waiting.extend([FileNotFoundError(2, "No such file")] * times)


CHANGING = "cannot be read (it changes while it is read); read it again when the jobs that change it have ended"


@pytest.mark.parametrize(("failures", "is_read"), [(0, True), (1, True), (3, True), (4, False)])
def test_a_remote_log_is_read_again(unity, fail, monkeypatch, failures, is_read):
    read_again = unity.catalog._reader.read_again
    entry = unity.state().entries[NAME]
    fail(failures)
    expected = nullcontext() if is_read else pytest.raises(StatementError, match=re.escape(CHANGING[:52]))
    with expected:
        assert unity.catalog._logs.timestamp(entry, 0) == TIME

    monkeypatch.setattr(unity.catalog._reader, "read_again", lambda name: (read_again(name), fail(failures))[0])
    paths = [ColumnPath("id"), ColumnPath("n")]
    with expected:
        assert unity.catalog.past_columns(NAME, paths) == {paths[0]}
    monkeypatch.setattr(unity.catalog._reader, "read_again", read_again)

    monkeypatch.setattr("pytest_delta_schema.backends.logs.log._without_checkpoint", lambda _, __: None)
    fail(failures)
    state = unity.state()
    if is_read:
        assert [str(path) for path in state.tables[NAME].clustering] == ["id"]
    else:
        location = f"file://{unity.folder}/dev/silver/orders"
        assert str(state.problems[NAME]) == (
            f"dev.silver.orders: its Delta log at {location} {CHANGING} [DS502 UnreadableTable]"
        )
