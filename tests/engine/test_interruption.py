"""An interrupted apply reports what ran, what did not and how to continue; long steps are reported while they run."""

from __future__ import annotations

import logging
import re
import threading
from threading import Event

import pytest

from pytest_delta_schema import MemoryCatalog, Orchestrator, Parquet, Settings, progress
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import (
    ApplyInterrupted,
    StillRunning,
    interruption,
)
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.state import SourceState
from support.catalogs import Recording
from support.models import NAME, column, orders, orders_before, state, stored, table
from support.snapshots import TextSnapshot

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


class Asked(Recording):
    """Is interrupted while the rows of a table are checked."""

    def data_checks(self, _):
        raise KeyboardInterrupt


class Watched(Recording):
    """Is interrupted between two statements."""

    def version(self, table):
        if self.ran:
            raise KeyboardInterrupt
        return super().version(table)


class Proving(Recording):
    """Is interrupted while a table is read back."""

    def snapshot(self, models):
        if self.ran:
            raise KeyboardInterrupt
        return super().snapshot(models)


class PerColumn(Interrupted):
    """Needs several commits for a statement, of which only the first is made."""

    def run(self, statement):
        if statement.kind is self.at:
            MemoryCatalog.run(self, statement._replace(changes=statement.changes[:1]))
        super().run(statement)


def registered():
    return table(column(), comment="Orders", convert_from=Parquet("/lake/orders"))


def stories():
    """Return catalogs, models and options; without models, the one of the orders."""
    new, tight = table(column(), name="dev.silver.new"), [column(name, is_nullable=False) for name in ("id", "b")]
    parted = table(column(), column("b"), partitioned_by=["id"])
    rewrites = Settings(consents=(parse_consent("rewrite dev.silver.orders"),))
    restores = Settings(on_failure="restore")
    source = SourceState(provider="delta", path="/lake/orders", files=1)
    kinds = StatementKind

    def before(kind, *tables, **how):
        return Interrupted([orders_before(), *tables], at=kind, **how)

    for kind in map(StatementKind, KINDS):
        yield f"in {kind.value}", before(kind), {}
        yield f"after {kind.value} has committed", before(kind, commits=True), {}
    for kind in (kinds.CREATE_SCHEMA, kinds.CREATE_TABLE):
        yield f"a new table, in {kind.value}", Interrupted(at=kind), {}
        yield f"a new table, after {kind.value} has committed", Interrupted(at=kind, commits=True), {}
    yield "a new table, in its key", Interrupted(at=kinds.ADD_PRIMARY_KEY), {}
    yield "a table that was not begun", before(kinds.CREATE_TABLE), {"models": [orders(), new]}
    yield "before the first statement", Asked([orders_before()]), {"models": [orders(), new]}
    yield "between two statements", Watched([orders_before()]), {"settings": restores}
    yield "while the table is read back", Proving([orders_before()]), {}
    yield "nothing is restored", before(kinds.COMMENT_TABLE), {"settings": restores}
    yield "while it is restored", before(kinds.RESTORE_TABLE, fail=[kinds.ADD_PRIMARY_KEY]), {"settings": restores}
    failed = before(kinds.ADD_COLUMNS, fail=[(kinds.CREATE_TABLE, "new")])
    yield "another table had failed before", failed, {"models": [orders(), new]}
    yield "cannot be read again", before(kinds.ADD_COLUMNS, blind=StatementError("no route")), {}
    yield "cannot be read again in time", before(kinds.ADD_COLUMNS, blind=threading.Event()), {}
    yield "could not be stopped", before(kinds.ADD_COLUMNS, stop=StillRunning), {}
    yield "could not be stopped and has committed", before(kinds.ADD_COLUMNS, stop=StillRunning, commits=True), {}
    of_columns = PerColumn([state(stored(), stored("b"))], at=kinds.TIGHTEN_COLUMNS)
    yield "one of several commits", of_columns, {"models": [table(*tight)]}
    for commits in (False, True):
        rewritten = Interrupted([state(stored(), stored("b"))], at=kinds.REWRITE_LAYOUT, commits=commits)
        yield f"a rewrite, committed: {commits}", rewritten, {"models": [parted], "settings": rewrites}
    for kind in (kinds.REGISTER_TABLE, kinds.COMMENT_TABLE):
        there = Interrupted([state(stored(), source=source, version=17)], at=kind)
        yield f"a registered table, in {kind.value}", there, {"models": [registered()]}


def told(name, catalog, models=(), settings=None):
    """Return what an interruption says and knows, what has run, and how much the next apply has to do."""
    with pytest.raises(ApplyInterrupted) as caught:
        Orchestrator.over(catalog, settings=settings).sync_tables(models or [orders()])
    lines = [f"==== {name}", str(caught.value)]
    for stopped in caught.value.tables:
        running = stopped.running and stopped.running.kind.value
        counts = f"{len(stopped.done)} done, {running} running, {len(stopped.left)} left, begun: {stopped.is_begun}"
        lines.append(
            f"-- {stopped.table.table}: {counts}, {stopped.outcome.name}, {stopped.version} -> {stopped.reached}"
        )
    lines.append(
        f"-- errors: {[type(error).__name__ for error in caught.value.errors]}, ran: {', '.join(catalog.ran) or 'nothing'}"
    )
    if type(catalog) is Interrupted and catalog.blind is None and not models:
        catalog.at, catalog.fail = None, ()
        rest = Orchestrator.over(catalog).sync_tables([orders()])
        lines.append(f"-- version {catalog.version(NAME)} after {len(rest.statements)} more statements")
    return "\n".join(lines)


def test_what_an_interruption_says(snapshot, monkeypatch):
    monkeypatch.setattr(interruption, "READING", 0.05)

    texts = [told(name, catalog, **how) for name, catalog, how in stories()]

    assert "\n\n".join(texts) + "\n" == snapshot(extension_class=TextSnapshot)


def test_an_interruption_is_no_exception():
    with pytest.raises(KeyboardInterrupt) as caught:
        Orchestrator.over(Interrupted([orders_before()], at=StatementKind.COMMENT_TABLE)).sync_tables([orders()])

    assert isinstance(caught.value, ApplyInterrupted)
    assert not isinstance(caught.value, Exception)


def test_a_long_statement_is_logged_while_it_runs(monkeypatch, caplog):
    shown = Event()

    class Slow(MemoryCatalog):
        def run(self, statement):
            shown.clear()
            assert shown.wait(60)
            super().run(statement)

    def noted(record):
        if record.delta_schema_phase == "running":
            shown.set()
        return True

    monkeypatch.setattr(progress, "INTERVAL", 0.02)
    caplog.set_level(logging.INFO, "pytest_delta_schema")
    caplog.handler.addFilter(noted)
    columns = [column("id", is_nullable=False), column("created_ts", "timestamp", is_nullable=False)]

    Orchestrator.over(Slow([orders_before()])).sync_tables([table(*columns, primary_key=["id"])])

    caplog.handler.removeFilter(noted)
    messages = [re.sub(r"\d+ s\b", "N s", message) for message in caplog.messages]
    for long in ("set not null, statement 1 of 2", "add primary key, statement 2 of 2"):
        assert f"dev.silver.orders: {long}: N s so far" in messages
    assert messages[-1] == "applying dev.silver.orders: done after N s"
