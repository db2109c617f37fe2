"""Scratch schemas: what takes long shows itself."""

from __future__ import annotations

import logging
import re
from threading import Event

from pytest_delta_schema import MemoryCatalog, progress
from pytest_delta_schema.plugin.run.scratch import Scratch


def test_a_scratch_schema_that_takes_long_shows_itself(caplog, monkeypatch):
    caplog.set_level(logging.INFO, progress.LOGGER)
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    shown = Event()
    caplog.handler.addFilter(lambda _: shown.set() or True)

    class Slow(MemoryCatalog):
        def create_schema(self, catalog, schema):
            super().create_schema(catalog, schema)
            shown.wait(60)

        def drop_schema(self, catalog, schema):
            shown.clear()
            super().drop_schema(catalog, schema)
            shown.wait(60)

    scratch = Scratch(Slow(), "main")
    name = scratch.schema().partition(".")[2]
    scratch.clean_up()

    lines = [re.sub(r"\d+ s", "N s", line) for line in caplog.messages]
    assert list(dict.fromkeys(lines)) == [
        f"creating the scratch schema {name}: N s so far",
        f"creating the scratch schema {name}: done after N s",
        f"dropping the scratch schema {name}: N s so far",
        f"dropping the scratch schema {name}: done after N s",
    ]
