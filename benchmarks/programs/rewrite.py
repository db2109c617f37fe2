"""Partition a table and undo it, in turn with copies of the same layout; print the seconds of both."""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import seconds
from pyspark.sql.types import ArrayType, DateType, DoubleType, LongType, StringType, TimestampType

from pytest_delta_schema import Column, LocalCatalog, Orchestrator, Settings, Table, open_session
from pytest_delta_schema.rules import Consent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VALUES = (
    "id, id / 7, concat('name of ', id), date_add(DATE'2024-01-01', CAST(id % 5 AS INT)), timestamp_seconds(id), "
    "array(id, NULL)"
)


def main(warehouse: Path, rows: int) -> None:
    """Measure both in a new warehouse; the first round only warms up."""
    columns = [
        Column("id", LongType()),
        Column("price", DoubleType()),
        Column("name", StringType()),
        Column("day", DateType()),
        Column("at", TimestampType()),
        Column("parts", ArrayType(LongType())),
    ]
    with open_session(warehouse) as session:
        spark = session.spark
        settings = Settings(consents=(Consent("rewrite", "dev.silver.orders"),))
        orchestrator = Orchestrator.over(LocalCatalog(spark, warehouse=warehouse), settings=settings)

        def sync(partitioned_by: list[str]) -> None:
            orchestrator.sync_tables([Table("dev", "silver", "orders", columns, partitioned_by=partitioned_by)])

        def copy(name: str, partitioned_by: list[str]) -> None:
            layout = f"PARTITIONED BY ({', '.join(partitioned_by)})" if partitioned_by else ""
            spark.sql(f"CREATE TABLE dev.silver.{name} USING DELTA {layout} AS SELECT * FROM dev.silver.orders")

        clock = partial(seconds, clock=time.perf_counter)
        sync([])
        spark.sql(f"INSERT INTO dev.silver.orders SELECT {VALUES} FROM range({rows})")
        pairs = []
        for number in range(6):
            layout = [] if number % 2 else ["day"]
            before = _records_read(spark)
            rewriting = clock(partial(sync, layout))
            scans = (_records_read(spark) - before) / rows
            assert scans <= 3.01, f"{scans} scans"
            pairs.append((rewriting, clock(partial(copy, f"copy_{number}", layout))))
    print(json.dumps(pairs[1:]))


def _records_read(spark: SparkSession) -> int:
    """Return the number of records that all stages of the session have read."""
    context: Any = spark.sparkContext
    none = context._gateway.new_array(context._jvm.double, 0)
    every_status = context._jvm.java.util.ArrayList()
    stages = context._jsc.sc().statusStore().stageList(None, False, False, none, every_status)  # noqa: FBT003 - of Java
    return sum(stages.apply(index).inputRecords() for index in range(stages.size()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
