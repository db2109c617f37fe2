"""Run ten data checks over a million rows, in one query and in ten, in turn; print the seconds of both."""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from measure import seconds
from pyspark.sql.types import DoubleType, LongType, StringType

from pytest_delta_schema import Column, LocalCatalog, Orchestrator, Table, open_session
from pytest_delta_schema.state import CheckState

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKS = (
    "id >= 0", "id < 2000000", "price >= 0", "price < 1e9", "name LIKE 'name%'", "length(name) < 40", "id IS NOT NULL",
    "price <= id", "name <> ''", "id % 2 IN (0, 1)",
)  # fmt: skip


def main(warehouse: Path) -> None:
    """Measure both in a new warehouse; the first rounds only warm up."""
    with open_session(warehouse) as session:
        catalog = LocalCatalog(session.spark, warehouse=warehouse)
        columns = [Column("id", LongType()), Column("price", DoubleType()), Column("name", StringType())]
        table = Table("dev", "silver", "orders", columns)
        Orchestrator.over(catalog).sync_tables([table])
        rows = "SELECT id, id / 7 AS price, concat('name of ', id) AS name FROM range(1000000)"
        session.spark.sql(f"INSERT INTO dev.silver.orders {rows}")
        checks = [CheckState(f"check_{number}", text) for number, text in enumerate(CHECKS)]

        def count(checks: Sequence[CheckState]) -> None:
            assert set(catalog.data_checks(table.name).count_rows(checks).broken) == {0}

        def count_one_by_one() -> None:
            for check in checks:
                count([check])

        clock = partial(seconds, clock=time.perf_counter)
        pairs = [(clock(lambda: count(checks)), clock(count_one_by_one)) for _ in range(7)]
    print(json.dumps(pairs[2:]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
