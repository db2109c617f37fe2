"""Tables of a Unity Catalog server that are changed while they are read."""

from __future__ import annotations

import shutil

import pytest

from pytest_delta_schema.backends import concurrency
from pytest_delta_schema.backends.unity.logs import ExternalLogs
from support.logs import commit, field, metadata
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


def after_update(monkeypatch, unity, writers):
    """Let writers in after the first update of the entry and before it is read back."""
    update = unity.catalog.client.update_table

    def updated(*arguments):
        update(*arguments)
        while writers:
            writers.pop(0)()

    monkeypatch.setattr(unity.catalog.client, "update_table", updated)


def test_an_entry_that_another_process_synchronises_to_a_newer_version(unity, monkeypatch):
    writer(unity, 1, syncs=False)()
    writers = [writer(unity, 2), writer(unity, 3, syncs=False)]
    after_update(monkeypatch, unity, writers)

    (done,) = unity.catalog.sync_entries([MODEL])

    written = "comment: the catalog entry has 'Version 2', the log has 'Version 3'"
    assert list(map(str, done.differences)) == [written]
    assert (unity.entry()["comment"], unity.differences()) == ("Version 3", [])
