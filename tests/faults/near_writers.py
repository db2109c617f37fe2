"""Readers next to writers in other processes: a healthy table is never damaged, and an answer is of one moment."""

from __future__ import annotations

import itertools
import multiprocessing
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from faults.cases import Area, require
from pytest_delta_schema.backends.local.warehouse import table_folder
from support.damaged_logs import ABSENT, RECLUSTERED, WrittenTable
from support.log_readers import READERS, FalseVerdictError, Reading
from support.models import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from faults.bench import Bench


FEW = 50
"""How many commits are kept, where a log would become long."""


def write(kind: str, folder: str, parent: Connection) -> None:
    """Write until there is a message; send that there is a table, and then how many rounds were written, or the error."""
    number = 0
    try:
        for number, _ in enumerate(WRITERS[kind](Path(folder))):
            if number == 0:
                parent.send("ready")
            if parent.poll(0.001):
                break
        parent.send(number)
    except Exception:  # noqa: BLE001 - the case reports it
        parent.send(traceback.format_exc())


def _deltalake(folder: Path) -> Iterator[None]:
    """Append, and write a checkpoint after every second commit."""
    import pyarrow as pa  # noqa: PLC0415 - only one kind needs it
    from deltalake import DeltaTable, write_deltalake  # noqa: PLC0415 - as above

    rows = pa.table({"id": [1, 2]})
    write_deltalake(str(folder), rows, description="1.0")
    for number in itertools.count():
        yield
        write_deltalake(str(folder), rows, mode="append")
        if number % 2:
            DeltaTable(str(folder)).create_checkpoint()


def _rounds(
    round_: Callable[[WrittenTable, int], None], folder: Path, *, has_checkpoint: bool = False
) -> Iterator[None]:
    """Write to one table in rounds, which are counted from 1."""
    table = WrittenTable(folder, has_checkpoint=has_checkpoint)
    for number in itertools.count(1):
        yield
        round_(table, number)


def _comments(table: WrittenTable, number: int) -> None:
    """Change the comment, a column, a property and the clustering in every commit."""
    table.commit(has_checksum=bool(number % 3))
    if not number % FEW:
        table.clean_up()
        table.vacuum()


def _clean_up(table: WrittenTable, number: int) -> None:
    """Write a checkpoint after every third commit, and delete all commits before it."""
    table.commit()
    if not number % 3:
        table.clean_up()


def _drop(table: WrittenTable, number: int) -> None:
    """Drop the table after every third commit, and create it again."""
    table.commit()
    if not number % 3:
        table.drop()


WRITERS: dict[str, Callable[[Path], Iterator[None]]] = {
    "deltalake": _deltalake,
    "comments": partial(_rounds, _comments, has_checkpoint=True),
    "clean-up": partial(_rounds, _clean_up, has_checkpoint=True),
    "drop": partial(_rounds, _drop),
}

SECONDS = 60
ROUNDS = {"local": 7, "damage of a local log": 4, "unity, local": 3, "unity, remote": 2, "commits": 3, "clone": 1}
"""How many cases a reader has next to each writer."""


def _read_often(read: Callable[[], Reading], number: int, *, is_dropped: bool) -> None:
    """Read often, and require true answers of one moment, none older than the one before.

    A table that is dropped meanwhile may be missing, or begin again.
    """
    newest = -1
    for _ in range(number):
        try:
            reading = read()
        except FalseVerdictError as error:
            require(condition=False, reason=str(error))
        _require_one_moment(reading, is_dropped=is_dropped)
        version = max(reading.version, *(reading.commits or [-1]))
        require(is_dropped or version in {-1, *range(newest, version + 1)}, f"version {version} after {newest}")
        newest = max(newest, version)


def _require_one_moment(reading: Reading, *, is_dropped: bool) -> None:
    state, commits = reading.state, reading.commits
    if state is ABSENT or commits == {} or not (reading.cloned or reading.cloned is None):
        require(is_dropped, "the table was missing")
    elif state is not None:
        mark = state.comment
        number = int(mark.rpartition(".")[2])
        clustered_by = f"k{number - number % RECLUSTERED}"
        whole = [(mark, ("id", f"c{mark}", clustered_by), mark, clustered_by), (mark, ("id",), "", "")]
        require(tuple(state) in whole, f"parts of several versions: {state}")
    if commits:
        require(sorted(commits) == [*range(min(commits), max(commits) + 1)], f"commits are missing: {[*commits]}")


def _run(writer: str, reader: str, bench: Bench) -> None:
    warehouse = bench.new_folder(f"{writer}/{reader}")
    connection, other_end = multiprocessing.Pipe()
    folder = table_folder(warehouse, NAME)
    folder.mkdir(parents=True)
    arguments = (writer, str(folder), other_end)
    process = multiprocessing.get_context("spawn").Process(target=write, args=arguments, daemon=True)
    process.start()
    try:
        require(connection.poll(SECONDS), "the writer did not begin")
        first = connection.recv()
        require(first == "ready", f"the writer failed: {first}")
        _read_often(
            lambda: READERS[reader](warehouse), 25 if reader == "unity, remote" else 100, is_dropped=writer == "drop"
        )
        connection.send("stop")
        require(connection.poll(SECONDS), "the writer did not end")
        rounds = connection.recv()
        require(isinstance(rounds, int), f"the writer failed: {rounds}")
        require(rounds, "the writer wrote nothing meanwhile")
    finally:
        process.kill()
        process.join()
    bench.clean(warehouse)


def _cases() -> dict[str, Callable[[Bench], None]]:
    return {
        f"{writer}/{reader}/{number}": partial(_run, writer, reader)
        for reader, rounds in ROUNDS.items()
        for number in range(rounds)
        for writer in WRITERS
    }


AREA = Area(
    name="writers",
    title="reads of logs, a hundred a case, next to writers",
    cases=_cases,
    sample=2,
    lanes=1,
)
