"""New tables are created at the same time where no table waits for another; what is reported stays the same."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace

import pytest

from pytest_delta_schema import DeltaSchemaError, ForeignKey, Orchestrator
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import ApplyInterrupted, RunningOutcome
from pytest_delta_schema.execute.concurrency import run_in_order
from pytest_delta_schema.sql import StatementKind
from support.catalogs import Concurrent, Recording
from support.models import NAME, column, state, stored, table

PATIENCE = 60
CREATE = StatementKind.CREATE_TABLE
THERE = state(stored("id"), name=NAME._replace(table="there"))


def models(*names, **options):
    return [table(column(is_nullable=False), name=f"dev.silver.{name}", **options) for name in names]


def family():
    """A parent with three children, one of which has its own child; no name is before those of its parents."""
    key = {"primary_key": ["id"]}
    parent, child = models("parent", **key) + models("a_child", **key)
    child = replace(child, foreign_keys=[ForeignKey(["id"], parent)])
    others = models("b_child", "z_child", foreign_keys=[ForeignKey(["id"], parent)])
    return [parent, child, *others, *models("a_grandchild", foreign_keys=[ForeignKey(["id"], child)])]


def sync(catalog, tables):
    return Orchestrator.over(catalog).sync_tables(tables)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_failures_are_those_of_one_table_after_the_other(threads):
    for fail in (
        [(CREATE, "b_child")],
        [(CREATE, "parent")],
        [(StatementKind.CREATE_SCHEMA, "a_child")],
        [(StatementKind.ADD_PRIMARY_KEY, "parent"), (CREATE, "z_child")],
        [(StatementKind.ADD_FOREIGN_KEY, "a_child")],
        [StatementKind.CREATE_SCHEMA],
        [StatementKind.ADD_FOREIGN_KEY],
    ):
        errors: list[object] = []
        for catalog in (Recording(fail=fail), Concurrent(fail=fail, threads=threads)):
            with pytest.raises(DeltaSchemaError) as caught:
                sync(catalog, [*family(), *models("other")])
            errors.append((caught.type, str(caught.value)))
            there = catalog.snapshot(family()).tables
            errors.append(sorted(str(name) for name, seen in there.items() if seen.exists))

        assert errors[2:] == errors[:2], fail


def interrupt(is_stopped):
    """Send SIGINT until it is noticed: CPython misses one that comes just before a lock waits."""
    while not is_stopped.is_set():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        is_stopped.wait(1)


def cancelled(is_stopped):
    """Return what a statement does that an interruption cancels."""

    def before(statement):
        if statement.table.table in {"b", "c"}:
            if statement.table.table == "c":
                interrupt(is_stopped)
            assert is_stopped.wait(PATIENCE)
            raise StatementError("the job was cancelled")

    return before


def test_an_interruption_stops_the_running_statements_and_begins_no_other():
    is_stopped = threading.Event()
    catalog = Concurrent([THERE], threads=2, before=cancelled(is_stopped), stop=is_stopped.set)

    with pytest.raises(ApplyInterrupted) as caught:
        sync(catalog, models(*"abcdef"))

    reached = {stopped.table.table: stopped for stopped in caught.value.tables}
    assert [name for name, stopped in reached.items() if stopped.done] == ["a"]
    assert {name: stopped.outcome for name, stopped in reached.items() if stopped.running} == {
        "b": RunningOutcome.NOT_COMMITTED,
        "c": RunningOutcome.NOT_COMMITTED,
    }
    assert [name for name, stopped in reached.items() if not stopped.is_begun] == ["d", "e", "f"]
    assert catalog.tables == ["a"]
    assert not caught.value.still_running


@pytest.mark.parametrize("threads", [1, 3])
def test_an_unexpected_error_begins_no_other_table_and_is_raised_when_the_running_ones_have_ended(threads):
    begun, ended = [], []

    def work(name, stop):
        begun.append(name)
        if name == "b":
            msg = "a defect"
            raise LookupError(msg)
        if stop is not None:
            assert stop.wait(PATIENCE)
        ended.append(name)

    with pytest.raises(LookupError, match="a defect"):
        run_in_order(list("abcdef"), {}, work, threads)

    assert sorted(begun) == list("abc")[: max(threads, 2)]
    assert sorted(ended) == sorted(set(begun) - {"b"})


def test_as_many_tables_as_there_are_threads_are_created_at_the_same_time():
    barrier = threading.Barrier(4, timeout=PATIENCE)
    catalog = Concurrent([THERE], before=lambda statement: statement.kind is CREATE and barrier.wait())

    result = sync(catalog, models(*"hgfedcba"))

    assert [str(statement.table.table) for statement in result.statements] == list("abcdefgh")
    assert sorted(catalog.tables) == list("abcdefgh")
    assert catalog.blocks == 1
