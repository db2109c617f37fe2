"""An apply that creates many local tables, from process start to summary: the start of the JVM is in it."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from measure import ROUNDS, of_limit
from pytest_runs import PLUGINS, environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Ratio

TABLES, LIMIT = 200, 0.25
"""The number of tables, and the seconds that each may take."""

MODELS = """
from pyspark.sql.types import LongType, StringType
from pytest_delta_schema import Column, ForeignKey, Table

def table(number):
    columns = [Column("id", LongType(), is_nullable=False)]
    for n in range(19):
        columns.append(Column(f"column_{n}", LongType() if n % 2 else StringType(), comment=f"Number {n}"))
    keys = [] if number % 10 else [ForeignKey(["id"], "dev.silver.table_1")]
    return Table(
        "dev", "silver", f"table_{number}", columns, comment="A table", primary_key=["id"], foreign_keys=keys
    )

tables = [table(number) for number in range(COUNT)]
"""
APPLY = ("-m", "pytest", "models.py", "--delta-apply", "-m", "delta_apply", "-q", *PLUGINS)


def run() -> Iterator[Ratio]:
    """Yield the time for each table."""
    took = statistics.median(seconds() for _ in range(ROUNDS))
    yield of_limit(f"creating one of {TABLES} local tables with a primary key, in an apply", took / TABLES, LIMIT)


def seconds() -> float:
    """Run pytest on an empty warehouse, and return how long the process took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "models.py").write_text(f"COUNT = {TABLES}\n{MODELS}")
        (folder / "pytest.ini").write_text("[pytest]\ndelta_models = models\npythonpath = .\n")
        start = time.perf_counter()
        answer = subprocess.run(
            [sys.executable, *APPLY], cwd=folder, env=environment(), capture_output=True, text=True, check=True
        )
        took = time.perf_counter() - start
    assert f"apply: {TABLES} applied, " in answer.stdout, answer.stdout
    return took
