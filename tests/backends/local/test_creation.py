"""The place of a new table in the local warehouse, in which an earlier CREATE TABLE may have been killed."""

from __future__ import annotations

import os
import time

import pytest
from filelock import FileLock

from pytest_delta_schema.backends.local import statements
from pytest_delta_schema.backends.local.statements import creation_lock
from pytest_delta_schema.backends.local.warehouse import remove_if_empty
from pytest_delta_schema.diagnostics.errors import StatementError
from support.models import NAME

TMP = ".00000000000000000000.json.0d7ab2b3-0000-4000-8000-000000000000.tmp"


@pytest.fixture
def folder(tmp_path):
    """A folder as a kill within CREATE TABLE leaves it."""
    folder = tmp_path / "dev" / "silver" / "orders"
    (folder / "_delta_log" / "_staged_commits").mkdir(parents=True)
    return folder


def leave(path, age=3600.0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_what_a_killed_creation_left_is_removed(tmp_path, folder):
    for names in ([], [TMP], [TMP, f".{TMP}.crc"], None):  # at last, nothing is there
        for name in names or []:
            leave(folder / "_delta_log" / name)
        with creation_lock(NAME, tmp_path, folder):
            assert not folder.exists()

    assert [path.name for path in (tmp_path / "dev" / "silver").iterdir()] == []


def test_a_creation_that_may_still_run_is_left_alone(tmp_path, folder):
    leave(folder / "_delta_log" / f".{TMP}.crc")
    young = leave(folder / "_delta_log" / TMP, age=50)

    with pytest.raises(StatementError) as caught, creation_lock(NAME, tmp_path, folder):
        pytest.fail("the place is not free")

    assert str(caught.value) == (
        "dev.silver.orders: another process is creating it, or was killed while creating it less than 60 s ago, because"
        f" {folder} holds {TMP}; apply again in a minute"
    )
    assert young.exists()


def test_an_empty_folder_is_removed_and_one_with_a_file_is_not(folder):
    remove_if_empty(folder / "nope")
    kept = leave(folder / "_delta_log" / "_staged_commits" / "a")
    remove_if_empty(folder)
    assert kept.exists()
    kept.unlink()

    remove_if_empty(folder)

    assert not folder.exists()


def test_nothing_is_removed_if_there_is_any_other_file(tmp_path, folder):
    for other in (
        "part-0.parquet",
        "_delta_log/00000000000000000000.json",
        "_delta_log/00000000000000000000.crc",
        "_delta_log/00000000000000000007.checkpoint.parquet",
        "_delta_log/_staged_commits/00000000000000000001.0d7ab2b3.json",
        "_delta_log/.00000000000000000000.json.crc",
        f"data/{TMP}",
        "_change_data/cdc-0.parquet",
    ):
        left = [leave(folder / "_delta_log" / TMP), leave(folder / other)]

        with creation_lock(NAME, tmp_path, folder):
            assert all(path.exists() for path in left), other
        left[1].unlink()


def test_two_creations_of_one_table_wait_for_each_other(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(statements, "_PATIENCE", 0.01)

    with creation_lock(NAME, tmp_path, folder):
        (lock,) = tmp_path.glob(".creating-*.lock")
        with pytest.raises(StatementError) as caught, creation_lock(NAME, tmp_path, folder):
            pytest.fail("the place is not free")

    assert str(caught.value) == (
        f"another process has been creating a table in {tmp_path} for 0 s; wait for it, or stop it"
    )
    with FileLock(lock, timeout=0):
        pass
