"""New tables are created at the same time where no table waits for another; what is reported stays the same."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace

import pytest

from pytest_delta_schema import DeltaSchemaError, ForeignKey, Orchestrator
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import ApplyInterrupted, RunningOutcome, StillRunning
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


def test_as_many_tables_as_there_are_threads_are_created_at_the_same_time():
    barrier = threading.Barrier(4, timeout=PATIENCE)
    catalog = Concurrent([THERE], before=lambda statement: statement.kind is CREATE and barrier.wait())

    result = sync(catalog, models(*"hgfedcba"))

    assert [str(statement.table.table) for statement in result.statements] == list("abcdefgh")
    assert sorted(catalog.tables) == list("abcdefgh")
    assert catalog.blocks == 1


def test_statements_are_returned_in_the_order_of_the_plan_whoever_is_first():
    is_second_done = threading.Event()

    def before(statement):
        if statement.table.table == "a":
            assert is_second_done.wait(PATIENCE)
        elif statement.table.table == "c":
            is_second_done.set()

    catalog = Concurrent([THERE], before=before)

    result = sync(catalog, models("a", "b", "c"))

    assert catalog.tables[-1] == "a"
    assert [statement.table.table for statement in result.statements] == ["a", "b", "c"]


def test_the_first_table_in_a_missing_schema_creates_it_for_the_others():
    catalog = Concurrent()

    sync(catalog, [*models("a", "b", "c"), table(column(), name="dev.gold.z")])

    silver = [line for line in catalog.story if not line.startswith("z:")]
    assert silver[:2] == ["a: create schema", "a: create table"]
    assert sorted(silver[2:]) == ["b: create schema", "b: create table", "c: create schema", "c: create table"]


def test_foreign_keys_are_added_when_all_tables_are_there():
    catalog = Concurrent()

    result = sync(catalog, family())

    added = [index for index, kind in enumerate(catalog.ran) if kind == "add foreign key"]
    assert added == list(range(len(catalog.ran) - 4, len(catalog.ran)))
    assert catalog.blocks == 2
    assert len(result.statements) == len(catalog.ran)


@pytest.mark.parametrize(
    "tables",
    [models("a"), [table(column(), column("b"), name="dev.silver.there")]],
    ids=["one new table", "an alignment"],
)
def test_one_table_runs_in_the_thread_of_the_caller(tables):
    threads = []
    catalog = Concurrent([THERE], before=lambda _: threads.append(threading.current_thread()))

    sync(catalog, tables)

    assert set(threads) == {threading.current_thread()}
    assert catalog.blocks == 0


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


def test_statements_that_could_not_be_stopped_may_still_commit():
    is_stopped = threading.Event()

    def stop():
        is_stopped.set()
        raise StillRunning

    catalog = Concurrent([THERE], threads=2, before=cancelled(is_stopped), stop=stop)

    with pytest.raises(ApplyInterrupted) as caught:
        sync(catalog, models(*"abcdef"))

    assert caught.value.still_running
    assert [stopped.outcome for stopped in caught.value.tables if stopped.running] == [RunningOutcome.UNKNOWN] * 2


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


def test_the_work_of_a_table_begins_when_that_of_others_has_ended():
    ended: list[str] = []

    def work(name, _):
        assert after.get(name, set()) <= set(ended)
        ended.append(name)

    after = {"b": {"a"}, "d": {"a", "c"}, "e": {"d"}}
    run_in_order(list("abcdef"), after, work, 3)

    assert sorted(ended) == list("abcdef")


def test_threads_do_not_keep_a_process_alive():
    is_daemon = []
    run_in_order(list("ab"), {}, lambda *_: is_daemon.append(threading.current_thread().daemon), 2)

    assert is_daemon == [True, True]
