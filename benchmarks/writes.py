"""Predictions of writes to fifty columns, against parsing their schema, and against an empty append on Delta."""

from __future__ import annotations

import json
import tempfile
from typing import TYPE_CHECKING

from measure import Row, in_turn
from processes import program
from pyspark.sql.types import DoubleType, IntegerType, LongType, StringType, StructField, StructType
from subjects import COLUMNS, model, schema_string

from pytest_delta_schema import Column, Merge, Table, WriteOptions, check_write, to_struct_type

if TYPE_CHECKING:
    from collections.abc import Iterator

CALLS = 999
"""Of each round, a third for each kind of write."""


def run() -> Iterator[Row]:
    """Yield the cost of a prediction, the most expensive kinds of write first, and the ratio to Delta's own."""
    address = StructType([StructField("city", StringType()), StructField("code", LongType())])
    flat = [column for column in model(0).columns if not isinstance(column.data_type, StructType)]
    nested = [Column(f"address_{number}", address) for number in range(COLUMNS - len(flat))]
    table = Table("dev", "silver", "wide", [*flat, *nested])
    same = to_struct_type(table)
    narrower = StructType([StructField(same.fields[0].name, IntegerType()), *same.fields[1:]])
    writes = [
        (StructType([*same.fields, StructField("extra", DoubleType())]), WriteOptions(merge_schema=True)),
        (narrower, WriteOptions(method="insert_into")),
        (same, WriteOptions(method="write_to")),
    ]
    text = schema_string(table)

    def predict() -> None:
        for _ in range(CALLS // len(writes)):
            for frame, options in writes:
                check_write(table, frame, options)

    def parse() -> None:
        for _ in range(CALLS):
            StructType.fromJson(json.loads(text))

    source = StructType([*same.fields, StructField("extra", DoubleType())])
    merge = Merge(matched="all", not_matched="all", evolves=True)

    def predict_merges() -> None:
        for _ in range(CALLS):
            check_write(table, source, merge)

    predict()
    predict_merges()
    pairs = [(work / CALLS, reference / CALLS) for work, reference in in_turn(predict, parse)]
    name = f"`check_write` on {COLUMNS} columns"
    yield Row(name=name, reference_name="`StructType.fromJson` of their schema", pairs=pairs, limit=1.35)
    pairs = [(work / CALLS, reference / CALLS) for work, reference in in_turn(predict_merges, parse)]
    name = f"`check_write` of a `Merge` of {COLUMNS} columns that evolves"
    yield Row(name=name, reference_name="`StructType.fromJson` of their schema", pairs=pairs, limit=1.35)
    with tempfile.TemporaryDirectory() as folder:
        pairs = program("append", folder)
    yield Row(name="the same", reference_name="an empty append on Delta", pairs=pairs, limit=0.005)
