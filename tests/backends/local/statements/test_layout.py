"""Another layout for the same rows: in one commit, with all of them, or not at all."""

from __future__ import annotations

import json

import pytest

from pytest_delta_schema import ApplyError, Consent, Orchestrator, Settings
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark import statements
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.renderers import select_all
from support.tables import NAME, column, operations, table

pytestmark = pytest.mark.spark


def laid_out(local, monkeypatch=None, **patches):
    """Make a table with two rows, patch what the rewrite asks, and rewrite it by ``d``."""
    before, after = table(column(), column("d")), table(column(), column("d"), partitioned_by=["d"])
    agreed = Settings(consents=(Consent("rewrite", str(NAME)),))
    Orchestrator.over(local).sync_tables([before])
    local.insert(NAME, [{"id": 1, "d": 1}, {"id": 2, "d": 2}])
    for name, value in patches.items():
        monkeypatch.setattr(f"pytest_delta_schema.backends.spark.statements.{name}", value)
    return Orchestrator.over(local, settings=agreed).sync_tables([after])


def test_a_row_that_is_written_during_a_rewrite_stops_it_and_is_kept(local, monkeypatch):
    def slowly(source):
        local.insert(NAME, [{"id": 3, "d": 3}])
        return select_all(source)

    with pytest.raises(ApplyError, match=r"ConcurrentAppend|DELTA_CONCURRENT_APPEND"):
        laid_out(local, monkeypatch, select_all=slowly)

    state = local.snapshot([table(column())]).tables[NAME]
    assert state.partitioning == ()
    assert local.data_checks(NAME).count_rows().rows == 3


LOSSES = {
    "a row": ("SELECT * FROM {} LIMIT 1", "there are 1 rows instead of 2"),
    "a row twice": ("SELECT * FROM {0} UNION ALL (SELECT * FROM {0} LIMIT 1)", "there are 3 rows instead of 2"),
    "a value": ("SELECT id, nullif(d, 2) AS d FROM {}", "the values of column d (bigint) differ"),
    "all values": (
        "SELECT id + 1 AS id, -d AS d FROM {}",
        "the values of columns id (bigint), d (bigint) differ",
    ),
    "which value belongs to which row": (
        "SELECT id, 3 - d AS d FROM {}",
        "values were swapped between rows",
    ),
}


@pytest.mark.parametrize("lost", LOSSES)
def test_a_rewrite_that_would_change_data_changes_nothing(local, monkeypatch, lost):
    sql, message = LOSSES[lost]

    with pytest.raises(ApplyError) as caught:
        laid_out(local, monkeypatch, select_all=sql.format)

    story = f"failed: dev.silver.orders: the rewrite would change data: {message}; nothing was changed, keep the layout"
    assert story in str(caught.value)
    state = local.snapshot([table(column())]).tables[NAME]
    assert (state.partitioning, state.version) == ((), 1)
    assert local.spark.table(dotted(NAME)).orderBy("id").collect() == [(1, 1), (2, 2)]
    (left,) = table_folder(local.warehouse, NAME).rglob("*.parquet")
    assert left.parent == table_folder(local.warehouse, NAME)


def test_a_rewrite_scans_the_rows_three_times_at_most(local, monkeypatch):
    jobs = []
    query, write = statements.table_fingerprint, select_all
    monkeypatch.setattr(statements, "table_fingerprint", lambda *args: jobs.append("fingerprint") or query(*args))

    laid_out(local, monkeypatch, select_all=lambda source: jobs.append("write") or write(source))

    assert jobs == ["fingerprint", "write", "fingerprint"]


def test_streams_do_not_read_the_rows_of_a_rewrite_again(local):
    laid_out(local)

    newest = max((table_folder(local.warehouse, NAME) / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in newest.read_text("utf-8").splitlines()]
    files = [
        (kind, part["dataChange"]) for action in actions for kind, part in action.items() if kind in ("add", "remove")
    ]
    assert sorted(files) == [("add", False), ("add", False), ("remove", False)]
    assert operations(local)[-1] == "REPLACE LAYOUT"
