"""A problem is reported if it is still there when the table is read again; interrupted reads end in order."""

from __future__ import annotations

import functools
import itertools
import json
import random
import shutil
from pathlib import Path

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends import concurrency
from pytest_delta_schema.backends.local.reading import located, read_tables
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.logs.files import LocalFiles
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from support.covering import ALL
from support.damaged_logs import ABSENT as NO_TABLE
from support.damaged_logs import WRITERS, Interruptions, WrittenTable
from support.log_readers import READERS
from support.logs import field, metadata, protocol
from support.models import NAME

OTHER = QualifiedName("dev", "silver", "other")


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch):
    monkeypatch.setattr(concurrency, "PAUSES", (0, 0, 0))


def delta(comment="Read"):
    return "\t".join(
        ["delta", "/lake", "3", json.dumps(metadata(field("id"), comment=comment)), json.dumps(protocol()), ""],
    )


class Bridge:
    """A JVM that answers about a table in turn, and about others that they are there."""

    warehouse = Path("/warehouse")

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def register(self, names):
        pass

    def is_warehouse(self, _):
        return True

    def with_logical_names(self, text):
        return text

    def log(self, location):
        return LocalFiles(location)

    def read(self, request):
        self.requests.append(request.count("\n"))
        return "".join(
            f"{self.answers.pop(0) if 'orders' in line else delta()}\n" for line in request.split("\n") if line
        )


READ, ABSENT = (True, "Read"), (False, "")
GONE, FILES, LOST = "gone\t/lake", "files\t", "files\t_delta_log/0.crc"
HIDDEN, UNREADABLE = "hidden\tnobody may look", "unreadable\t/lake\tno file 3.json"


def test_a_problem_that_has_passed_is_not_reported_and_one_that_stays_is_reported_after_a_second_read():
    for answers, state, code in (
        ([GONE, delta()], READ, ""),
        ([GONE, "absent"], ABSENT, ""),
        ([FILES, LOST, "absent"], ABSENT, ""),
        ([FILES, delta()], READ, ""),
        ([HIDDEN, delta()], READ, ""),
        ([UNREADABLE, delta()], READ, ""),
        ([UNREADABLE, f"{UNREADABLE}4", f"{UNREADABLE}5", delta()], READ, ""),
        ([delta()], READ, ""),
        ([GONE, GONE], None, "DS503"),
        ([FILES, FILES], None, "DS505"),
        ([LOST, LOST], None, "DS503"),
        ([HIDDEN, HIDDEN], None, "DS502"),
        ([UNREADABLE, UNREADABLE], None, "DS502"),
    ):
        bridge = Bridge(*answers)

        result = read_tables(bridge, [NAME, OTHER])

        table = result.tables.get(NAME)
        assert (table and (table.exists, table.table_comment)) == state, answers
        assert [problem.code for problem in result.problems.values()] == code.split()
        assert result.tables[OTHER].exists
        # The other table is read once.
        assert (bridge.answers, bridge.requests) == ([], [2, *[1] * (len(answers) - 1)])


def test_the_location_of_a_table_that_is_replaced_meanwhile_or_whose_log_is_gone():
    assert located(Bridge(GONE, delta()), NAME)[1] == "/lake"
    with pytest.raises(CatalogReadError, match="is gone"):
        located(Bridge(GONE, GONE), NAME)


MOST = 60
"""No reader has more accesses, even if it reads everything four times."""
HOW = [*itertools.product((False, True), repeat=2)] if ALL else [(True, True)]
SAMPLES = 300 if ALL else 20


def require_one_moment(reading, table):
    """Require a reading to be true of the table at one moment since the read began."""
    if reading.is_left_to_spark:
        # Between its log and its folder, it was dropped and created again, or its first commits are gone.
        assert NO_TABLE in table.states or any("1.0" not in history for history in table.histories)
    if reading.state is not None:
        assert reading.state in table.states
    if reading.commits is not None:
        assert tuple(reading.commits.values()) in table.histories
    if reading.old_state is NO_TABLE:
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
@pytest.mark.parametrize("reader", READERS)
def test_a_writer_between_two_accesses(tmp_path, reader, has_checkpoint, torn):
    failures: dict[tuple[str, int], str] = {}
    for writer in WRITERS:
        for number in range(MOST + 1):
            assert number < MOST
            was_due, text = failure(tmp_path, reader, {number: writer}, has_checkpoint=has_checkpoint, torn=torn)
            failures[writer, number] = text
            if not was_due:
                break

    assert failures == dict.fromkeys(failures, "")


@pytest.mark.parametrize("reader", READERS)
def test_writers_between_accesses_twice(tmp_path, reader):
    failures: dict[str, str] = {}
    for seed in range(SAMPLES):
        choose = random.Random(f"{reader}{seed}")  # noqa: S311 - reproducible
        numbers = sorted(choose.sample(range(16), 2))
        has_checkpoint, torn = choose.choice(HOW)
        writers = {number: choose.choice(tuple(WRITERS)) for number in numbers}
        _, text = failure(tmp_path, reader, writers, has_checkpoint=has_checkpoint, torn=torn)
        failures[str((writers, has_checkpoint, torn))] = text

    assert failures == dict.fromkeys(failures, "")
