"""Start the JVM, with its archive of classes or without it, and run a query; print the seconds."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pyspark.sql  # noqa: F401 - imported before the clock starts

from pytest_delta_schema import open_session


def main(warehouse: Path, *, archive: bool) -> None:
    """Measure one start."""
    start = time.perf_counter()
    with open_session(warehouse, archive=archive) as session:
        session.spark.sql("SELECT 1").collect()
        print(json.dumps(time.perf_counter() - start))


if __name__ == "__main__":
    main(Path(sys.argv[1]), archive=sys.argv[2] == "archive")
