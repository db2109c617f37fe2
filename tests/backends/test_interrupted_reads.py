"""Writers come in between any two accesses of a reader to files: what is read is the table of one moment."""

from __future__ import annotations

import functools
import itertools
import json
import random
import re
import shutil
from typing import Any

import pytest

from pytest_delta_schema.backends import second_look
from pytest_delta_schema.backends.commit_log import CommitLog
from pytest_delta_schema.backends.local.folder_clone import clone_folder
from pytest_delta_schema.backends.local.log_history import history_of
from pytest_delta_schema.backends.local.log_reader import WarehouseLogs
from pytest_delta_schema.backends.local.physical_names import table_folder
from pytest_delta_schema.backends.local_log import LocalLog
from pytest_delta_schema.backends.log_damage import damage_of
from pytest_delta_schema.backends.unity.log_folder import LogFolder
from pytest_delta_schema.backends.unity.logs import Log
from pytest_delta_schema.backends.unity.repeated_reads import read_repeatedly
from pytest_delta_schema.errors import CatalogReadError, Diagnostic, StatementError
from support.covering import ALL
from support.interruptions import Interruptions
from support.tables import NAME
from support.written_table import ABSENT, WRITERS, Shown, WrittenTable

MOST = 60
"""No reader has more accesses, even if it reads everything four times."""

HOW = [*itertools.product((False, True), repeat=2)] if ALL else [(True, True)]
SAMPLES = 300 if ALL else 20


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch):
    monkeypatch.setattr(second_look, "PAUSES", (0, 0, 0))


def shown(state):
    """Return what a state shows; all parts have the number of one commit."""
    if not state.exists:
        return ABSENT
    columns = tuple(column.name for column in state.columns)
    return Shown(state.table_comment, columns, state.table_properties["test.mark"], str(state.clustering[0]))


def required(condition, error):
    """Require an error to be about a table that was dropped or replaced."""
    assert condition, str(error)


def local(table, warehouse):
    """Read as the local backend does without a JVM."""
    result = WarehouseLogs(warehouse, (4, 4)).read([NAME]).get(NAME)
    assert not isinstance(result, Diagnostic), str(result)
    if result is None:
        # Between its log and its folder, it was dropped and created again: Spark looks at that.
        assert ABSENT in table.states
    else:
        assert shown(result) in table.states


def damage(log, table, _):
    """Look for damage, as all backends do."""
    assert damage_of(log(str(table.folder))) is None


def unity(how, table, _):
    """Read as the unity backend does: a local log, a remote one by deltalake, one that deltalake cannot open."""
    with pytest.MonkeyPatch.context() as patched:
        if how != "local":
            patched.setattr("pytest_delta_schema.backends.unity.logs.local_folder", lambda _: None)
        if how == "files":
            patched.setattr("pytest_delta_schema.backends.unity.logs._metadata", unknown)
        try:
            facts = read_repeatedly(lambda: Log(str(table.folder), {}).facts())
        except StatementError as error:
            required(error.condition == "NO_LOG", error)
            assert ABSENT in table.states
            return
    assert shown(facts.state(NAME)) in table.states


def unknown(_):
    raise ValueError("an unknown type")


def commits(table, _):
    """Read the history of a table for effects and versions."""
    try:
        read = CommitLog(table=NAME, log=LocalLog(str(table.folder))).commits()
    except CatalogReadError as error:
        required("are gone" in str(error), error)
        assert ABSENT in table.states
        return
    assert tuple(mark_of(commit) for commit in read) in table.histories


def mark_of(commit):
    """Return the number of a commit, which the name of its file has."""
    return commit.added[0].path.removesuffix(".parquet")


def old_state(table, _):
    """Read the state of an older version."""
    try:
        state = CommitLog(table=NAME, log=LocalLog(str(table.folder))).state_at(3)
    except CatalogReadError as error:
        # It was dropped, cleaned up, or the new table has no such version.
        required(re.search(r"are gone|no commit of version 3|is in commit \d, which its log does", str(error)), error)
        assert any("1.3" not in history for history in table.histories[1:])
        return
    assert shown(state) in (*table.old_states, *table.states)
    assert state.table_comment.endswith(".3")


def columns_of_versions(table, _):
    """Read the history of a table for the commits that introduced columns."""
    try:
        history = history_of(LocalLog(str(table.folder)))
    except OSError:
        return
    if history is None:
        return
    marks = tuple(history.columns_at(version)[1].name.removeprefix("c") for version in sorted(history.commits))
    assert marks in table.histories


def copied(source, target, _):
    target.write_bytes(source.read_bytes())


def clone(table, warehouse):
    """Clone the table."""
    target = warehouse / "clone"
    shutil.rmtree(target, ignore_errors=True)
    try:
        clone_folder(table.folder, target, copied)
    except FileNotFoundError:
        assert ABSENT in table.states
        return
    names = sorted(target.glob("_delta_log/*.json"))
    marks = [path.rpartition("/")[2] for path in map(str, names)]
    assert marks
    actions = [json.loads(line) for line in names[-1].read_text("utf-8").splitlines()]
    live = next(action["add"]["path"] for action in actions if "add" in action)
    assert live in table.files
    assert (target / live).exists()


READERS: dict[str, Any] = {
    "local": local,
    "damage of a local log": functools.partial(damage, LocalLog),
    "damage of a remote log": functools.partial(damage, lambda location: LogFolder(location, {})),
    "unity, local": functools.partial(unity, "local"),
    "unity, remote": functools.partial(unity, "remote"),
    "unity, files": functools.partial(unity, "files"),
    "commits": commits,
    "an old state": old_state,
    "columns of versions": columns_of_versions,
    "clone": clone,
}


def failure(folder, reader, writers, *, has_checkpoint, torn):
    """Read a new table while writers come in; return whether all of them did, and what is wrong with the result."""
    table_path = table_folder(folder, NAME)
    shutil.rmtree(table_path, ignore_errors=True)
    table_path.mkdir(parents=True)
    table = WrittenTable(table_path, has_checkpoint=has_checkpoint)
    table.begin_read()
    due = {number: functools.partial(WRITERS[writer], table) for number, writer in writers.items()}
    interruptions = Interruptions(table_path, due, torn=torn)
    try:
        with interruptions.active():
            READERS[reader](table, folder)
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
