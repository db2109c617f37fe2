"""Predictions of writes: how many a second for fifty columns, and one compared with an empty append on Delta."""

from __future__ import annotations

import statistics
import tempfile
from typing import TYPE_CHECKING

from local import python
from measure import Ratio, of_limit, seconds
from pyspark.sql.types import DoubleType, IntegerType, LongType, StringType, StructField, StructType
from subjects import COLUMNS, model

from pytest_delta_schema import Column, Table, WriteOptions, check_write, to_struct_type

if TYPE_CHECKING:
    from collections.abc import Iterator

VERDICTS = 1000
RATE = 5000

ASK = """
import json, statistics, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from subjects import model
from pytest_delta_schema import Orchestrator, LocalCatalog, WriteOptions, check_write, empty_frame, open_session
warehouse = Path(sys.argv[1])
session = open_session(warehouse)
table = model(0)
Orchestrator.over(LocalCatalog(session.spark, warehouse=warehouse)).sync_tables([table])
frame = empty_frame(session.spark, table)
schema = frame.schema
took = []
for _ in range(12):
    start = time.perf_counter()
    for _ in range(100):
        assert check_write(table, schema, WriteOptions(method="write_to")).accepted
    told = (time.perf_counter() - start) / 100
    start = time.perf_counter()
    frame.writeTo(table.qualified_name).append()
    took.append((told, time.perf_counter() - start))
print(json.dumps(took[2:]))
session.close()
"""


def run() -> Iterator[Ratio]:
    """Yield the cost of a verdict, the dearest kind of write first, and the ratio to Delta's own answer."""
    address = StructType([StructField("city", StringType()), StructField("code", LongType())])
    flat = [column for column in model(0).columns if not isinstance(column.data_type, StructType)]
    table = Table(
        "dev", "silver", "wide", [*flat, *(Column(f"place_{n}", address) for n in range(COLUMNS - len(flat)))]
    )
    same = to_struct_type(table)
    frames = [
        (StructType([*same.fields, StructField("extra", DoubleType())]), WriteOptions(merge_schema=True)),
        (
            StructType([StructField(same.fields[0].name, IntegerType()), *same.fields[1:]]),
            WriteOptions(method="insert_into"),
        ),
        (same, WriteOptions(method="write_to")),
    ]

    def judge() -> None:
        for _ in range(VERDICTS // len(frames)):
            for frame, how in frames:
                check_write(table, frame, how)

    judge()
    took = statistics.median(seconds(judge) for _ in range(7)) / VERDICTS
    yield of_limit(f"`check_write` on {COLUMNS} columns, {RATE:,} a second", took, 1 / RATE)
    with tempfile.TemporaryDirectory() as folder:
        pairs = python(ASK, folder, __file__.rpartition("/")[0])
    predicted, written = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    yield Ratio("the same", "an empty append on Delta", predicted, written, predicted / written, 0.005)
