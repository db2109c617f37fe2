"""Reading local Delta logs without a JVM: the reference is deltalake, which reads metadata, protocol and schema."""

from __future__ import annotations

import tempfile
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from deltalake import DeltaTable
from measure import Row, in_turn
from unity import lake_of, write_project

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.kit import LocalFiles, state_of_log
from pytest_delta_schema.state import TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

TABLES, FEWER, THREADS = 5000, 2500, 8


def run() -> Iterator[Row]:
    """Yield the cost of many logs in one thread and in several, and how their memory grows."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name, "many")
        write_project(project, TABLES)
        folders = [str(folder.parent) for folder in sorted(lake_of(project).glob("*/*/*/_delta_log"))]
        assert len(folders) == TABLES
        with ThreadPoolExecutor(THREADS) as pool:
            for threads, over in (("one thread", map), (f"{THREADS} threads", pool.map)):
                yield Row(
                    name=f"{TABLES:,} local logs, read in {threads}",
                    reference_name="deltalake",
                    pairs=in_turn(partial(_all, over, _read, folders), partial(_all, over, _other, folders)),
                    limit=0.45,
                )
        yield Row(
            name=f"memory of a table, of {TABLES:,}",
            reference_name=f"of a table, of {FEWER:,}",
            pairs=[(_memory(folders), _memory(folders[:FEWER]))],
            limit=1.1,
            unit="KiB",
        )


def _all(over: Callable[..., Iterable[object]], read: Callable[[str], object], folders: list[str]) -> list[object]:
    return list(over(read, folders))


def _read(folder: str) -> TableState:
    state = state_of_log(QualifiedName(*Path(folder).parts[-3:]), LocalFiles(folder))
    assert isinstance(state, TableState)
    return state


def _other(folder: str) -> object:
    table = DeltaTable(folder)
    return table.metadata(), table.protocol(), table.schema().fields


def _memory(folders: list[str]) -> float:
    """Return the memory of a state, in KiB, where all are kept."""
    tracemalloc.start()
    try:
        states = [_read(folder) for folder in folders]
        return tracemalloc.get_traced_memory()[0] / len(states) / 1024
    finally:
        tracemalloc.stop()
