"""Predict a hundred appends, then append nothing, in turn; print the seconds of a prediction and of an append."""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path

from measure import seconds
from subjects import model

from pytest_delta_schema import LocalCatalog, Orchestrator, WriteOptions, check_write, empty_frame, open_session

CALLS = 100


def main(warehouse: Path) -> None:
    """Measure both in a new warehouse; the first rounds only warm up."""
    with open_session(warehouse) as session:
        table = model(0)
        Orchestrator.over(LocalCatalog(session.spark, warehouse=warehouse)).sync_tables([table])
        frame = empty_frame(session.spark, table)
        schema = frame.schema

        def predict() -> None:
            for _ in range(CALLS):
                assert check_write(table, schema, WriteOptions(method="write_to")).accepted

        def append() -> None:
            frame.writeTo(table.qualified_name).append()

        clock = partial(seconds, clock=time.perf_counter)
        pairs = [(clock(predict) / CALLS, clock(append)) for _ in range(12)]
    print(json.dumps(pairs[2:]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
