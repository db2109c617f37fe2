"""Another layout for the same rows: in one commit, with all of them, or not at all."""

from __future__ import annotations

import json

import pytest

from pytest_delta_schema import ApplyError, Consent, Orchestrator, PlanValidator, default_plan_rules
from pytest_delta_schema.catalogs.spark.physical import table_folder
from pytest_delta_schema.sql.queries import select_all
from support.tables import NAME, column, table


def laid_out(local, monkeypatch=None, **patches):
    """Make a table with two rows, patch what the rewrite asks, and rewrite it by ``d``."""
    before, after = table(column(), column("d")), table(column(), column("d"), partitioned_by=["d"])
    agreed = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", str(NAME))]))
    Orchestrator.over(local).sync_tables([before])
    local.insert(NAME, [{"id": 1, "d": 1}, {"id": 2, "d": 2}])
    for name, value in patches.items():
        monkeypatch.setattr(f"pytest_delta_schema.catalogs.spark.layout.{name}", value)
    return Orchestrator.over(local, agreed).sync_tables([after])


def test_a_row_that_comes_during_a_rewrite_stops_it_and_stays(local, monkeypatch):
    def slowly(source):
        local.insert(NAME, [{"id": 3, "d": 3}])
        return select_all(source)

    with pytest.raises(ApplyError, match=r"ConcurrentAppend|DELTA_CONCURRENT_APPEND"):
        laid_out(local, monkeypatch, select_all=slowly)

    state = local.snapshot([table(column())]).tables[NAME]
    assert state.partitioning == ()
    assert local.count_rows(NAME).rows == 3


def test_a_rewrite_that_would_lose_rows_writes_nothing(local, monkeypatch):
    with pytest.raises(ApplyError, match="1 of 2 rows would be written, so nothing was; report this"):
        laid_out(local, monkeypatch, select_all=lambda source: f"{select_all(source)} LIMIT 1")

    state = local.snapshot([table(column())]).tables[NAME]
    assert (state.partitioning, state.version) == ((), 1)
    assert local.count_rows(NAME).rows == 2


def test_streams_do_not_read_the_rows_of_a_rewrite_again(local):
    laid_out(local)

    newest = max((table_folder(local.warehouse, NAME) / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in newest.read_text("utf-8").splitlines()]
    files = [(kind, part["dataChange"]) for each in actions for kind, part in each.items() if kind in ("add", "remove")]
    assert sorted(files) == [("add", False), ("add", False), ("remove", False)]
    assert local._sql(f"DESCRIBE HISTORY {NAME} LIMIT 1").collect()[0].operation == "REPLACE LAYOUT"
