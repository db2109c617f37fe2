"""Rows made from a model: the reference is ``json.dumps`` of the same rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from measure import Row, in_turn
from subjects import COLUMNS

from pytest_delta_schema import Check, Column, Table, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 1000
TYPES = (
    "bigint", "string", "decimal(18,2)", "date", "timestamp",
    "int", "double", "boolean", "varchar(40)", "struct<city: string, code: bigint>",
)  # fmt: skip


def run() -> Iterator[Row]:
    """Yield the cost of rows of a table with a key and checks."""
    names = [f"column_{number}" for number in range(COLUMNS)]
    columns = [Column(name, TYPES[number % len(TYPES)], number > 0) for number, name in enumerate(names)]
    checks = [
        Check("positive", "column_0 > 0 AND column_2 >= 0"),
        Check("prefix", "column_11 LIKE 'x%' OR column_11 IS NULL"),
        Check("order", "column_3 <= column_13"),
    ]
    table = Table("dev", "silver", "wide", columns, primary_key=names[:1], checks=checks)
    rows = rows_of(table, ROWS)
    yield Row(
        name=f"`rows_of`, {ROWS:,} rows of {COLUMNS} columns with three checks",
        reference_name="`json.dumps` of the rows",
        pairs=in_turn(lambda: rows_of(table, ROWS), lambda: json.dumps(rows, default=str)),
        limit=10.0,
    )
