"""Readers next to writers in other processes: a healthy table is never damaged, and an answer is of one moment."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.bench import require
from faults.cases import Area, Case
from pytest_delta_schema.backends.local.warehouse import table_folder
from support.damaged_logs import ABSENT, RECLUSTERED, WrittenTable, clustering_by
from support.log_readers import READERS, FalseVerdictError, Reading
from support.models import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from faults.bench import Bench


MILLISECOND = 0.001
"""The pause between two rounds."""

LONG_LOGS = {"renames-700": 700, "renames-1500": 1500}
"""How many commits a log has at first."""

FEW = 50
"""How many commits are kept, where a log would become long."""


def write(kind: str, folder: str, parent: Connection) -> None:
    """Write until there is a message; send how many rounds were written, or the error.

    Args:
        kind: One of ``WRITERS``.
        folder: The folder of the table.
        parent: The other end gets a message when there is a table.
    """
    number = 0
    try:
        for number, _ in enumerate(WRITERS[kind](Path(folder))):
            if number == 0:
                parent.send("ready")
            if parent.poll(MILLISECOND):
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


def _renames(length: int, folder: Path) -> Iterator[None]:
    """Commit every millisecond to a long log, by renaming temporary files."""
    table = WrittenTable(folder, has_checkpoint=False)
    # Without the domain, a reader of clustering columns would read all commits.
    action = json.dumps({"domainMetadata": clustering_by(table.states[-1].clustering)})
    for number in itertools.count(table.next):
        table.put(f"{number:020d}.json", action)
        if number >= length:
            yield


def _comments(folder: Path) -> Iterator[None]:
    """Change the comment, a column, a property and the clustering in every commit."""
    table = WrittenTable(folder, has_checkpoint=True)
    for number in itertools.count(1):
        yield
        table.commit(has_checksum=bool(number % 3))
        if not number % FEW:
            table.clean_up()
            table.vacuum()


def _vacuum(folder: Path) -> Iterator[None]:
    """Overwrite all files, and delete the old ones."""
    table = WrittenTable(folder, has_checkpoint=False)
    for number in itertools.count(1):
        yield
        table.commit()
        table.vacuum()
        if not number % FEW:
            table.clean_up()


def _clean_up(folder: Path) -> Iterator[None]:
    """Write a checkpoint after every third commit, and delete all commits before it."""
    table = WrittenTable(folder, has_checkpoint=True)
    for number in itertools.count(1):
        yield
        table.commit()
        if not number % 3:
            table.clean_up()


def _drop(folder: Path) -> Iterator[None]:
    """Drop the table and create it again."""
    table = WrittenTable(folder, has_checkpoint=False)
    for number in itertools.count(1):
        yield
        table.commit()
        if not number % 3:
            table.drop()


WRITERS: dict[str, Any] = {
    "deltalake": _deltalake,
    **{kind: partial(_renames, length) for kind, length in LONG_LOGS.items()},
    "comments": _comments,
    "vacuum": _vacuum,
    "clean-up": _clean_up,
    "drop": _drop,
}


SECONDS = 60
READS = {"unity, remote": 25}
READS_OF_LONG_LOGS = {"unity, remote": 1, "clone": 2}
"""How often a case reads a log that has thousands of commits and no checkpoint: not 25 times."""

ROUNDS = {"local": 7, "damage of a local log": 4, "unity, local": 3, "unity, remote": 2, "commits": 3, "clone": 1}
"""How many cases a reader has next to each writer."""


def _cases(_: int) -> list[Case]:
    return [
        Case(
            area="writers",
            name=f"{writer}/{reader}/{number}",
            values={
                "writer": writer,
                "reader": reader,
                "reads": READS_OF_LONG_LOGS.get(reader, 25) if writer in LONG_LOGS else READS.get(reader, 100),
            },
        )
        for reader, rounds in ROUNDS.items()
        for number in range(rounds)
        for writer in WRITERS
    ]


def read_often(read: Callable[[], Reading], number: int, *, is_dropped: bool) -> int:
    """Read often, and require true answers of one moment, none older than the one before.

    Args:
        read: Reads once.
        number: How often.
        is_dropped: Whether the table is dropped meanwhile, so it may be missing, or begin again.

    Returns:
        How many reads were left to Spark.
    """
    left_to_spark, newest = 0, -1
    for _ in range(number):
        try:
            reading = read()
        except FalseVerdictError as error:
            require(False, str(error))
        left_to_spark += reading.is_left_to_spark
        _require_one_moment(reading, is_dropped=is_dropped)
        version = max(reading.version, *(reading.commits or [-1]))
        require(is_dropped or version in {-1, *range(newest, version + 1)}, f"version {version} after {newest}")
        newest = max(newest, version)
    return left_to_spark


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


def _run(case: Case, bench: Bench) -> None:
    warehouse = bench.new_folder(case.name)
    kind, reader = case.values["writer"], READERS[case.values["reader"]]
    connection, other_end = multiprocessing.Pipe()
    folder = table_folder(warehouse, NAME)
    folder.mkdir(parents=True)
    process = multiprocessing.get_context("spawn").Process(
        target=write,
        args=(kind, str(folder), other_end),
        daemon=True,
    )
    process.start()
    try:
        require(connection.poll(SECONDS), "the writer did not begin")
        first = connection.recv()
        require(first == "ready", f"the writer failed: {first}")
        read_often(lambda: reader(warehouse), case.values["reads"], is_dropped=kind == "drop")
        connection.send("stop")
        require(connection.poll(SECONDS), "the writer did not end")
        rounds = connection.recv()
        require(isinstance(rounds, int), f"the writer failed: {rounds}")
        require(rounds, "the writer wrote nothing meanwhile")
    finally:
        process.kill()
        process.join()
    bench.clean(warehouse)


AREA = Area(
    name="writers",
    title="ten thousand reads of logs, a hundred a case, next to writers",
    cases=_cases,
    run=_run,
    sample=6,
    lanes=1,
)
