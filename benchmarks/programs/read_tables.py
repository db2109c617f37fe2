"""Read all tables of a warehouse, first and again, with plain statements in between; print the seconds of one table."""

from __future__ import annotations

import json
import statistics
import sys
import time
from functools import partial
from pathlib import Path

from measure import seconds
from small_tables import small_table

from pytest_delta_schema import LocalCatalog, open_session


def main(warehouse: Path, count: int, statements: int) -> None:
    """Measure in a new session; each of three reads of known tables comes after plain statements over some of them."""
    with open_session(warehouse) as session:
        catalog = LocalCatalog(session.spark, warehouse=warehouse)
        tables = [small_table(number) for number in range(count)]

        def read() -> None:
            state = catalog.snapshot(tables)
            assert len(state.tables) == count
            assert all(table.exists for table in state.tables.values())

        def describe(number: int) -> None:
            path = warehouse / "dev" / "silver" / f"table_{number}"
            session.spark.sql(f"DESCRIBE DETAIL delta.`{path}`").collect()

        clock = partial(seconds, clock=time.perf_counter)
        first = clock(read) / count
        describe(0)
        described: list[float] = []
        again: list[float] = []
        for _ in range(3):
            described.extend(clock(partial(describe, number)) for number in range(statements))
            again.append(clock(read) / count)
    reference = statistics.median(described)
    print(json.dumps([(first, reference), (statistics.median(again), reference)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
