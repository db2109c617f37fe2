"""Queries about rows: a count that takes long shows itself."""

from __future__ import annotations

import logging
import re
from threading import Event
from typing import Any

import pytest

from pytest_delta_schema import progress
from pytest_delta_schema.backends.rows import DataQueries
from support.tables import NAME, state, stored


@pytest.fixture
def shown(caplog, monkeypatch):
    caplog.set_level(logging.INFO, progress.LOGGER)
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    event = Event()
    caplog.handler.addFilter(lambda _: event.set() or True)
    return event


def test_a_long_count_shows_itself(shown, caplog):
    def ask(_: str) -> Any:
        shown.wait(60)
        return [(3,)]

    counts = DataQueries(NAME, ask, lambda _: {NAME: state(stored())}).count_rows()

    assert counts.rows == 3
    lines = [re.sub(r"\d+ s", "N s", line) for line in caplog.messages]
    assert list(dict.fromkeys(lines)) == [
        "dev.silver.orders: counting rows: N s so far",
        "dev.silver.orders: counting rows: done after N s",
    ]
