"""The rows of frames as Python values."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from decimal import Decimal

import pytest
from pyspark.sql import Row
from pyspark.sql import types as spark

from pytest_delta_schema import Column
from pytest_delta_schema.backends.row_values import rows_of_frame
from pytest_delta_schema.delta.names import NameMap
from support.tables import stored


def test_frames_of_pandas_have_python_values_and_null_for_what_is_missing():
    pd = pytest.importorskip("pandas")  # loading it takes seconds

    columns = NameMap.of([stored("id"), stored("x", "double"), stored("t", "string"), stored("n", "int")])
    frame = pd.DataFrame({"id": [1, 2], "x": [1.0, None], "t": ["a", None], "N": [7, None], "other": [1.0, pd.NaT]})

    rows: list[dict[str, object]] = [*rows_of_frame(frame, columns)]  # type: ignore[list-item]

    assert rows == [
        {"id": 1, "x": 1.0, "t": "a", "N": 7, "other": 1.0},
        {"id": 2, "x": None, "t": None, "N": None, "other": None},
    ]
    assert [type(value) for value in rows[0].values()] == [int, float, str, int, float]


class DataFrame:
    """A frame of Spark as far as rows are read from it."""

    __module__ = "pyspark.sql.dataframe"

    def __init__(self, schema, rows):
        self.schema = schema
        self.collect = lambda: rows


def test_frames_of_spark_have_instants_with_the_time_zone_of_the_process(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    texts = {
        "at": "timestamp",
        "local": "timestamp_ntz",
        "s": "struct<at: timestamp>",
        "a": "array<timestamp>",
        "m": "map<timestamp, decimal(3,1)>",
        "k": "map<struct<x: int>, int>",
    }
    schema = spark.StructType([spark.StructField(name, Column(name, text).data_type) for name, text in texts.items()])
    noon = datetime(2026, 7, 1, 12)  # noqa: DTZ001 - as pyspark returns it
    key = Row(x=1)
    values = Row(at=noon, local=noon, s=Row(at=noon), a=[noon, None], m={noon: Decimal("1.5")}, k={key: 1})

    (row,) = rows_of_frame(DataFrame(schema, [values]), NameMap())
    monkeypatch.undo()
    time.tzset()

    instant = datetime(2026, 7, 1, 10, tzinfo=timezone.utc)
    assert row == {
        "at": instant,
        "local": noon,
        "s": {"at": instant},
        "a": [instant, None],
        "m": {instant: Decimal("1.5")},
        "k": {key: 1},
    }
