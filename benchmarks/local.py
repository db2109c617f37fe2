"""The local backend: starts of the JVM with and without its archive, reading tables, scratch tables."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measure import ROUNDS, Row
from processes import program

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES, STATEMENTS = 200, 20


def run() -> Iterator[Row]:
    """Yield the cost of starts, of reading tables, and of many scratch tables."""
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
    """Measure starts in turn; the first of them writes the archive."""
    program("start", folder, "archive")
    yield Row(
        name="start of the JVM and first query, with the archive of classes",
        reference_name="without it",
        pairs=[(program("start", folder, "archive"), program("start", folder, "none")) for _ in range(ROUNDS)],
        limit=0.7,
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
