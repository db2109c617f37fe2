"""The local backend: starts of the JVM with and without its archive, a kept JVM, reading tables, scratch tables."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from measure import ROUNDS, Row, seconds
from processes import WITH_PLUGIN, program
from processes import run as run_python

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES, STATEMENTS = 200, 20

ONE_TABLE = """
from small_tables import small_table

def test_one_table(make_delta_table, delta_spark):
    made = make_delta_table(small_table(0), rows=2)
    assert delta_spark.table(made.qualified_name).count() == 2
"""


def run() -> Iterator[Row]:
    """Yield the cost of starts, of a run in a kept JVM, of reading tables, and of many scratch tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _starts(folder)
        yield from _reading(folder)
        yield Row(
            name="20 scratch tables of one model",
            reference_name="2 of another",
            pairs=program("scratch_tables", folder),
            limit=3.0,
        )


def _starts(folder: Path) -> Iterator[Row]:
    """Measure starts and runs of a test in turn; the first of each writes the archive, or leaves a JVM running."""
    (folder / "test_one_table.py").write_text(ONE_TABLE)
    (folder / "pytest.ini").write_text("[pytest]\n")

    def kept_run() -> None:
        run_python(folder, *WITH_PLUGIN, "--delta-keep-jvm=60", "test_one_table.py")

    program("start", folder, "archive")
    kept_run()
    try:
        rounds = [
            (
                program("start", folder, "archive"),
                program("start", folder, "none"),
                seconds(kept_run, time.perf_counter),
            )
            for _ in range(ROUNDS)
        ]
    finally:
        run_python(folder, "-m", "pytest_delta_schema", "jvm", "stop")
    yield Row(
        name="start of the JVM and first query, with the archive of classes",
        reference_name="without it",
        pairs=[(with_archive, without) for with_archive, without, _ in rounds],
        limit=0.7,
    )
    yield Row(
        name="a later run of a Spark test with one table, JVM kept",
        reference_name="start of the JVM and first query",
        pairs=[(kept, without) for _, without, kept in rounds],
        limit=0.36,
    )


def _reading(folder: Path) -> Iterator[Row]:
    """Read copies of a table in new processes; each runs plain statements over some of them in turn."""
    write_tables(folder, TABLES)
    first, again = zip(*(program("read_tables", folder, TABLES, STATEMENTS) for _ in range(ROUNDS)), strict=True)
    describing = "`DESCRIBE DETAIL` of one of them"
    yield Row(
        name=f"reading one of {TABLES} local tables, first time", reference_name=describing, pairs=first, limit=0.34
    )
    yield Row(name="reading one of them again", reference_name=describing, pairs=again, limit=0.11)


def write_tables(warehouse: Path, count: int) -> None:
    """Create a table in a warehouse, and copy it."""
    program("make_table", warehouse)
    schema = warehouse / "dev" / "silver"
    for number in range(1, count):
        shutil.copytree(schema / "table_0", schema / f"table_{number}")
