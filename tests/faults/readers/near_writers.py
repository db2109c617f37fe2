"""Readers next to writers in other processes: a healthy table is never damaged, and an answer is of one moment."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

from faults.bench import require
from faults.cases import Area, Case
from faults.readers.log_writers import LONG_LOGS, WRITERS, write
from pytest_delta_schema.backends.local.warehouse import table_folder
from support.delta_logs.file_readers import READERS, FalseVerdictError, Reading
from support.delta_logs.written_table import ABSENT, RECLUSTERED
from support.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from faults.bench import Bench

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
        target=write, args=(kind, str(folder), other_end), daemon=True
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
