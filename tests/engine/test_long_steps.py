"""What a check or an apply logs while one read, one data check or one statement takes long, and nothing otherwise."""

from __future__ import annotations

import logging
import re
from threading import Event
from types import SimpleNamespace

import pytest

from pytest_delta_schema import MemoryCatalog, Orchestrator, UnsafePlanError, progress
from pytest_delta_schema.engine import Gate, Settings
from support.tables import NAME, column, orders_before, table


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


BAD = [{"id": 1}]


@pytest.mark.parametrize(
    ("function", "catalog", "step", "outer"),
    [
        (apply, Slow("snapshot"), "applying dev.silver.orders", None),
        (apply, Slow("count_rows"), "dev.silver.orders: running its data checks", "applying dev.silver.orders"),
        (
            refused,
            Slow("sample_rows", BAD),
            "dev.silver.orders: finding rows that fail its data checks",
            "applying dev.silver.orders",
        ),
        (
            apply,
            Slow("run set not null"),
            "dev.silver.orders: set not null, statement 1 of 2",
            "applying dev.silver.orders",
        ),
        (
            apply,
            Slow("run add primary key"),
            "dev.silver.orders: add primary key, statement 2 of 2",
            "applying dev.silver.orders",
        ),
        (drift, Slow("snapshot"), "reading the catalog", None),
        (drift, Slow("count_rows"), "dev.silver.orders: running its data checks", None),
    ],
    ids=lambda value: getattr(value, "_slow", None) or getattr(value, "__name__", ""),
)
def test_a_long_operation_is_logged_while_it_runs(logged, function, catalog, step, outer):
    messages = logged(catalog, lambda: function(catalog))

    assert messages[0] == f"{step}: N s so far"
    end = "stopped" if function is refused else "done"
    last = f"{outer or step}: {end} after N s"
    assert messages[-1] == last


def test_short_operations_are_not_logged(logged, monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 60.0)
    catalog = Slow("")

    assert logged(catalog, lambda: (drift(catalog), apply(catalog))) == []
