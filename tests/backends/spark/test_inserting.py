"""Writing rows: a write that takes long shows itself."""

from __future__ import annotations

import logging
import re
from threading import Event
from types import SimpleNamespace
from typing import Any

from pyspark.sql.types import LongType, StructField, StructType

from pytest_delta_schema import progress
from pytest_delta_schema.backends.spark import statements
from pytest_delta_schema.backends.spark.statements import insert_rows
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.state import ColumnState, TableState

ORDERS = TableState(name=QualifiedName("dev", "silver", "orders"), columns=(ColumnState("id", "bigint", True, ""),))


def test_a_long_write_shows_itself(caplog, monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    caplog.set_level(logging.INFO, progress.LOGGER)
    shown = Event()
    caplog.handler.addFilter(lambda _: shown.set() or True)
    frame: Any = SimpleNamespace(mode=lambda _: frame, saveAsTable=lambda _: shown.wait(60))
    frame.write = frame
    spark = SimpleNamespace(
        conf={"spark.sql.session.timeZone": "UTC"},
        table=lambda _: SimpleNamespace(schema=StructType([StructField("id", LongType())])),
    )
    monkeypatch.setattr(statements, "frame_of_rows", lambda *_: frame)

    insert_rows(spark, ORDERS, [{"id": 1}])

    lines = [re.sub(r"\d+ s", "N s", line) for line in caplog.messages]
    assert list(dict.fromkeys(lines)) == [
        "dev.silver.orders: writing rows: N s so far",
        "dev.silver.orders: writing rows: done after N s",
    ]
