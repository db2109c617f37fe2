"""The local backend: starts of the JVM with and without its archive, a kept JVM, reading tables, scratch tables."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import ROUNDS, of_limit, of_pairs
from pytest_runs import PLUGINS, environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from measure import Ratio

TABLES = 200
COLD_MS, WARM_MS = 12.0, 4.0

START = """
import json, sys, time
from pathlib import Path
from pytest_delta_schema import open_session
import pyspark.sql
warehouse = Path(sys.argv[1])
start = time.perf_counter()
session = open_session(warehouse, archive=sys.argv[2] == "archive")
session.spark.sql("SELECT 1").collect()
print(json.dumps(time.perf_counter() - start))
session.close()
"""
TABLE = """
from pyspark.sql.types import LongType, StringType
from pytest_delta_schema import Column, Table
def table(number):
    columns = [Column(f"column_{n}", LongType() if n % 2 else StringType(), comment=f"Number {n}") for n in range(20)]
    return Table("dev", "silver", f"table_{number}", columns, comment="A table", table_properties={"team": "x"})
"""
MAKE = (
    TABLE
    + """
import sys
from pathlib import Path
from pytest_delta_schema import Orchestrator, LocalCatalog, open_session
warehouse = Path(sys.argv[1])
session = open_session(warehouse)
Orchestrator.over(LocalCatalog(session.spark, warehouse=warehouse)).sync_tables([table(0)])
session.close()
"""
)
READ = (
    TABLE
    + """
import json, sys, time
from pathlib import Path
from pytest_delta_schema import LocalCatalog, open_session
warehouse, count = Path(sys.argv[1]), int(sys.argv[2])
session = open_session(warehouse)
catalog, tables, took = LocalCatalog(session.spark, warehouse=warehouse), [table(number) for number in range(count)], []
for _ in range(4):
    start = time.perf_counter()
    state = catalog.snapshot(tables)
    took.append(time.perf_counter() - start)
    assert len(state.tables) == count and all(table.exists for table in state.tables.values())
print(json.dumps(took))
session.close()
"""
)
SCRATCH = (
    TABLE
    + """
import json, sys, time
from dataclasses import replace
from pathlib import Path
from pytest_delta_schema import LocalCatalog, open_session
from pytest_delta_schema.plugin.run.scratch import Scratch
warehouse = Path(sys.argv[1])
session = open_session(warehouse)
catalog, pairs = LocalCatalog(session.spark, warehouse=warehouse), []

def seconds(model, count):
    scratch = Scratch(catalog, "main")
    start = time.perf_counter()
    for number in range(count):
        scratch.table(model, None, f"table_{number}")
    took = time.perf_counter() - start
    scratch.clean_up()
    return took

for number in range(6):
    first, *others = table(number).columns
    columns = [replace(first, is_nullable=False), *others]
    few, many = (
        replace(table(number), comment=f"{title} {number}", columns=columns, primary_key=["column_0"])
        for title in ("Few", "Many")  # no table of an earlier round equals them
    )
    pairs.append((seconds(many, 20), seconds(few, 2)))
print(json.dumps(pairs[1:]))
session.close()
"""
)

SECOND_RUN = 2.5
"""The seconds that a later run of a test with one table may take in a kept JVM."""

ONE_TABLE = (
    TABLE
    + """
def test_one_table(make_delta_table, delta_spark):
    made = make_delta_table(table(0), rows=2)
    assert delta_spark.table(made.qualified_name).count() == 2
"""
)


def run() -> Iterator[Ratio]:
    """Yield the ratio of starts, the time of a kept JVM, the cost of reading, cold and warm, and of many tables."""
    with tempfile.TemporaryDirectory() as folder:
        python(START, folder, "archive")
        pairs = [(python(START, folder, "archive"), python(START, folder, "none")) for _ in range(5)]
        yield of_pairs("start of the JVM and first query, with the archive of classes", "without it", pairs, 0.7)
        yield of_limit("a later run of a Spark test with one table, JVM kept", kept_run(Path(folder)), SECOND_RUN)
        python(MAKE, folder)
        schema = Path(folder, "dev", "silver")
        for number in range(1, TABLES):
            shutil.copytree(schema / "table_0", schema / f"table_{number}")
        runs = [python(READ, folder, TABLES) for _ in range(5)]
        cold = statistics.median(run[0] for run in runs) / TABLES
        warm = statistics.median(min(run[1:]) for run in runs) / TABLES
        yield of_limit(f"reading one of {TABLES} local tables, first time", cold, COLD_MS / 1000)
        yield of_limit("reading one of them again", warm, WARM_MS / 1000)
        yield of_pairs("20 scratch tables of one model", "2 of another", python(SCRATCH, folder), 3.0)


def kept_run(folder: Path) -> float:
    """Run a test several times in a JVM that is kept, and return the median time of the later processes."""
    (folder / "test_one_table.py").write_text(ONE_TABLE)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = ["-m", "pytest", "test_one_table.py", "--delta-keep-jvm=60", "-q", *PLUGINS]
    took = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, *command], cwd=folder, env=environment(), capture_output=True, check=True)
        took.append(time.perf_counter() - start)
    subprocess.run([sys.executable, "-m", "pytest_delta_schema", "jvm", "stop"], check=False, capture_output=True)
    return statistics.median(took[1:])


def python(code: str, *args: object, environment: Mapping[str, str] | None = None) -> Any:
    """Run a program in its own process, and return what it prints as JSON; a failure prints its errors.

    Args:
        code: The program.
        args: Its arguments.
        environment: Its environment variables; by default those of this process.
    """
    command = [sys.executable, "-c", code, *map(str, args)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if answer.returncode:
        sys.stderr.write(answer.stderr)
    answer.check_returncode()
    return json.loads(answer.stdout) if answer.stdout else None
