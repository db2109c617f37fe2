"""Create and fill a table, check its rows, partition and copy it; print SQL, and seconds and tasks by executor."""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import DateType, DoubleType, LongType, StringType

from programs.plain_session import plain_session
from pytest_delta_schema import Check, Column, Orchestrator, PrimaryKey, SessionCatalog, Settings, Table
from pytest_delta_schema.execute.preflight import preflight
from pytest_delta_schema.rules import Consent
from pytest_delta_schema.sql import statements

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from pytest_delta_schema.plan import TablePlan

ORDERS = "spark_catalog.silver.orders"
COPY = "spark_catalog.silver.copy"
CHECKS = (
    "id >= 0", "id < 1e9", "customer >= 0", "amount >= 0", "amount < 1e9", "length(country) = 2", "country <> ''",
    "country IN ('AT', 'CH', 'DE', 'FR', 'IT')", "day >= '2024-01-01'", "amount <= id",
)  # fmt: skip
VALUES = (
    "id, id % 100000, id / 7, substring('ATCHDEFRIT', CAST(1 + 2 * (id % 5) AS INT), 2), "
    "date_add(DATE'2024-01-01', CAST(id % 5 AS INT))"
)


def main(arguments: list[str]) -> None:
    """Measure several rounds in one session: each checks, rewrites, and copies."""
    master, cores, warehouse, jars, rows, rounds = arguments
    workers = {
        "spark.cores.max": cores,
        "spark.executor.cores": "1",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
    }
    spark = plain_session(master, jars, warehouse, workers)
    catalog = SessionCatalog(spark)
    settings = Settings(consents=(Consent("rewrite", ORDERS),))
    orchestrator = Orchestrator.over(catalog, settings=settings)
    created = orchestrator.sync_tables([_orders()])
    spark.sql(f"INSERT INTO {ORDERS} SELECT {VALUES} FROM range(0, {rows}, 1, 8)")
    stricter = orchestrator.plan_tables([_strict_orders()])
    partitioned = orchestrator.plan_tables([_orders(partitioned_by=["day"])])

    def check() -> None:
        violations = preflight(stricter.align_tables[0], catalog)
        assert violations == (), violations

    def copy() -> None:
        spark.sql(f"CREATE TABLE {COPY} USING DELTA PARTITIONED BY (day) AS SELECT * FROM {ORDERS}")

    measured = []
    for _ in range(int(rounds)):
        steps = {
            "checks": _measure(spark, check),
            "rewrite": _measure(spark, partial(orchestrator.sync_tables, [_orders(partitioned_by=["day"])])),
            "copy": _measure(spark, copy),
        }
        measured.append(steps)
        spark.sql(f"DROP TABLE {COPY}")
        orchestrator.sync_tables([_orders()])
    plans = [_sql(plan) for plan in (created.plan, stricter, partitioned)]
    print(json.dumps({"plans": plans, "rounds": measured}))
    spark.stop()


def _columns(*, is_nullable: bool) -> list[Column]:
    others = [("customer", LongType()), ("amount", DoubleType()), ("country", StringType()), ("day", DateType())]
    return [Column("id", LongType(), is_nullable), *(Column(name, data_type) for name, data_type in others)]


def _orders(**contract: Any) -> Table:
    return Table("spark_catalog", "silver", "orders", _columns(is_nullable=True), **contract)


def _strict_orders() -> Table:
    checks = [Check(f"check_{number}", text) for number, text in enumerate(CHECKS)]
    key = PrimaryKey(["id"], rely=True)
    return Table("spark_catalog", "silver", "orders", _columns(is_nullable=False), checks=checks, primary_key=key)


def _sql(plan: TablePlan) -> list[str]:
    return [statement.sql for action in plan.actions for statement in statements(action)]


def _measure(spark: SparkSession, work: Callable[[], object]) -> dict[str, Any]:
    """Return the seconds of a step, and the number of its tasks by executor."""
    before, start = _tasks(spark), time.perf_counter()
    work()
    took = time.perf_counter() - start
    return {"seconds": took, "tasks": {name: count - before.get(name, 0) for name, count in _tasks(spark).items()}}


def _tasks(spark: SparkSession) -> dict[str, int]:
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    executors = context.statusStore().executorList(False)  # noqa: FBT003 - of Java
    listed = [executors.apply(index) for index in range(executors.size())]
    return {executor.id(): executor.completedTasks() for executor in listed if executor.id() != "driver"}


if __name__ == "__main__":
    main(sys.argv[1:])
