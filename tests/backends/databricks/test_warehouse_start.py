"""A SQL warehouse that does not run is started and waited for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_delta_schema.backends.databricks import connection
from pytest_delta_schema.backends.databricks.connection import start_warehouse
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

LOST = RuntimeError("no answer")


class Clock:
    """A clock that only waiting moves."""

    def __init__(self):
        self.waits = []

    def monotonic(self):
        return sum(self.waits)

    def sleep(self, seconds):
        self.waits.append(seconds)


class Warehouses:
    """A workspace that answers with one state after the other, and then with the last one.

    Args:
        states: The states; an error is raised.
        summary: What the workspace says about the health of the warehouse.
        refusal: What a start raises.
    """

    def __init__(self, *states, summary=None, refusal=None):
        self.states, self.summary, self.refusal = list(states), summary, refusal
        self.calls = []

    def get(self, id):  # noqa: A002 - the name of the SDK
        self.calls.append(f"get {id}")
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if isinstance(state, Exception):
            raise state
        health = None if self.summary is None else SimpleNamespace(summary=self.summary)
        return SimpleNamespace(state=state and SimpleNamespace(value=state), health=health)

    def start(self, id):  # noqa: A002 - as above
        self.calls.append(f"start {id}")
        if self.refusal is not None:
            raise self.refusal

    @property
    def starts(self):
        return self.calls.count("start abc")


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(connection, "time", clock)
    return clock


WAITS: list[tuple[list[Any], int, list[int]]] = [
    (["RUNNING"], 0, []),
    (["STOPPED", *["STARTING"] * 5, "RUNNING"], 1, [1, 2, 4, 8, 10, 10]),
    (["STOPPING", "STOPPED", "STARTING", "RUNNING"], 1, [1, 2, 4]),
    (["STOPPED", LOST, "STARTING", LOST, None, "RUNNING"], 1, [1, 2, 4, 8, 10]),
]


def test_a_warehouse_is_waited_for(clock):
    for states, starts, waits in WAITS:
        clock.waits.clear()
        warehouses = Warehouses(*states)

        start_warehouse(warehouses, "abc", 600)

        assert (warehouses.starts, clock.waits) == (starts, waits), states


LATE = "does not run after 60 s, it is starting"
REMEDY = "raise databricks_start_timeout, or start it before the run"


def test_a_warehouse_that_does_not_start_is_an_error(clock):
    for warehouses, message in (
        (Warehouses("STOPPED", "STARTING"), f"{LATE}; {REMEDY}"),
        (
            Warehouses("STOPPED", "STARTING", summary="no capacity\nfor hunter2"),
            f"{LATE} (no capacity\\nfor ***); {REMEDY}",
        ),
        (
            Warehouses("STOPPED", "STARTING", "STOPPED", summary="quota exceeded"),
            "stopped while it started (quota exceeded); see its events in the workspace",
        ),
        (Warehouses("STARTING", "DELETING"), "is deleted; set databricks_warehouse to a different one"),
    ):
        clock.waits.clear()
        with pytest.raises(BackendUnavailableError) as caught:
            start_warehouse(warehouses, "abc", 60, lambda text: text.replace("hunter2", "***"))

        assert str(caught.value) == f"the SQL warehouse abc {message}"
        assert sum(clock.waits) <= 60
