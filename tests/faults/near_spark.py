"""Readers without a JVM next to a job of Spark that appends to the table."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from faults.bench import require
from faults.cases import Area, Case
from faults.near_writers import ROUNDS, read_often
from support.log_readers import READERS
from support.models import NAME

if TYPE_CHECKING:
    from faults.bench import Bench
    from pytest_delta_schema import LocalCatalog

_READS = 20
_APPENDS = 5
_TABLE = ".".join(NAME[:3])
_LEFT_TO_SPARK = 0.05
"""The largest share of reads that may need Spark, for one whose checksum is not written yet."""


def _cases(_: int) -> list[Case]:
    return [
        Case(area="spark-writers", name=f"{reader}/{number}", values={"reader": reader})
        for reader in ROUNDS
        for number in range(2)
    ]


class _Job(threading.Thread):
    """Appends rows, and notes what fails."""

    def __init__(self, catalog: LocalCatalog) -> None:
        super().__init__()
        self._catalog = catalog
        self.errors: list[Exception] = []

    def run(self) -> None:
        try:
            for number in range(_APPENDS):
                self._catalog.insert(NAME, [{"id": number}])
        except Exception as error:  # noqa: BLE001 - the case reports it
            self.errors.append(error)


def _run(case: Case, bench: Bench) -> None:
    catalog, reader = bench.local, READERS[case.values["reader"]]
    catalog.create_schema(NAME.catalog, NAME.schema)
    catalog.spark.sql(f"DROP TABLE IF EXISTS {_TABLE}")
    catalog.spark.sql(
        f"CREATE TABLE {_TABLE} (id BIGINT) USING delta COMMENT '1.0' TBLPROPERTIES (delta.checkpointInterval = 3)",
    )
    catalog.insert(NAME, [{"id": -1}])
    job, reads, left_to_spark = _Job(catalog), 0, 0
    job.start()
    try:
        while job.is_alive():
            left_to_spark += read_often(lambda: reader(bench.warehouse), _READS, is_dropped=False)
            reads += _READS
    finally:
        job.join()
        bench.clean(bench.warehouse / "clone")
        catalog.spark.sql(f"DROP TABLE IF EXISTS {_TABLE}")
    require(not job.errors, f"the job failed: {job.errors}")
    require(left_to_spark <= reads * _LEFT_TO_SPARK, f"{left_to_spark} of {reads} reads needed Spark")


AREA = Area(
    name="spark-writers",
    title="reads of logs next to a job of Spark",
    cases=_cases,
    run=_run,
    needs_jvm=True,
    sample=0,
    lanes=1,
)
