"""An interrupted apply reports what ran, what did not and how to continue; long steps are reported while they run."""

from __future__ import annotations

import logging
import re
import threading
from threading import Event
from types import SimpleNamespace

import pytest

from pytest_delta_schema import ApplyError, MemoryCatalog, Orchestrator, Parquet, Settings, UnsafePlanError, progress
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.execute import (
    ActionRunner,
    ApplyInterrupted,
    InterruptedTable,
    RunningOutcome,
    StillRunning,
    interruption,
)
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.sql import Statement, StatementKind
from pytest_delta_schema.state import SourceState
from support.catalogs import Recording
from support.models import NAME, column, orders, orders_before, state, stored, table

RESTORE = "RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"
KINDS = ["add columns", "set not null", "add primary key", "comment on columns", "comment on table", "set properties"]


class Interrupted(Recording):
    """Is interrupted in a statement of a kind, before or after that has committed.

    Args:
        at: The statement's kind.
        commits: Whether it commits.
        stop: What interrupts it.
        blind: Whether the catalog cannot be read after it: an error, or an event that nobody sets.
    """

    def __init__(self, *args, at=None, commits=False, stop=KeyboardInterrupt, blind=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.at, self.commits, self.stop, self.blind = at, commits, stop, blind
        self.is_over = False

    def run(self, statement):
        if statement.kind is not self.at:
            super().run(statement)
            return
        if self.commits:
            super().run(statement)
        self.is_over = True
        raise self.stop

    def snapshot(self, models):
        if self.is_over and isinstance(self.blind, Exception):
            raise self.blind
        if self.is_over and self.blind is not None:
            self.blind.wait()
        return super().snapshot(models)


def sync(catalog, *models, **how):
    with pytest.raises(ApplyInterrupted) as caught:
        Orchestrator(catalog, ActionRunner.over(catalog, **how)).sync_tables(models or [orders()])
    return caught.value


@pytest.mark.parametrize("commits", [False, True])
def test_a_statement_that_is_interrupted_has_committed_or_not(commits):
    for number, kind in enumerate(KINDS):
        catalog = Interrupted([orders_before()], at=StatementKind(kind), commits=commits)

        stop = sync(catalog)

        (stopped,) = stop.tables
        kinds = [[statement.kind.value for statement in part] for part in (stopped.done, stopped.left)]
        assert (kinds, stopped.running.kind.value) == ([KINDS[:number], KINDS[number + 1 :]], kind)
        outcome = RunningOutcome.COMMITTED if commits else RunningOutcome.NOT_COMMITTED
        assert (stopped.outcome, stopped.version, stopped.reached) == (outcome, 0, number + commits)
        assert to_restore(stop) == (RESTORE if number or commits else "nothing was changed")
        assert catalog.version(NAME) == number + commits

        catalog.at = None
        assert len(Orchestrator.over(catalog).sync_tables([orders()]).statements) == 6 - number - commits


def test_the_text_of_an_interruption():
    catalog = Interrupted([orders_before()], at=StatementKind.COMMENT_COLUMNS, commits=True)

    stop = sync(catalog)

    assert str(stop) == (
        "dev.silver.orders: interrupted in statement 4 of 6\n"
        "  done:\n"
        "    ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n"
        "      `amount` DECIMAL(18,2)\n"
        "    );\n"
        "    ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n"
        "      `id` SET NOT NULL;\n"
        "    ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);\n"
        "  running, committed (the table is at version 4):\n"
        "    ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n"
        "      `amount` COMMENT 'Order total',\n"
        "      `created_ts` COMMENT 'Creation time',\n"
        "      `id` COMMENT 'Order ID';\n"
        "  not run:\n"
        "    COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders table';\n"
        "    ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (\n"
        "      'delta.autoOptimize.optimizeWrite' = 'true'\n"
        "    );\n"
        f"  to restore:  {RESTORE}\n"
        "  to continue: apply again; the next plan starts from what is done"
    )
    assert isinstance(stop, KeyboardInterrupt)
    assert not isinstance(stop, Exception)


def test_tables_that_were_not_begun_are_named_with_what_did_not_run():
    catalog = Interrupted([orders_before()], at=StatementKind.CREATE_TABLE)

    stop = sync(catalog, orders(), table(column(), name="dev.silver.new"))

    assert [str(table.table) for table in stop.tables if not table.is_begun] == ["dev.silver.orders"]
    first, second = str(stop).split("\n\n")
    assert first.startswith(
        "dev.silver.new: interrupted in statement 1 of 1\n  done: nothing\n  running, not committed:",
    )
    assert first.endswith(
        "  to restore:  nothing was changed\n  to continue: apply again; the next plan starts from what is done",
    )
    assert second.startswith("dev.silver.orders: interrupted before statement 1 of 6\n  done: nothing\n  not run:\n")
    assert second.endswith("  to restore:  nothing was changed\n  to continue: apply again")


def to_restore(stop):
    (line,) = [line for line in str(stop).splitlines() if line.startswith("  to restore:  ")]
    return line.removeprefix("  to restore:  ")


def test_how_to_restore_a_new_table():
    absent, new = (
        "the table does not exist, nothing is lost",
        "the table was new: DROP TABLE IF EXISTS `dev`.`silver`.`orders`",
    )
    cases = {
        (StatementKind.CREATE_SCHEMA, False): "nothing was changed",
        (StatementKind.CREATE_SCHEMA, True): absent,
        (StatementKind.CREATE_TABLE, False): absent,
        (StatementKind.CREATE_TABLE, True): new,
        (StatementKind.ADD_PRIMARY_KEY, False): new,
    }

    assert {(at, commits): to_restore(sync(Interrupted(at=at, commits=commits))) for at, commits in cases} == cases


def test_an_interruption_before_the_first_statement_changes_nothing():
    class Asked(Recording):
        def data_checks(self, _):
            raise KeyboardInterrupt

    catalog = Asked([orders_before()])

    stop = sync(catalog, orders(), table(column(), name="dev.silver.new"))

    assert [table.is_begun for table in stop.tables] == [False, False]
    assert catalog.ran == []


def test_an_interruption_between_two_statements():
    class Watched(Recording):
        def version(self, table):
            if self.ran:
                raise KeyboardInterrupt
            return super().version(table)

    stop = sync(Watched([orders_before()]), restores=True)

    assert str(stop).startswith("dev.silver.orders: interrupted after statement 1 of 6\n")
    assert stop.tables[0].running is None


def test_an_interruption_while_the_table_is_read_back():
    class Proving(Recording):
        def snapshot(self, models):
            if self.ran:
                raise KeyboardInterrupt
            return super().snapshot(models)

    stop = sync(Proving([orders_before()]))

    assert str(stop).startswith(
        "dev.silver.orders: interrupted after all 6 statements, before the table was read back\n",
    )
    assert to_restore(stop) == RESTORE


def test_an_interruption_restores_nothing():
    """Neither the table nor, if it stops the restore of a failed table, that one."""
    before = Interrupted([orders_before()], at=StatementKind.COMMENT_TABLE)
    while_restoring = Interrupted(
        [orders_before()], at=StatementKind.RESTORE_TABLE, fail=[StatementKind.ADD_PRIMARY_KEY]
    )

    stops = [sync(catalog, restores=True) for catalog in (before, while_restoring)]

    assert "restore table" not in before.ran
    assert [to_restore(stop) for stop in stops] == [RESTORE, RESTORE]
    head = "dev.silver.orders: interrupted after statement 3 of 6 had failed: the disk is full"
    assert str(stops[1]).splitlines()[0] == head


def test_tables_that_had_failed_before_keep_their_own_story():
    catalog = Interrupted(
        [orders_before(), state(stored(), name=NAME._replace(table="z"))],
        at=StatementKind.ADD_COLUMNS,
        fail=[(StatementKind.CREATE_TABLE, "new")],
    )

    stop = sync(catalog, orders(), table(column(), name="dev.silver.new"))

    assert [type(error) for error in stop.errors] == [ApplyError]
    assert [str(table.table) for table in stop.tables] == ["dev.silver.orders"]
    assert str(stop).startswith("dev.silver.new: statement 1 of 1 failed: the disk is full")


def test_an_unknown_outcome_is_reported_as_unknown(monkeypatch):
    monkeypatch.setattr(interruption, "READING", 0.05)
    reasons = [
        ({"blind": StatementError("no route")}, "the table could not be read again: no route"),
        ({"blind": threading.Event()}, "the table could not be read again within 0.05 s"),
        (
            {"stop": StillRunning},
            "it had not when the table was read again, but it could not be stopped either; check again",
        ),
    ]
    for options, reason in reasons:
        stop = sync(Interrupted([orders_before()], at=StatementKind.ADD_COLUMNS, **options))

        assert stop.tables[0].outcome is RunningOutcome.UNKNOWN
        assert f"  running, perhaps committed ({reason}):\n" in str(stop)
        assert to_restore(stop) == f"if it has committed, {RESTORE}"


def test_a_statement_that_could_not_be_stopped_and_has_committed():
    catalog = Interrupted([orders_before()], at=StatementKind.ADD_COLUMNS, commits=True, stop=StillRunning)

    assert sync(catalog).tables[0].outcome is RunningOutcome.COMMITTED


def test_a_statement_of_several_commits_may_have_committed_partly():
    class PerColumn(Interrupted):
        def run(self, statement):
            if statement.kind is self.at:
                MemoryCatalog.run(self, statement._replace(changes=statement.changes[:1]))
            super().run(statement)

    stop = sync(
        PerColumn([state(stored(), stored("b"))], at=StatementKind.TIGHTEN_COLUMNS),
        table(column(is_nullable=False), column("b", is_nullable=False)),
    )

    assert stop.tables[0].outcome is RunningOutcome.PARTLY
    assert "  running, partly committed (the table is at version 1):\n" in str(stop)
    assert to_restore(stop) == RESTORE


def test_a_table_that_became_unreadable_is_unknown():
    class Damaged(Interrupted):
        def snapshot(self, models):
            seen = super().snapshot(models)
            return type(seen)(tables={}) if self.is_over else seen

    stop = sync(Damaged([orders_before()], at=StatementKind.ADD_COLUMNS))

    assert "running, perhaps committed (the table could not be read again: dev.silver.orders: is not part" in str(stop)


def test_a_runner_alone_does_not_look():
    catalog = Interrupted([orders_before()], at=StatementKind.ADD_COLUMNS)
    plan = Orchestrator.over(catalog).plan_tables([orders()])

    with pytest.raises(ApplyInterrupted, match=r"running, perhaps committed \(the table was not read again\)"):
        ActionRunner.over(catalog).apply(plan)


def test_a_second_interruption_ends_the_look_at_once(monkeypatch):
    catalog = Interrupted([orders_before()], at=StatementKind.ADD_COLUMNS)
    line = Orchestrator.over(catalog)

    def again(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "join", again)
    with pytest.raises(KeyboardInterrupt) as caught:
        line.sync_tables([orders()])

    assert not isinstance(caught.value, ApplyInterrupted)


def test_an_interrupted_rewrite_names_the_files_it_leaves():
    left = "  left behind: perhaps data files that belong to no version; VACUUM removes them\n"
    for commits in (False, True):
        catalog = Interrupted([state(stored(), stored("b"))], at=StatementKind.REWRITE_LAYOUT, commits=commits)
        line = Orchestrator.over(catalog, settings=Settings(consents=(parse_consent("rewrite dev.silver.orders"),)))

        with pytest.raises(ApplyInterrupted) as caught:
            line.sync_tables([table(column(), column("b"), partitioned_by=["id"])])

        assert (left in str(caught.value)) is not commits


def test_an_interrupted_conversion_names_the_files_it_leaves():
    statement = Statement(table=NAME, kind=StatementKind.CONVERT_TABLE, sql="CONVERT")
    outcome = RunningOutcome.NOT_COMMITTED

    text = str(InterruptedTable(table=NAME, done=(), running=statement, left=(), version=0, outcome=outcome))

    assert (
        "  left behind: nothing: the parquet files are as they were, and there is no Delta log next to them\n" in text
    )
    assert "  to restore:  nothing was changed\n" in text


def registered():
    return table(column(), comment="Orders", convert_from=Parquet("/lake/orders"))


SOURCE = SourceState(provider="delta", path="/lake/orders", files=1)
TO_17 = "RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 17"


def test_a_registered_table_is_restored_to_its_old_version():
    there = state(stored(), source=SOURCE, version=17)
    stops = [
        sync(Interrupted([there], at=at), registered())
        for at in (StatementKind.REGISTER_TABLE, StatementKind.COMMENT_TABLE)
    ]

    assert [*map(to_restore, stops)] == ["nothing was changed", TO_17]
    with pytest.raises(ApplyError, match=f"to restore:  {TO_17}\n"):
        Orchestrator.over(Recording([there], fail=[StatementKind.COMMENT_TABLE])).sync_tables([registered()])


def model():
    columns = [column("id", is_nullable=False), column("created_ts", "timestamp", is_nullable=False)]
    return table(*columns, primary_key=["id"])


DRIFT = Settings(preflight="count")


class RunningHandler(logging.Handler):
    """Sets an event when a record about a running step is logged.

    Args:
        shown: The event.
    """

    def __init__(self, shown):
        super().__init__()
        self._shown = shown

    def emit(self, record):
        if record.delta_schema_phase == "running":
            self._shown.set()


class Slow(MemoryCatalog):
    """A catalog in which one operation takes until a record about it was logged.

    Args:
        operation: The name of the method, for statements with their kind.
        rows: The rows of the table.
    """

    def __init__(self, operation, rows=()):
        super().__init__([orders_before()], rows={NAME: rows})
        self._slow = operation
        self.shown = Event()
        self.forget = lambda: None

    def _take_long(self, operation):
        if operation == self._slow:
            # On a busy machine the operations before took long, too.
            self.forget()
            self.shown.clear()
            self.shown.wait(60)

    def snapshot(self, models):
        self._take_long("snapshot")
        return super().snapshot(models)

    def run(self, statement):
        self._take_long(f"run {statement.kind.value}")
        super().run(statement)

    def data_checks(self, table):
        runner = super().data_checks(table)

        def slow(operation):
            def run(*args, **kwargs):
                self._take_long(operation)
                return getattr(runner, operation)(*args, **kwargs)

            return run

        return SimpleNamespace(count_rows=slow("count_rows"), sample_rows=slow("sample_rows"))


@pytest.fixture
def logged(monkeypatch, caplog):
    """Run a function while a catalog is slow, and return what is logged, without numbers of seconds."""
    monkeypatch.setattr(progress, "INTERVAL", 0.02)
    caplog.set_level(logging.INFO, "pytest_delta_schema")

    def logged(catalog, function):
        handler = RunningHandler(catalog.shown)
        catalog.forget = caplog.clear
        logger = logging.getLogger("pytest_delta_schema")
        logger.addHandler(handler)
        try:
            function()
        finally:
            logger.removeHandler(handler)
        return list(dict.fromkeys(re.sub(r"\d+ s\b", "N s", message) for message in caplog.messages))

    return logged


def apply(catalog):
    Orchestrator.over(catalog).sync_tables([model()])


def drift(catalog):
    Gate(catalog, [model()], settings=DRIFT).drift(model())


def refused(catalog):
    with pytest.raises(UnsafePlanError):
        apply(catalog)


OUTER = "applying dev.silver.orders"


@pytest.mark.parametrize(
    ("function", "operation", "step", "outer"),
    [
        (apply, "snapshot", OUTER, None),
        (apply, "count_rows", "dev.silver.orders: running its data checks", OUTER),
        (refused, "sample_rows", "dev.silver.orders: finding rows that fail its data checks", OUTER),
        (apply, "run set not null", "dev.silver.orders: set not null, statement 1 of 2", OUTER),
        (apply, "run add primary key", "dev.silver.orders: add primary key, statement 2 of 2", OUTER),
        (drift, "snapshot", "reading the catalog", None),
        (drift, "count_rows", "dev.silver.orders: running its data checks", None),
    ],
)
def test_a_long_operation_is_logged_while_it_runs(logged, function, operation, step, outer):
    catalog = Slow(operation, [{"id": 1}] if function is refused else ())

    messages = logged(catalog, lambda: function(catalog))

    assert messages[0] == f"{step}: N s so far"
    end = "stopped" if function is refused else "done"
    last = f"{outer or step}: {end} after N s"
    assert messages[-1] == last


def test_short_operations_are_not_logged(logged, monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 60.0)
    catalog = Slow("")

    assert logged(catalog, lambda: (drift(catalog), apply(catalog))) == []
