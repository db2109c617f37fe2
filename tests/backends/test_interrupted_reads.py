"""Writers come in between any two accesses of a reader to files: what is read is the table of one moment."""

from __future__ import annotations

import functools
import itertools
import random
import shutil

import pytest

from pytest_delta_schema.backends import concurrency
from pytest_delta_schema.backends.local.warehouse import table_folder
from support.covering import ALL
from support.delta_logs.file_readers import READERS
from support.delta_logs.interruptions import Interruptions
from support.delta_logs.written_table import ABSENT, WRITERS, WrittenTable
from support.tables import NAME

MOST = 60
"""No reader has more accesses, even if it reads everything four times."""

HOW = [*itertools.product((False, True), repeat=2)] if ALL else [(True, True)]
SAMPLES = 300 if ALL else 20


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch):
    monkeypatch.setattr(concurrency, "PAUSES", (0, 0, 0))


def require_one_moment(reading, table):
    """Require a reading to be true of the table at one moment since the read began."""
    if reading.is_left_to_spark:
        # Between its log and its folder, it was dropped and created again, or its first commits are gone.
        assert ABSENT in table.states or any("1.0" not in history for history in table.histories)
    if reading.state is not None:
        assert reading.state in table.states
    if reading.commits is not None:
        assert tuple(reading.commits.values()) in table.histories
    if reading.old_state is ABSENT:
        assert any("1.3" not in history for history in table.histories[1:])
    elif reading.old_state is not None:
        assert reading.old_state in (*table.old_states, *table.states)
        assert reading.old_state.comment.endswith(".3")
    if reading.cloned is not None:
        assert (f"{reading.cloned}.parquet" if reading.cloned else "") in table.files


def failure(warehouse, reader, writers, *, has_checkpoint, torn):
    """Read a new table while writers come in; return whether all of them did, and what is wrong with the result."""
    folder = table_folder(warehouse, NAME)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    table = WrittenTable(folder, has_checkpoint=has_checkpoint)
    table.begin_read()
    due = {number: functools.partial(WRITERS[writer], table) for number, writer in writers.items()}
    interruptions = Interruptions(folder, due, torn=torn)
    try:
        with interruptions.active():
            reading = READERS[reader](warehouse)
        assert not reading.is_given_up or len(writers) > 1
        require_one_moment(reading, table)
    except Exception as error:  # noqa: BLE001 - all failures are reported together
        return not interruptions.writers, f"{type(error).__name__}: {error}"
    return not interruptions.writers, ""


@pytest.mark.parametrize(("has_checkpoint", "torn"), HOW)
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("reader", READERS)
def test_a_writer_between_two_accesses(tmp_path, reader, writer, has_checkpoint, torn):
    failures: dict[int, str] = {}
    was_due = True
    while was_due:
        number = len(failures)
        assert number < MOST
        was_due, failures[number] = failure(
            tmp_path, reader, {number: writer}, has_checkpoint=has_checkpoint, torn=torn
        )

    assert failures == dict.fromkeys(failures, "")


@pytest.mark.parametrize("reader", READERS)
def test_writers_between_accesses_twice(tmp_path, reader):
    failures: dict[str, str] = {}
    for seed in range(SAMPLES):
        choose = random.Random(f"{reader}{seed}")  # noqa: S311 - reproducible
        numbers = sorted(choose.sample(range(16), 2))
        has_checkpoint, torn = choose.choice(HOW)
        writers = {number: choose.choice(tuple(WRITERS)) for number in numbers}
        _, failures[str((writers, has_checkpoint, torn))] = failure(
            tmp_path, reader, writers, has_checkpoint=has_checkpoint, torn=torn
        )

    assert failures == dict.fromkeys(failures, "")
