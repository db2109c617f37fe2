"""Data checks and a layout rewrite on a Spark standalone cluster: both workers run tasks, and the plan is the same."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from local import python
from measure import of_limit, of_pairs
from standalone import standalone_cluster

from pytest_delta_schema.backends.local.session.jars import delta_jars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Ratio
    from standalone import Cluster

ROWS = 20_000_000
WORKERS = 2
FEW = 1_000
"""The rows of the table on one machine, whose plan is compared."""

CHECKS_LIMIT = 90.0
"""Seconds for the data checks of :data:`ROWS`."""

SHARE_LIMIT = 0.75
"""The part of the tasks that the busier one of two workers may run."""

APPLY = """
import json, sys, time
from pyspark.sql import SparkSession
from pyspark.sql.types import DateType, DoubleType, LongType, StringType
from pytest_delta_schema import Check, Column, Consent, Orchestrator, PrimaryKey, SessionCatalog, Settings, Table
from pytest_delta_schema.execute.preflight import preflight
from pytest_delta_schema.sql.compiler import statements
master, cores, warehouse, jars, rows = *sys.argv[1:5], int(sys.argv[5])
settings = {
    "spark.jars": jars,
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.warehouse.dir": warehouse,
    "spark.sql.shuffle.partitions": "8",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.liveUpdate.period": "0",
    "spark.cores.max": cores,
    "spark.executor.cores": "1",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
}
builder = SparkSession.builder.master(master)
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
catalog = SessionCatalog(spark)
agreed = Settings(consents=(Consent("rewrite", "spark_catalog.silver.orders"),))
orchestrator = Orchestrator.over(catalog, settings=agreed)
columns = [Column("customer", LongType()), Column("amount", DoubleType()), Column("country", StringType()),
    Column("day", DateType())]
ten = ["id >= 0", "id < 1e9", "customer >= 0", "amount >= 0", "amount < 1e9", "length(country) = 2",
    "country <> ''", "country IN ('AT', 'CH', 'DE', 'FR', 'IT')", "day >= '2024-01-01'", "amount <= id"]
checks = [Check(f"check_{number}", text) for number, text in enumerate(ten)]
def orders(is_nullable=True, **contract):
    id_column = Column("id", LongType(), is_nullable)
    return Table("spark_catalog", "silver", "orders", [id_column, *columns], **contract)
def sql(plan):
    return [statement.sql for action in plan.actions for statement in statements(action)]
def tasks():
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    executors = context.statusStore().executorList(False)
    listed = [executors.apply(index) for index in range(executors.size())]
    return {executor.id(): executor.completedTasks() for executor in listed if executor.id() != "driver"}
def clock(work):
    before, start = tasks(), time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    return seconds, {executor: count - before.get(executor, 0) for executor, count in tasks().items()}
created = orchestrator.sync_tables([orders()])
values = "id, id % 100000, id / 7, substring('ATCHDEFRIT', CAST(1 + 2 * (id % 5) AS INT), 2)"
values += ", date_add(DATE'2024-01-01', CAST(id % 5 AS INT))"
spark.sql(f"INSERT INTO spark_catalog.silver.orders SELECT {values} FROM range(0, {rows}, 1, 8)")
stricter = orchestrator.plan_tables([orders(False, checks=checks, primary_key=PrimaryKey(["id"], rely=True))])
def check():
    violations = preflight(stricter.align_tables[0], catalog)
    assert violations == (), violations
checking = clock(check)
partitioned = orchestrator.plan_tables([orders(partitioned_by=["day"])])
rewriting = clock(lambda: orchestrator.sync_tables([orders(partitioned_by=["day"])]))
copy = "CREATE TABLE spark_catalog.silver.copy USING DELTA PARTITIONED BY (day) AS SELECT * FROM"
copying = clock(lambda: spark.sql(f"{copy} spark_catalog.silver.orders"))
plans = [sql(plan) for plan in (created.plan, stricter, partitioned)]
print(json.dumps([plans, checking, rewriting, copying]))
spark.stop()
"""
"""Creates and fills a table, checks its rows and partitions it; prints SQL, and seconds and tasks by executor."""


def run(rows: int = ROWS) -> Iterator[Ratio]:
    """Yield the cost of data checks and of a layout rewrite, and how their tasks are shared.

    Another plan than on one machine is an error, and so is a step of which one worker has run no task.

    Args:
        rows: The rows of the table.
    """
    jars = ",".join(map(str, delta_jars()))
    with tempfile.TemporaryDirectory() as folder:
        on_one_machine = python(APPLY, "local[1]", 1, folder, jars, FEW)[0]
    with standalone_cluster(WORKERS) as cluster, tempfile.TemporaryDirectory() as folder:
        environment = cluster.environment()
        plans, checking, rewriting, copying = python(
            APPLY, cluster.master, WORKERS, folder, jars, rows, environment=environment
        )
        assert plans == on_one_machine, f"{plans} is not the plan on one machine, {on_one_machine}"
        shares = [_share(cluster, tasks) for _, tasks in (checking, rewriting)]
    million = f"{rows / 1e6:g} million rows, {WORKERS} workers"
    yield of_limit(f"data checks of ten constraints, NOT NULL and a key, {million}", checking[0], CHECKS_LIMIT)
    yield of_pairs(
        f"a layout rewrite, {million}", "a copy without comparison on both", [(rewriting[0], copying[0])], 3.5
    )
    yield of_limit("part of their tasks that the busier worker has run", max(shares), SHARE_LIMIT, "%")


def _share(cluster: Cluster, tasks: dict[str, int]) -> float:
    """Return the part of tasks that the busiest worker has run."""
    by_worker = dict.fromkeys(range(len(cluster.work)), 0)
    for executor, count in tasks.items():
        worker = cluster.worker_of(executor)
        assert worker is not None, f"executor {executor} is on no worker"
        by_worker[worker] += count
    assert all(by_worker.values()), f"a worker has run no task: {by_worker}"
    return max(by_worker.values()) / sum(by_worker.values())
