"""A layout rewrite: three scans at most, and what they take against a copy that compares nothing."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from local import python
from measure import of_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Ratio

ROWS = 300_000

REWRITE = """
import json, sys, time
from pathlib import Path
from pyspark.sql.types import *
from pytest_delta_schema import Column, Consent, LocalCatalog, Orchestrator, Settings, Table
from pytest_delta_schema import open_session
warehouse, rows = Path(sys.argv[1]), int(sys.argv[2])
session = open_session(warehouse)
spark, catalog = session.spark, LocalCatalog(session.spark, warehouse=warehouse)
columns = [Column("id", LongType()), Column("price", DoubleType()), Column("name", StringType()),
    Column("day", DateType()), Column("at", TimestampType()), Column("parts", ArrayType(LongType()))]
agreed = Settings(consents=(Consent("rewrite", "dev.silver.orders"),))
def records():
    store, jvm = spark._jsc.sc().statusStore(), spark._jvm
    none = spark.sparkContext._gateway.new_array(jvm.double, 0)
    stages = store.stageList(None, False, False, none, jvm.java.util.ArrayList())
    return sum(stages.apply(index).inputRecords() for index in range(stages.size()))
def clock(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
def sync(by):
    table = Table("dev", "silver", "orders", columns, partitioned_by=by)
    Orchestrator.over(catalog, settings=agreed).sync_tables([table])
sync([])
values = "id, id / 7, concat('name of ', id), date_add(DATE'2024-01-01', CAST(id % 5 AS INT))"
values += ", timestamp_seconds(id), array(id, NULL)"
spark.sql(f"INSERT INTO dev.silver.orders SELECT {values} FROM range({rows})")
copy = "CREATE TABLE dev.silver.copy_{} USING DELTA {} AS SELECT * FROM dev.silver.orders"
def rewrite(by):
    before = records()
    taken = clock(lambda: sync(by))
    scans = (records() - before) / rows
    assert scans <= 3.01, f"{scans} scans"
    return taken
pairs = []
for number, by in enumerate((["day"], [], ["day"], [], ["day"], [])):
    clause = "PARTITIONED BY (day)" if by else ""
    pairs.append((rewrite(by), clock(lambda: spark.sql(copy.format(number, clause)))))
print(json.dumps(pairs[1:]))
session.close()
"""


def run() -> Iterator[Ratio]:
    """Yield the cost of a rewrite that compares fingerprints before it commits; more than three scans are an error."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = python(REWRITE, folder, ROWS)
    yield of_pairs(
        "rewriting 300,000 rows in three scans, compared before the commit", "a copy without comparison", pairs, 3.5
    )
