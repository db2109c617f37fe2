"""The preflight: one scan for all new constraints of a table, against one for each."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from local import python
from measure import of_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Ratio

ASK = """
import json, sys, time
from pathlib import Path
from pyspark.sql.types import DoubleType, LongType, StringType
from pytest_delta_schema import Column, Orchestrator, LocalCatalog, Table, open_session
from pytest_delta_schema.state import CheckState
warehouse = Path(sys.argv[1])
session = open_session(warehouse)
catalog = LocalCatalog(session.spark, warehouse=warehouse)
columns = [Column("id", LongType()), Column("price", DoubleType()), Column("name", StringType())]
table = Table("dev", "silver", "orders", columns)
Orchestrator.over(catalog).sync_tables([table])
rows = "SELECT id, id / 7 AS price, concat('name of ', id) AS name FROM range(1000000)"
session.spark.sql(f"INSERT INTO dev.silver.orders {rows}")
texts = ["id >= 0", "id < 2000000", "price >= 0", "price < 1e9", "name LIKE 'name%'", "length(name) < 40",
    "id IS NOT NULL", "price <= id", "name <> ''", "id % 2 IN (0, 1)"]
checks = [CheckState(f"check_{number}", text) for number, text in enumerate(texts)]
def clock(questions):
    start = time.perf_counter()
    for demands in questions:
        assert set(catalog.data_checks(table.name).count_rows(demands).broken) == {0}
    return time.perf_counter() - start
pairs = [(clock([checks]), clock([[check] for check in checks])) for _ in range(7)][2:]
print(json.dumps(pairs))
session.close()
"""


def run() -> Iterator[Ratio]:
    """Yield the cost of ten checks over a million rows, in one query and in one each."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = python(ASK, folder)
    yield of_pairs("ten data checks over a million rows, in one query", "one by one", pairs, 0.25)
